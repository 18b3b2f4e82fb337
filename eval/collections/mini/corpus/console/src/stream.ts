import type { Call } from "./types";

type Listener = (call: Call) => void;

/** Follows the server's events, and connects again with growing pauses when the line breaks. */
export class EventStream {
  private source?: EventSource;
  private pause = 500;

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
  ) {}

  connect(): void {
    this.source = new EventSource(this.url, { withCredentials: true });
    this.source.onopen = () => {
      this.pause = 500;
    };
    this.source.onmessage = (message) => this.listener(JSON.parse(message.data) as Call);
    this.source.onerror = () => {
      this.source?.close();
      setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(this.pause * 2, 30_000);
    };
  }

  close(): void {
    this.source?.close();
  }
}
