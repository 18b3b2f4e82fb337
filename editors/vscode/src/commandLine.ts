/** The command line of `lore`: its arguments, its output, and its errors. */

import { spawn } from "node:child_process";

export interface Settings {
  /** The program. */
  readonly path: string;
  /** Arguments for every question. */
  readonly arguments: readonly string[];
  /** Maximum number of results. */
  readonly limit: number;
}

/** An error with an instruction. */
export class LoreError extends Error {
  constructor(
    message: string,
    readonly hint: string | undefined = undefined,
    /** The program does not exist. */
    readonly isMissing: boolean = false,
  ) {
    super(message);
    this.name = "LoreError";
  }
}

/** The search was cancelled: a later one has started. */
export class Cancelled extends Error {}

/** Arguments of a question. */
export function searchArguments(settings: Settings, question: string): string[] {
  return ["search", "--json", "--limit", String(settings.limit), ...settings.arguments, "--", question];
}

/** A file with a line or lines, from 1, as `lore` takes them. */
export function passage(file: string, first: number, last: number): string {
  return first === last ? `${file}:${first}` : `${file}:${first}-${last}`;
}

/** Arguments of a search for similar passages. */
export function relatedArguments(settings: Settings, subject: string): string[] {
  return ["related", "--json", "--limit", String(settings.limit), "--", subject];
}

/** Arguments of the reasons of a line. */
export function whyArguments(subject: string): string[] {
  return ["why", "--json", "--", subject];
}

/** Splits what `lore` writes to standard error into its message and its hint. */
export function explain(errors: string): { message: string; hint: string | undefined } {
  const message: string[] = [];
  let hint: string | undefined;
  for (const line of errors.split(/\r?\n/)) {
    if (line.startsWith("hint: ")) {
      hint = line.slice("hint: ".length);
    } else if (hint === undefined && line !== "") {
      message.push(line.replace(/^lore: /, ""));
    }
  }
  return { message: message.join("\n"), hint };
}

/** Maximum size of an answer. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs a program, and returns its exit code and output. */
export function execute(
  program: string,
  words: readonly string[],
  folder: string,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new Cancelled());
      return;
    }
    const child = spawn(program, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], signal });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size > MAX_OUTPUT) {
        child.kill();
        reject(new LoreError(`the answer of \`${program}\` is too large`));
        return;
      }
      output.push(part);
    });
    child.stderr.on("data", (part: Buffer) => errors.push(part));
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (signal.aborted) {
        reject(new Cancelled());
      } else if (error.code === "ENOENT") {
        reject(new LoreError(`could not start \`${program}\`: there is no such program`, undefined, true));
      } else {
        reject(new LoreError(`could not start \`${program}\`: ${error.message}`, undefined, true));
      }
    });
    child.on("close", (code) => {
      const decode = (parts: Buffer[]) => Buffer.concat(parts).toString("utf8");
      resolve({ code, output: decode(output), errors: decode(errors) });
    });
  });
}

/** Runs `lore`, and returns its JSON. */
export async function run(
  program: string,
  words: readonly string[],
  folder: string,
  signal: AbortSignal,
): Promise<unknown> {
  const { code, output, errors } = await execute(program, words, folder, signal);
  if (signal.aborted) {
    throw new Cancelled();
  }
  // 1 is an answer without results.
  if (code === 0 || code === 1) {
    try {
      return JSON.parse(output);
    } catch {
      // The program wrote no answer; its error is reported below.
    }
  }
  const { message, hint } = explain(errors);
  throw new LoreError(message || `\`${program}\` ended with exit code ${code} and without an answer`, hint);
}
