// Bundles the extension, or its tests: `node esbuild.mjs tests`.

import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

const common = { bundle: true, platform: "node", target: "node20", format: "cjs", logLevel: "warning" };

/** Writes the licences of the bundled packages, as they require. */
async function writeLicences(inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) {
      folders.add(found[1]);
    }
  }
  const parts = [];
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(path.join(folder, file), "utf8") : "";
    parts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  await writeFile("dist/licences.txt", parts.join(`\n${"-".repeat(78)}\n\n`));
}

if (process.argv[2] === "tests") {
  const tests = (await readdir("tests")).filter((file) => file.endsWith(".test.ts"));
  const entryPoints = tests.map((file) => path.join("tests", file));
  // Outside of an editor, there are no modules of it.
  const alias = { vscode: "./tests/stubs/vscode.ts", "vscode-languageclient/node": "./tests/stubs/client.ts" };
  await build({ ...common, entryPoints, alias, outdir: "dist/tests", sourcemap: "inline" });
} else {
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: true,
    metafile: true,
  });
  await writeLicences(Object.keys(metafile.inputs));
}
