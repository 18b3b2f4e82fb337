/** The language server `lore lsp`. */

import * as vscode from "vscode";
import {
  type DynamicFeature,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type ServerOptions,
  State,
  type StaticFeature,
} from "vscode-languageclient/node";

import { Cancelled } from "./commandLine";

/** Requests that a server answers for the editor, and that other extensions may answer better. */
const EDITOR_REQUESTS: ReadonlySet<string> = new Set([
  "textDocument/definition",
  "textDocument/references",
  "textDocument/implementation",
  "textDocument/hover",
  "textDocument/documentSymbol",
  "textDocument/codeLens",
  "textDocument/prepareCallHierarchy",
  "workspace/symbol",
]);

/**
 * Returns a client without some features. The class is made for each mode, because the features
 * are registered by the constructor of its base class.
 */
function createClient(
  hasEditorRequests: boolean,
  server: ServerOptions,
  options: LanguageClientOptions,
): LanguageClient {
  class Client extends LanguageClient {
    /** Errors are logged: questions have another way, and report their own errors. */
    override error(message: string, data?: unknown): void {
      super.error(message, data, false);
    }

    override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
      const method = "registrationType" in feature ? feature.registrationType.method : "";
      // The commands of the server would be commands of the editor, beside those of this extension.
      if (method === "workspace/executeCommand") {
        return;
      }
      if (hasEditorRequests || !EDITOR_REQUESTS.has(method)) {
        super.registerFeature(feature);
      }
    }
  }
  return new Client("lorehound", "Lorehound", server, options);
}

export class Server {
  private client: LanguageClient | undefined;
  private starting: Promise<boolean> | undefined;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /**
   * Starts the server, unless it runs. Returns false if it does not answer. A failure is logged once, and
   * the next start is after `stop`.
   */
  async start(program: string, mode: "questions" | "all"): Promise<boolean> {
    this.starting ??= this.launch(program, mode);
    return (await this.starting) && this.client?.state === State.Running;
  }

  private async launch(program: string, mode: "questions" | "all"): Promise<boolean> {
    const server: ServerOptions = { command: program, args: ["lsp"] };
    try {
      this.client = createClient(mode === "all", server, {
        documentSelector: [{ scheme: "file" }],
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        initializationFailedHandler: () => false,
      });
      await this.client.start();
      return true;
    } catch (error) {
      this.log.error(`\`${program} lsp\` could not start; questions use the command line: ${String(error)}`);
      return false;
    }
  }

  async stop(): Promise<void> {
    await this.starting;
    const client = this.client;
    this.client = undefined;
    this.starting = undefined;
    if (client?.state === State.Running) {
      await client.stop().catch((error: unknown) => this.log.error(String(error)));
    }
  }

  /** Sends a question for all folders. */
  async ask(question: string, limit: number, signal: AbortSignal): Promise<unknown> {
    const client = this.client;
    if (client === undefined) {
      throw new Cancelled();
    }
    const source = new vscode.CancellationTokenSource();
    const cancel = (): void => source.cancel();
    signal.addEventListener("abort", cancel);
    try {
      const parameters = { command: "lorehound.ask", arguments: [{ question, limit }] };
      return await client.sendRequest<unknown>("workspace/executeCommand", parameters, source.token);
    } finally {
      signal.removeEventListener("abort", cancel);
      source.dispose();
    }
  }
}
