/** A language client whose server never starts. */

export const State = { Stopped: 1, Running: 2 };

export const RevealOutputChannelOn = { Never: 4 };

export class LanguageClient {
  readonly state = State.Stopped;

  start(): Promise<void> {
    return Promise.reject(new Error("there is no server in this test"));
  }
}
