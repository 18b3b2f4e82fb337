/** Sends questions to the language server, or runs the command line. */

import * as path from "node:path";
import * as vscode from "vscode";

import { type Answer, join, ofPlaces, ofSearch, ofWhy } from "./answers";
import {
  LoreError,
  type Settings,
  passage,
  relatedArguments,
  run,
  searchArguments,
  whyArguments,
} from "./commandLine";
import type { Server } from "./server";

export type ServerMode = "questions" | "all" | "off";

/** Reads the settings. */
export function settings(): Settings & { readonly lsp: ServerMode } {
  const values = vscode.workspace.getConfiguration("lorehound");
  return {
    path: values.get<string>("path")?.trim() || "lore",
    arguments: values.get<string[]>("arguments") ?? [],
    limit: values.get<number>("limit") ?? 30,
    lsp: values.get<ServerMode>("lsp") ?? "questions",
  };
}

/** Folders on this machine that are open. */
export function folders(): string[] {
  const open = vscode.workspace.workspaceFolders ?? [];
  return open.filter((folder) => folder.uri.scheme === "file").map((folder) => folder.uri.fsPath);
}

export class Searcher {
  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Searches all open folders for a question. */
  async ask(question: string, signal: AbortSignal): Promise<Answer> {
    const current = settings();
    const roots = folders();
    if (roots.length === 0) {
      throw new LoreError("no folder is open", "open the folder of a repository");
    }
    const started = Date.now();
    const mode = current.arguments.length === 0 ? current.lsp : "off";
    const isServed = mode !== "off" && (await this.server.start(current.path, mode));
    const answer = isServed
      ? ofPlaces(await this.server.ask(question, current.limit, signal), roots)
      : await this.run(roots, current, question, signal);
    const way = isServed ? "lore lsp" : "command line";
    this.log.info(`${way}: ${answer.hits.length} results in ${Date.now() - started} ms for: ${question}`);
    return answer;
  }

  private async run(
    roots: readonly string[],
    current: Settings,
    question: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    const words = searchArguments(current, question);
    const answers = roots.map(async (root) => ofSearch(await run(current.path, words, root, signal)));
    return join(await Promise.all(answers));
  }

  /** Lists passages similar to lines of a file. */
  async related(file: string, first: number, last: number, signal: AbortSignal): Promise<Answer> {
    const current = settings();
    const { root, subject } = this.subject(file, first, last);
    return ofSearch(await run(current.path, relatedArguments(current, subject), root, signal));
  }

  /** Lists the commits, specs, documents and tests behind lines of a file. */
  async why(file: string, first: number, last: number, signal: AbortSignal): Promise<Answer> {
    const { root, subject } = this.subject(file, first, last);
    return ofWhy(await run(settings().path, whyArguments(subject), root, signal));
  }

  private subject(file: string, first: number, last: number): { root: string; subject: string } {
    const root = folders().find((folder) => file.startsWith(folder + path.sep)) ?? path.dirname(file);
    return { root, subject: passage(path.relative(root, file), first, last) };
  }
}
