const formatter = new Intl.DateTimeFormat("en-GB", {
  timeZone: "Europe/Lisbon",
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** Shows a minute since the epoch in the port's own time zone. Everything else is UTC. */
export function formatLocal(minutes: number): string {
  return formatter.format(new Date(minutes * 60_000));
}
