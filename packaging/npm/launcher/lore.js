#!/usr/bin/env node
// Starts the program of the package for this system. Nothing is downloaded: npm installed that package with this one.
"use strict";

const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");
const platforms = require("./platforms.json");

/** True if the C library of this system is not that of GNU. */
function isMusl() {
  try {
    return !process.report.getReport().header.glibcVersionRuntime;
  } catch {
    return false;
  }
}

/** The packages that fit this system, best first. A program for musl runs everywhere. */
function candidates() {
  const fitting = platforms.filter((each) => each.os === process.platform && each.cpu === process.arch);
  return isMusl() ? fitting.filter((each) => each.libc === "musl") : fitting;
}

function program() {
  for (const { package: name, program } of candidates()) {
    try {
      const path = join(dirname(require.resolve(`${name}/package.json`)), program);
      if (existsSync(path)) return path;
    } catch {
      // The next one.
    }
  }
  return null;
}

const path = program();
if (!path) {
  const names = candidates().map((each) => each.package);
  console.error(`lore: there is no program for ${process.platform} on ${process.arch}\n`);
  console.error(
    names.length
      ? `hint: install with optional packages: npm install --include=optional lorehound\n      (one of ${names.join(", ")})`
      : "hint: build it with Rust: cargo install --path crates/cli --locked",
  );
  process.exit(2);
}

const child = spawn(path, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
// Ctrl-C reaches the program itself, as it is in the same group; this process waits for its end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => (signal === "SIGINT" ? undefined : child.kill(signal)));
}
child.on("error", (error) => {
  console.error(`lore: could not start \`${path}\`: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (!signal) return process.exit(code ?? 2);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
