import { useMemo } from "react";
import type { Call } from "./types";

interface TimelineProps {
  calls: Call[];
  /** Minutes that the width of the view stands for. */
  span: number;
  onSelect: (call: Call) => void;
}

/** Berths as rows, time from left to right: the view that dispatchers work in. */
export function Timeline({ calls, span, onSelect }: TimelineProps) {
  const rows = useMemo(() => groupByBerth(calls), [calls]);
  return (
    <div className="timeline" role="grid">
      {[...rows].map(([berth, row]) => (
        <div key={berth} role="row">
          {row.map((call) => (
            <button
              key={call.id}
              style={{ left: `${(call.from / span) * 100}%`, width: `${((call.until - call.from) / span) * 100}%` }}
              onClick={() => onSelect(call)}
            >
              {call.vessel}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

export function groupByBerth(calls: Call[]): Map<string, Call[]> {
  const rows = new Map<string, Call[]>();
  for (const call of calls) {
    rows.set(call.berth, [...(rows.get(call.berth) ?? []), call]);
  }
  return rows;
}
