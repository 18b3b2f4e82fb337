import assert from "node:assert/strict";
import * as path from "node:path";
import { after, before, test } from "node:test";

import { ofSearch, ofWhy } from "../src/answers";
import {
  Cancelled,
  LoreError,
  explain,
  passage,
  relatedArguments,
  run,
  searchArguments,
  whyArguments,
} from "../src/commandLine";
import { createTree, removeTree } from "./tree";

const settings = { path: "lore", arguments: ["--in", "code"], limit: 7 };
const never = new AbortController().signal;

test("a question is not read as an option", () => {
  assert.deepEqual(searchArguments(settings, "--help"), [
    "search", "--json", "--limit", "7", "--in", "code", "--", "--help",
  ]);
  assert.deepEqual(relatedArguments(settings, "a.rs:3"), ["related", "--json", "--limit", "7", "--", "a.rs:3"]);
  assert.deepEqual(whyArguments("-a.rs:3"), ["why", "--json", "--", "-a.rs:3"]);
  assert.equal(passage("a.rs", 3, 3), "a.rs:3");
  assert.equal(passage("a.rs", 3, 9), "a.rs:3-9");
});

test("an error has a message and a hint", () => {
  assert.deepEqual(explain("lore: the query is empty\n\nhint: type words\n"), {
    message: "the query is empty",
    hint: "type words",
  });
  assert.deepEqual(explain(""), { message: "", hint: undefined });
});

test("a missing program is recognised", async () => {
  await assert.rejects(run("/no/such/lore", [], ".", never), (error: unknown) => {
    assert.ok(error instanceof LoreError);
    assert.equal(error.isMissing, true);
    assert.match(error.message, /could not start `\/no\/such\/lore`/);
    return true;
  });
});

test("a cancelled search ends its program", async () => {
  const controller = new AbortController();
  const started = Date.now();
  const running = run(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], ".", controller.signal);
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(running, Cancelled);
  assert.ok(Date.now() - started < 30_000);
});

test("a program that writes no answer is an error", async () => {
  await assert.rejects(run(process.execPath, ["-e", "console.log('no JSON')"], ".", never), /without an answer/);
});

const lore = process.env["LORE"];
const skip = lore === undefined ? "NOT CHECKED: the variable LORE names no program" : false;
let tree = "";

before(() => {
  tree = createTree();
});

after(() => removeTree(tree));

test("the real program answers a question", { skip }, async () => {
  const own = { ...settings, arguments: [] };
  const { hits } = ofSearch(await run(lore ?? "", searchArguments(own, "add_fee"), tree, never));
  assert.equal(hits[0]?.place, "src/ledger.py:1");
  assert.equal(hits[0]?.file, path.join(tree, "src", "ledger.py"));
  assert.equal(hits[0]?.title, "add_fee");
});

test("the real program finds similar passages and reasons", { skip }, async () => {
  const related = ofSearch(await run(lore ?? "", relatedArguments(settings, passage("src/ledger.py", 1, 1)), tree, never));
  assert.equal(related.hits[0]?.title, "add_tax");
  const why = ofWhy(await run(lore ?? "", whyArguments(passage("src/ledger.py", 1, 1)), tree, never));
  assert.equal(why.hits[0]?.title, "ledger: add a fee");
  assert.match(why.hits[0]?.commit ?? "", /^[0-9a-f]{10,}$/);
});

test("the real program gives its reasons when there are no results", { skip }, async () => {
  const answer = ofSearch(await run(lore ?? "", searchArguments(settings, '"zzz qqq"'), tree, never));
  assert.deepEqual(answer.hits, []);
  assert.notEqual(answer.notes.length, 0);
});

test("an error of the real program has its hint", { skip }, async () => {
  const wrong = { ...settings, arguments: ["--path", "src/["] };
  await assert.rejects(run(lore ?? "", searchArguments(wrong, "fee"), tree, never), (error: unknown) => {
    assert.ok(error instanceof LoreError);
    assert.match(error.message, /could not understand the glob/);
    assert.notEqual(error.hint, undefined);
    return true;
  });
});
