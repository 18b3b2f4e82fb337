// Makes the npm packages: one for each system with its program, and `lorehound`, which starts the right one.
//
//   node build.mjs OUT TARGET=PROGRAM...      e.g. node build.mjs out x86_64-unknown-linux-gnu=target/dist/lore
//
// Without a program for a target, its package is not made, and `lorehound` does not name it. The version is that of the
// workspace.

import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const [out, ...words] = process.argv.slice(2);
const programs = new Map(words.map((word) => word.split("=", 2)));
const platforms = JSON.parse(readFileSync(join(here, "platforms.json"), "utf8"));
const unknown = [...programs.keys()].filter((target) => !platforms.some((each) => each.target === target));
if (!out || !programs.size || unknown.length) {
  console.error(`usage: node build.mjs OUT TARGET=PROGRAM...\ntargets: ${platforms.map((each) => each.target).join(", ")}`);
  process.exit(2);
}

const manifest = readFileSync(join(root, "Cargo.toml"), "utf8");
const version = /^version = "([^"]+)"/m.exec(manifest)[1];
// npm compares the address with that of the workflow that publishes.
const repository = { type: "git", url: `git+${/^repository = "([^"]+)"/m.exec(manifest)[1]}.git` };
const common = { version, license: "MIT OR Apache-2.0", repository, description: "A local search engine for everything a repository knows" };
const write = (folder, name, content) => writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, null, 2) + "\n");

/** Makes a folder for a package, with the licences. */
function folderOf(name) {
  const folder = join(out, name.replace("/", "-").replace("@", ""));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const licence of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(join(root, licence), join(folder, licence));
  return folder;
}

const made = platforms.filter((each) => programs.has(each.target));
for (const each of made) {
  const folder = folderOf(each.package);
  const system = { os: [each.os], cpu: [each.cpu], ...(each.libc && { libc: [each.libc] }) };
  write(folder, "package.json", { name: each.package, ...common, ...system, files: [each.program], preferUnplugged: true });
  write(folder, "README.md", `# ${each.package}\n\nThe program of [lorehound](https://www.npmjs.com/package/lorehound) for ${each.target}.\n`);
  copyFileSync(programs.get(each.target), join(folder, each.program));
  chmodSync(join(folder, each.program), 0o755);
}

const folder = folderOf("lorehound");
write(folder, "package.json", {
  name: "lorehound",
  ...common,
  bin: { lore: "lore.js", lorehound: "lore.js" },
  files: ["lore.js", "platforms.json"],
  engines: { node: ">=18" },
  optionalDependencies: Object.fromEntries(made.map((each) => [each.package, version])),
});
write(folder, "README.md", "# lorehound\n\n```sh\nnpx lorehound \"how is a refund retried?\"\n```\n\nSearches the repository that you are in: code, docs, specs, tickets and commits. Nothing is downloaded at run time.\n");
copyFileSync(join(here, "launcher/lore.js"), join(folder, "lore.js"));
copyFileSync(join(here, "platforms.json"), join(folder, "platforms.json"));
chmodSync(join(folder, "lore.js"), 0o755);
console.log(`${out}: lorehound ${version} for ${made.map((each) => each.target).join(", ")}`);
