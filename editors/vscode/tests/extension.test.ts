import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { after, before, test } from "node:test";

import { activate } from "../src/extension";
import * as editor from "./stubs/vscode";
import { createTree, removeTree } from "./tree";

const lore = process.env["LORE"];
const skip = lore === undefined ? "NOT CHECKED: the variable LORE names no program" : false;
const context = { subscriptions: [] as { dispose(): void }[] };
let tree = "";

before(() => {
  tree = createTree();
  editor.folders.push(tree);
  Object.assign(editor.values, { path: lore ?? "lore", arguments: [], limit: 10, lsp: "questions" });
  activate(context as never);
});

after(() => {
  for (const part of context.subscriptions) {
    part.dispose();
  }
  removeTree(tree);
});

/** Waits until a condition holds. */
async function until(condition: () => boolean, text: string): Promise<void> {
  const end = Date.now() + 60_000;
  while (!condition()) {
    assert.ok(Date.now() < end, `timeout: ${text}`);
    await pause(10);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Starts the command, and returns its quick pick. */
function ask(): { pick: editor.QuickPick; closed: Promise<unknown> } {
  const closed = Promise.resolve(editor.registered.get("lorehound.ask")?.());
  const pick = editor.picks.at(-1);
  assert.ok(pick);
  return { pick, closed };
}

function lastShown(): (typeof editor.shown)[number] {
  const last = editor.shown.at(-1);
  assert.ok(last, "nothing was shown");
  return last;
}

test("every command of the manifest is registered", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    contributes: { commands: { command: string }[] };
  };
  const names = manifest.contributes.commands.map(({ command }) => command).sort();
  assert.deepEqual([...editor.registered.keys()].sort(), names);
});

test("without a server, the command line answers; the active result is previewed, and Enter opens it", { skip }, async () => {
  const { pick, closed } = ask();
  pick.type("add_");
  pick.type("add_fee");
  await until(() => pick.items.length > 0 && !pick.busy, "no results");
  const [first] = pick.items;
  assert.match(first?.label ?? "", /add_fee$/);
  assert.equal(first?.description, "src/ledger.py:1");
  pick.activate(first ?? assert.fail());
  await until(() => editor.shown.length > 0, "no preview");
  const file = path.join(tree, "src", "ledger.py");
  assert.deepEqual([lastShown().file, lastShown().line], [file, 1]);
  assert.equal(lastShown().options["preview"], true);
  assert.equal(lastShown().options["preserveFocus"], true);
  pick.accept();
  await closed;
  await until(() => lastShown().options["preview"] === false, "Enter opens nothing");
  assert.equal(lastShown().file, file);
  const kept = editor.rows?.() as { title: string }[];
  assert.equal(kept[0]?.title, "add_fee");
});

test("a question that was changed shows only the later answer", { skip }, async () => {
  // A program that is slow for one question.
  const slow = path.join(tree, "slow");
  const wait = 'case "$*" in *add_tax*) sleep 2;; esac';
  writeFileSync(slow, `#!/bin/sh\n${wait}\nexec "$LORE" "$@"\n`, { mode: 0o755 });
  editor.values["path"] = slow;
  const { pick, closed } = ask();
  const answers: string[] = [];
  let items = pick.items;
  Object.defineProperty(pick, "items", {
    get: () => items,
    set: (next: typeof items) => {
      items = next;
      answers.push(next[0]?.label ?? "");
    },
  });
  pick.type("add_tax");
  // Longer than the pause before a search, so that the first one has started.
  await pause(500);
  pick.type("add_fee");
  await until(() => answers.some((label) => label.endsWith("add_fee")), "no answer");
  await pause(2500);
  assert.deepEqual(
    answers.filter((label) => label.endsWith("add_tax")),
    [],
  );
  pick.hide();
  await closed;
  editor.values["path"] = lore ?? "lore";
});

test("an error of a question is a row with its hint", { skip }, async () => {
  editor.values["arguments"] = ["--path", "src/["];
  const { pick, closed } = ask();
  pick.type("fee");
  await until(() => (pick.items[0]?.label ?? "").includes("could not understand the glob"), "no error");
  assert.notEqual(pick.items[0]?.detail, "");
  assert.equal(pick.isShown, true);
  pick.hide();
  await closed;
  editor.values["arguments"] = [];
});

test("a missing program is reported with a button for the settings", async () => {
  editor.values["path"] = "/no/such/lore";
  editor.answers.push("Open settings");
  const { pick, closed } = ask();
  pick.type("fee");
  await until(() => editor.errors.length > 0, "no error");
  await closed;
  assert.match(editor.errors[0]?.message ?? "", /could not start `\/no\/such\/lore`.*install Lorehound/);
  assert.deepEqual(editor.errors[0]?.buttons, ["Open settings"]);
  await until(() => editor.executed.length > 0, "no settings");
  assert.deepEqual(editor.executed[0], ["workbench.action.openSettings", { query: "lorehound.path" }]);
  editor.values["path"] = lore ?? "lore";
});

test("similar passages and reasons are listed in the side bar", { skip }, async () => {
  const uri = editor.Uri.file(path.join(tree, "src", "ledger.py"));
  const start = new editor.Position(0, 0);
  const selection = { start, end: start, isEmpty: true };
  editor.window.activeTextEditor = { document: { uri, isDirty: false }, selection };
  await editor.registered.get("lorehound.related")?.();
  assert.equal((editor.rows?.()[0] as { title: string }).title, "add_tax");
  await editor.registered.get("lorehound.why")?.();
  assert.equal((editor.rows?.()[0] as { title: string }).title, "ledger: add a fee");
  editor.window.activeTextEditor = undefined;
});
