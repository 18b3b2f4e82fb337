// Asks a running `lore serve` from many connections at once, and prints the times and the memory of the server.
//
//   LOREHOUND_TOKEN=… node load.mjs http://127.0.0.1:7411 [--connections 50] [--seconds 60] [--process PID] PATH...

import http from "node:http";
import { readFileSync } from "node:fs";

const words = process.argv.slice(2);
const option = (name, value) => {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? value : Number(words.splice(at, 2)[1]);
};
const connections = option("connections", 50);
const seconds = option("seconds", 60);
const server = option("process", 0);
const [address, ...paths] = words;
if (!address || !["127.0.0.1", "localhost", "[::1]"].includes(new URL(address).hostname)) {
  throw new Error("usage: node load.mjs http://127.0.0.1:PORT [OPTIONS] PATH...; only this machine is asked");
}
if (!paths.length) paths.push("/search?q=how+is+a+file+read", "/search?q=error&in=code", "/tree/", "/status", "/api/search?q=parse");

const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
const headers = { authorization: `Bearer ${process.env.LOREHOUND_TOKEN}` };
const times = new Map(paths.map((path) => [path, []]));
const statuses = new Map();

const ask = (path) =>
  new Promise((done) => {
    const started = performance.now();
    const finish = (status) => {
      times.get(path).push(performance.now() - started);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      done();
    };
    http
      .get(address + path, { agent, headers }, (answer) => answer.resume().on("end", () => finish(answer.statusCode)))
      .on("error", (error) => finish(error.code));
  });

const memory = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server}/status`, "utf8"))?.[1] ?? 0) / 1024;
const before = server ? memory() : 0;
let peak = before;
const end = performance.now() + seconds * 1000;
const watch = server ? setInterval(() => (peak = Math.max(peak, memory())), 500) : null;
await Promise.all(
  Array.from({ length: connections }, async (_, at) => {
    for (let step = at; performance.now() < end; step++) await ask(paths[step % paths.length]);
  }),
);
clearInterval(watch);
agent.destroy();

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(1);
const row = (name, list) => {
  const sorted = list.toSorted((left, right) => left - right);
  console.log(`${String(sorted.length).padStart(7)}  ${at(sorted, 0.5)}  ${at(sorted, 0.95)}  ${at(sorted, 0.99)}  ${at(sorted, 1)}  ${name}`);
};
console.log("requests  median  p95  p99  max (ms)");
for (const [path, list] of times) row(path, list);
const all = [...times.values()].flat();
row("all", all);
console.log(`${(all.length / seconds).toFixed(0)} a second; statuses ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(", ")}`);
if (server) console.log(`memory ${before.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB`);
