/** A visit of a vessel, as the gateway sends it. */
export interface Call {
  id: string;
  vessel: string;
  berth: string;
  /** Minutes since the epoch. */
  from: number;
  until: number;
  state: "announced" | "confirmed" | "alongside" | "sailed" | "cancelled";
}

export type Severity = "info" | "warning" | "alarm";

export interface Notice {
  severity: Severity;
  text: string;
  call?: string;
}
