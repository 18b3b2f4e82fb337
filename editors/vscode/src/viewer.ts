/** Opens hits: files with their lines marked, and commits as git shows them. */

import * as vscode from "vscode";

import type { Hit } from "./answers";
import { execute } from "./commandLine";

/** Scheme of the documents of commits and of other texts without a file. */
export const SCHEME = "lorehound";

export interface Way {
  readonly isPreview: boolean;
  readonly isBeside?: boolean;
  readonly keepsFocus?: boolean;
}

export class Viewer implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
  });
  /** The hits whose texts are documents. */
  private readonly texts = new Map<string, Hit>();

  dispose(): void {
    this.mark.dispose();
  }

  /** Shows a hit. */
  async open(hit: Hit, way: Way): Promise<void> {
    const isFile = hit.file !== undefined;
    const uri = isFile ? vscode.Uri.file(hit.file) : this.textUri(hit);
    const document = await vscode.workspace.openTextDocument(uri);
    const last = document.lineCount - 1;
    const line = Math.min(hit.line - 1, last);
    const start = new vscode.Position(line, document.lineAt(line).firstNonWhitespaceCharacterIndex);
    const editor = await vscode.window.showTextDocument(document, {
      preview: way.isPreview,
      preserveFocus: way.keepsFocus ?? false,
      viewColumn: way.isBeside === true ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
      selection: new vscode.Range(start, start),
    });
    editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    if (isFile && way.isPreview) {
      const first = Math.min(hit.first - 1, last);
      editor.setDecorations(this.mark, [new vscode.Range(first, 0, Math.min(hit.last - 1, last), 0)]);
    }
  }

  /** Removes the marks of a preview. */
  clear(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(this.mark, []);
    }
  }

  private textUri(hit: Hit): vscode.Uri {
    // The extension selects the colours of the text.
    const name = hit.commit === undefined ? `${hit.title}.txt` : `${hit.place}.diff`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: hit.id });
    this.texts.set(uri.toString(), hit);
    return uri;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const hit = this.texts.get(uri.toString());
    if (hit?.commit === undefined) {
      return hit?.text ?? "";
    }
    const words = ["show", "--no-color", "--stat", "--patch", hit.commit];
    const never = new AbortController().signal;
    try {
      const { code, output } = await execute("git", words, hit.root, never);
      return code === 0 ? output : hit.text;
    } catch {
      // Without git, the text of the answer is shown.
      return hit.text;
    }
  }
}
