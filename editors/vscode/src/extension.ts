/** The extension: its commands, and the server while it is active. */

import * as vscode from "vscode";

import type { Answer, Hit } from "./answers";
import { ask } from "./ask";
import { LoreError } from "./commandLine";
import { Latest } from "./latest";
import { Results } from "./results";
import { SCHEME, Viewer } from "./viewer";
import { Searcher, folders, settings } from "./searcher";
import { Server } from "./server";

/** Hint for a missing program. */
const MISSING_HINT = "install Lorehound, or name the program in the setting `lorehound.path`";

async function report(error: unknown, log: vscode.LogOutputChannel): Promise<void> {
  const failure = error instanceof Error ? error : new Error(String(error));
  log.error(failure.stack ?? failure.message);
  const isMissing = failure instanceof LoreError && failure.isMissing;
  const hint = failure instanceof LoreError ? (failure.hint ?? (isMissing ? MISSING_HINT : undefined)) : undefined;
  const message = hint === undefined ? failure.message : `${failure.message} – ${hint}`;
  const button = isMissing ? "Open settings" : "Show log";
  const chosen = await vscode.window.showErrorMessage(`Lorehound: ${message}`, button);
  if (chosen === "Open settings") {
    // The program is on the machine with the files.
    const where = vscode.env.remoteName === undefined ? "openSettings" : "openRemoteSettings";
    await vscode.commands.executeCommand(`workbench.action.${where}`, { query: "lorehound.path" });
  } else if (chosen === "Show log") {
    log.show();
  }
}

/** The file and lines of the selection, from 1. */
function subject(): { file: string; first: number; last: number } {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file") {
    throw new LoreError("there is no file in the editor", "open a file of the repository");
  }
  if (editor.document.isDirty) {
    void vscode.window.setStatusBarMessage("Lorehound reads the file as it was saved", 5000);
  }
  const { start, end, isEmpty } = editor.selection;
  // A selection of whole lines ends at the start of the next line.
  const last = !isEmpty && end.character === 0 ? end.line : end.line + 1;
  return { file: editor.document.uri.fsPath, first: start.line + 1, last };
}

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Lorehound", { log: true });
  const server = new Server(log);
  const viewer = new Viewer();
  const results = new Results();
  const searcher = new Searcher(server, log);
  const latest = new Latest();
  const fail = (error: unknown): void => void report(error, log);
  let lastQuestion = "";

  const startServer = (): void => {
    const { path, lsp } = settings();
    // Otherwise the first question starts it.
    if (lsp === "all" && folders().length > 0) {
      void server.start(path, lsp);
    }
  };
  const list = async (title: string, search: (signal: AbortSignal) => Promise<Answer>): Promise<void> => {
    try {
      const options = { location: { viewId: "lorehound.results" } };
      const answer = await vscode.window.withProgress(options, () => latest.run(search));
      if (answer !== undefined) {
        results.set(title, answer);
        await results.reveal();
      }
    } catch (error) {
      fail(error);
    }
  };
  const about = async (title: string, how: "related" | "why"): Promise<void> => {
    try {
      const { file, first, last } = subject();
      const shown = `${title} ${vscode.workspace.asRelativePath(file)}:${first}`;
      await list(shown, (signal) => searcher[how](file, first, last, signal));
    } catch (error) {
      fail(error);
    }
  };

  const command = (name: string, run: (...words: never[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`lorehound.${name}`, run);
  context.subscriptions.push(
    log,
    viewer,
    results,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, viewer),
    command("ask", async (question?: unknown) => {
      await ask(
        {
          ask: (text, signal) => searcher.ask(text, signal),
          viewer,
          keep: (text, answer) => {
            lastQuestion = text;
            results.set(text, answer);
          },
          showView: () => results.reveal().catch(fail),
          fail,
        },
        typeof question === "string" ? question : lastQuestion,
      );
    }),
    command("related", () => about("related to", "related")),
    command("why", () => about("why", "why")),
    command("open", (hit: Hit) => viewer.open(hit, { isPreview: true }).catch(fail)),
    command("openToSide", (hit: Hit) => viewer.open(hit, { isPreview: false, isBeside: true }).catch(fail)),
    command("clear", () => results.clear()),
    command("showLog", () => log.show()),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("lorehound.path") || event.affectsConfiguration("lorehound.lsp")) {
        await server.stop();
        startServer();
      }
    }),
    { dispose: () => void server.stop() },
  );
  startServer();
}
