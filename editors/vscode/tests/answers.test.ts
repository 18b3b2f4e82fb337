import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { join, ofPlaces, ofSearch, ofWhy } from "../src/answers";

const root = path.resolve("/shop");

test("a result leads to its first match inside the definition", () => {
  const answer = ofSearch({
    receipt: { root },
    warnings: ["a warning"],
    absence: null,
    results: [
      {
        id: "code:src/refund.rs#retry_refund",
        title: "retry_refund",
        kind: "method",
        path: "src/refund.rs",
        startLine: 35,
        endLine: 47,
        snippet: "\n    /// Retries.\n    fn retry_refund()",
        snippetStartLine: 33,
        matches: [
          { text: "    self.retry_refund()", lineNumber: 32 },
          { text: "    fn retry_refund()", lineNumber: 37 },
        ],
      },
    ],
  });
  assert.deepEqual(answer.notes, ["a warning"]);
  assert.deepEqual(answer.hits, [
    {
      id: "code:src/refund.rs#retry_refund",
      title: "retry_refund",
      kind: "method",
      place: "src/refund.rs:37",
      detail: "self.retry_refund()",
      text: "\n    /// Retries.\n    fn retry_refund()",
      file: path.join(root, "src/refund.rs"),
      root,
      line: 37,
      first: 35,
      last: 47,
    },
  ]);
});

test("a long passage is marked at its line only", () => {
  const results = [{ id: "a", title: "A", path: "a.rs", startLine: 1, endLine: 400, matches: [{ lineNumber: 90 }] }];
  const [hit] = ofSearch({ receipt: { root }, results }).hits;
  assert.deepEqual([hit?.line, hit?.first, hit?.last], [90, 90, 90]);
});

test("a commit has no file", () => {
  const results = [{ id: "git:479561e2f0a1", title: "ledger: add a fee", kind: "commit", path: null, snippet: "Text" }];
  const [hit] = ofSearch({ receipt: { root }, results }).hits;
  assert.equal(hit?.file, undefined);
  assert.equal(hit?.commit, "479561e2f0a1");
  assert.equal(hit?.place, "479561e2f0");
  assert.equal(hit?.root, root);
});

test("an answer without results has its reasons as notes", () => {
  const answer = ofSearch({ results: [], warnings: [], absence: { reasons: ["no document contains `zzz`"] } });
  assert.deepEqual(answer, { hits: [], notes: ["no document contains `zzz`"] });
});

test("values of another shape give no results", () => {
  for (const value of [null, 3, "text", [], { results: 3 }, { results: [null, 7] }, { places: "x" }]) {
    assert.deepEqual(ofPlaces(value, [root]).hits, []);
    for (const hit of [...ofSearch(value).hits, ...ofWhy(value).hits]) {
      assert.equal(hit.file, undefined);
      assert.equal(hit.line, 1);
    }
  }
});

test("a place of the server leads to the line with its name", () => {
  const file = path.join(root, "src", "ledger.lua");
  const range = { start: { line: 4, character: 0 }, end: { line: 9, character: 0 } };
  const text = "  return amount\nend\n\n-- Retries.\nfunction M.retry_refund(bank)";
  const places = [
    { location: { uri: pathToFileURL(file).href, range }, id: "code:x", title: "retry_refund", kind: "method", text },
    { location: null, id: "git:0bc77358aa12", title: "ledger: add a fee", kind: "commit", text: "" },
  ];
  const { hits, notes } = ofPlaces({ places, notes: ["a note"] }, [path.resolve("/other"), root]);
  assert.deepEqual(notes, ["a note"]);
  assert.equal(hits[0]?.file, file);
  assert.equal(hits[0]?.place, "src/ledger.lua:9");
  assert.equal(hits[0]?.detail, "function M.retry_refund(bank)");
  assert.deepEqual([hits[0]?.line, hits[0]?.first, hits[0]?.last], [9, 5, 9]);
  assert.equal(hits[1]?.commit, "0bc77358aa12");
});

test("a call above a definition is not its line", () => {
  const range = { start: { line: 31, character: 0 }, end: { line: 36, character: 0 } };
  const location = { uri: pathToFileURL(path.join(root, "a.rs")).href, range };
  const text = "        self.retry(payment)\n    }\n\n    /// Tries again.\n    fn retry(&self)";
  const [hit] = ofPlaces({ places: [{ location, id: "code:a", title: "retry", kind: "method", text }] }, [root]).hits;
  assert.equal(hit?.line, 36);
});

test("a place in prose leads to its first line below the heading", () => {
  const range = { start: { line: 15, character: 0 }, end: { line: 18, character: 0 } };
  const location = { uri: pathToFileURL(path.join(root, "a.md")).href, range };
  const places = [{ location, id: "docs:a", title: "Retries", kind: "page", text: "## Retries\n\nA refund is retried." }];
  const [hit] = ofPlaces({ places }, [root]).hits;
  assert.equal(hit?.line, 18);
  assert.equal(hit?.detail, "A refund is retried.");
});

test("the reasons of a line have their evidence", () => {
  const hops = [
    { kind: "commit", id: "git:646b0e2ade", title: "refund: one key", path: null, line: null, evidence: "wrote these lines", quote: "Q" },
    { kind: "spec", id: "specs:s", title: "refunds", path: "spec.md", line: null, evidence: "governs", quote: "" },
  ];
  const { hits } = ofWhy({ receipt: { root }, hops, warnings: [] });
  assert.deepEqual(
    hits.map((hit) => [hit.place, hit.detail, hit.commit]),
    [
      ["646b0e2ade", "wrote these lines", "646b0e2ade"],
      ["spec.md:1", "governs", undefined],
    ],
  );
});

test("the answers of folders are joined, and equal notes are shown once", () => {
  const part = (title: string) => ofSearch({ results: [{ id: title, title }], warnings: ["same"] });
  const answer = join([part("a"), part("b")]);
  assert.deepEqual([answer.hits.map((hit) => hit.title), answer.notes], [["a", "b"], ["same"]]);
});
