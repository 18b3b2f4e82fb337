/** Answers of `lore` as places of a list. Nothing here uses the editor. */

import { fileURLToPath } from "node:url";
import * as path from "node:path";

/** A place that answers. */
export interface Hit {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  /** Path and line from the root, or the start of the id of a commit. */
  readonly place: string;
  /** Line of the text that is shown below the title. */
  readonly detail: string;
  /** Text of the passage, for a place without a file. */
  readonly text: string;
  /** The file: an absolute path. */
  readonly file?: string;
  /** Root of the tree. */
  readonly root: string;
  /** Id of a commit. */
  readonly commit?: string;
  /** Lines, from 1: the one to go to, and the first and last of the passage. */
  readonly line: number;
  readonly first: number;
  readonly last: number;
}

export interface Answer {
  readonly hits: Hit[];
  /** Reasons for an empty or uncertain answer, and warnings. */
  readonly notes: string[];
}

/** Longer passages, such as a whole class, are marked at their line only. */
const MAX_MARKED = 40;

type Json = Record<string, unknown>;

function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): string[] {
  return list(value).filter((item): item is string => typeof item === "string");
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns true for a line that says little by itself: an empty one, or a heading. */
function isBare(line: string): boolean {
  return line.trim() === "" || /^\s*#+ /.test(line);
}

/** Returns the first line with text that is no heading, without its indentation. */
function firstLine(passage: string): string {
  const lines = passage.split("\n");
  const found = lines.find((line) => !isBare(line)) ?? lines.find((line) => line.trim() !== "");
  return found?.trim() ?? "";
}

interface Parts {
  id: string;
  title: string;
  kind: string;
  detail: string;
  text: string;
  line?: number | undefined;
  first?: number | undefined;
  last?: number | undefined;
}

function hit(parts: Parts, root: string, relative: string, file?: string): Hit {
  const { id, kind, detail, text: passage } = parts;
  const title = parts.title || id;
  if (relative === "") {
    const commit = /^git:([0-9a-f]+)$/.exec(id)?.[1];
    const place = commit?.slice(0, 10) ?? kind;
    const base = { id, title, kind, place, detail, text: passage, root, line: 1, first: 1, last: 1 };
    return commit === undefined ? base : { ...base, commit };
  }
  const line = Math.max(1, parts.line ?? 1);
  let first = Math.max(1, parts.first ?? line);
  let last = Math.max(first, parts.last ?? first);
  if (last - first >= MAX_MARKED) {
    first = line;
    last = line;
  }
  const place = `${relative}:${line}`;
  return { id, title, kind, place, detail, text: passage, file: file ?? path.join(root, relative), root, line, first, last };
}

/** Returns the line of a result to go to: its first match, or its start. */
function lineOf(result: Json): number | undefined {
  const start = number(result["startLine"]);
  const end = number(result["endLine"]);
  for (const match of list(result["matches"])) {
    const line = number(object(match)["lineNumber"]);
    if (line !== undefined && line >= (start ?? 1) && line <= (end ?? Infinity)) {
      return line;
    }
  }
  return start ?? number(result["snippetStartLine"]);
}

/** Reads an answer of `lore search --json` or `lore related --json`. */
export function ofSearch(value: unknown): Answer {
  const answer = object(value);
  const root = text(object(answer["receipt"])["root"]);
  const hits = list(answer["results"]).map((item) => {
    const result = object(item);
    const snippet = text(result["snippet"]);
    const match = text(object(list(result["matches"])[0])["text"]).trim();
    const parts = {
      id: text(result["id"]),
      title: text(result["title"]),
      kind: text(result["kind"]),
      detail: match || firstLine(snippet),
      text: snippet,
      line: lineOf(result),
      first: number(result["startLine"]),
      last: number(result["endLine"]),
    };
    return hit(parts, root, text(result["path"]));
  });
  return { hits, notes: [...texts(answer["warnings"]), ...texts(object(answer["absence"])["reasons"])] };
}

/**
 * Returns the position of the line that answers, from 0: the first one with the name, or with text. The
 * lines that a server shows may start before the definition that they are about, with a call such as
 * `self.name()`.
 */
function offsetOf(name: string, passage: string): number {
  const lines = passage.split("\n");
  const isNamed = (line: string): boolean => name !== "" && !isBare(line) && line.includes(name);
  const choices = [
    lines.findIndex((line) => isNamed(line) && line.charAt(line.indexOf(name) - 1) !== "."),
    lines.findIndex(isNamed),
    lines.findIndex((line) => !isBare(line)),
  ];
  return choices.find((choice) => choice >= 0) ?? 0;
}

/** Reads the answer of the command `lorehound.ask` of `lore lsp`. */
export function ofPlaces(value: unknown, roots: readonly string[]): Answer {
  const answer = object(value);
  const hits = list(answer["places"]).map((item) => {
    const place = object(item);
    const passage = text(place["text"]);
    const title = text(place["title"]);
    const offset = offsetOf(title, passage);
    const answering = passage.split("\n")[offset]?.trim() ?? "";
    const parts = {
      id: text(place["id"]),
      title,
      kind: text(place["kind"]),
      detail: answering || firstLine(passage),
      text: passage,
    };
    const location = object(place["location"]);
    const uri = text(location["uri"]);
    if (!uri.startsWith("file:")) {
      return hit(parts, roots[0] ?? "", "");
    }
    const file = fileURLToPath(uri);
    const root = roots.find((folder) => file.startsWith(folder + path.sep)) ?? path.dirname(file);
    const range = object(location["range"]);
    const first = (number(object(range["start"])["line"]) ?? 0) + 1;
    const last = Math.max(first, number(object(range["end"])["line"]) ?? first);
    const line = Math.min(first + offset, last);
    const relative = path.relative(root, file).split(path.sep).join("/");
    return hit({ ...parts, line, first, last }, root, relative, file);
  });
  return { hits, notes: texts(answer["notes"]) };
}

/** Reads an answer of `lore why --json`. */
export function ofWhy(value: unknown): Answer {
  const answer = object(value);
  const root = text(object(answer["receipt"])["root"]);
  const hits = list(answer["hops"]).map((item) => {
    const hop = object(item);
    const parts = {
      id: text(hop["id"]),
      title: text(hop["title"]),
      kind: text(hop["kind"]),
      detail: text(hop["evidence"]),
      text: text(hop["quote"]),
      line: number(hop["line"]),
    };
    return hit(parts, root, text(hop["path"]));
  });
  return { hits, notes: texts(answer["warnings"]) };
}

/** Joins the answers of several folders. */
export function join(answers: readonly Answer[]): Answer {
  const notes = new Set(answers.flatMap((answer) => answer.notes));
  return { hits: answers.flatMap((answer) => answer.hits), notes: [...notes] };
}
