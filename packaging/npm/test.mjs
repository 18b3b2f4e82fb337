// Packs the packages with a program, installs them from the files in an empty folder, without scripts and without the
// network, and asks a question.
//
//   node test.mjs PROGRAM

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const program = resolve(process.argv[2] ?? "target/debug/lore");
const folder = mkdtempSync(join(tmpdir(), "lore-npm-"));
const options = { cwd: folder, encoding: "utf8", env: { ...process.env, LOREHOUND_CACHE_DIR: join(folder, "cache") } };
try {
  const target = `${process.arch === "arm64" ? "aarch64" : "x86_64"}-unknown-linux-gnu`;
  execFileSync("node", [join(here, "build.mjs"), join(folder, "packages"), `${target}=${program}`], options);
  const files = readdirSync(join(folder, "packages")).map((name) => {
    const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, join(folder, "packages", name)], options);
    return join(folder, packed.trim().split("\n").pop());
  });
  const launcher = files.find((file) => /\/lorehound-\d/.test(file));
  const platform = files.find((file) => file !== launcher);
  for (const file of files) console.log(`${(statSync(file).size / 1e6).toFixed(1)} MB  ${file.split("/").pop()}`);

  const user = join(folder, "user");
  mkdirSync(user);
  writeFileSync(join(user, "package.json"), "{}");
  const started = performance.now();
  const install = ["install", "--silent", "--ignore-scripts", "--offline", "--no-audit", "--no-fund", platform, launcher];
  execFileSync("npm", install, { ...options, cwd: user });
  console.log(`installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);

  const tree = join(folder, "tree");
  mkdirSync(tree);
  writeFileSync(join(tree, "refund.py"), "def retry_refund(payment):\n    return send(payment)\n");
  const bin = (name) => join(user, "node_modules/.bin", name);
  for (const name of ["lore", "lorehound"]) {
    assert.match(execFileSync(bin(name), ["--version"], options), /^lore \d/);
  }
  const answer = JSON.parse(execFileSync(bin("lorehound"), ["how is a refund retried?", "-C", tree, "--json"], options));
  assert.equal(answer.results[0].path, "refund.py");

  const status = (words) =>
    new Promise((done) => spawn(bin("lore"), words, { ...options, stdio: "ignore" }).on("exit", (code, signal) => done(signal ?? code)));
  assert.equal(await status(["zzqqy_nothing", "-C", tree]), 1, "the exit code of the program");
  assert.equal(await status(["--no-such-flag"]), 2);
  const server = spawn(bin("lore"), ["serve", "--port", "0", "-C", tree], { ...options, stdio: ["ignore", "ignore", "pipe"] });
  await new Promise((found) => server.stderr.once("data", found));
  server.kill("SIGTERM");
  await new Promise((ended) => server.once("exit", ended));

  rmSync(join(user, "node_modules/@lorehound"), { recursive: true });
  assert.throws(() => execFileSync(bin("lore"), ["--version"], { ...options, stdio: "pipe" }), /there is no program for/);
  console.log("6 passed, 0 failed");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
