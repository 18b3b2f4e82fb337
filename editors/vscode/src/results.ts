/** The view in the side bar: the results of the last question. */

import * as path from "node:path";
import * as vscode from "vscode";

import type { Answer, Hit } from "./answers";

/** Icons of kinds. */
const ICONS: Readonly<Record<string, string>> = {
  function: "symbol-function",
  method: "symbol-method",
  class: "symbol-class",
  struct: "symbol-structure",
  interface: "symbol-interface",
  trait: "symbol-interface",
  enum: "symbol-enum",
  module: "symbol-namespace",
  constant: "symbol-constant",
  variable: "symbol-variable",
  field: "symbol-field",
  commit: "git-commit",
  ticket: "tasklist",
  spec: "checklist",
  decision: "law",
  test: "beaker",
  section: "book",
  page: "book",
  "pull-request": "git-pull-request",
};

/** Returns the name of the icon of a hit. */
export function iconOf(hit: Hit): string {
  const isProse = [".md", ".txt", ".rst", ".adoc"].includes(path.extname(hit.file ?? ""));
  return ICONS[hit.kind] ?? (isProse ? "book" : "file");
}

type Row = Hit | string;

export class Results implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  private rows: Row[] = [];

  constructor() {
    this.view = vscode.window.createTreeView<Row>("lorehound.results", { treeDataProvider: this });
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  /** Replaces the results. */
  set(title: string, answer: Answer): void {
    const empty = answer.hits.length === 0 ? ["No results"] : [];
    this.rows = [...answer.hits, ...empty, ...answer.notes];
    this.view.message = title;
    this.changed.fire();
  }

  clear(): void {
    this.rows = [];
    this.view.message = "";
    this.changed.fire();
  }

  /** Shows the view, and its first result. */
  async reveal(): Promise<void> {
    await vscode.commands.executeCommand("lorehound.results.focus");
    const first = this.rows[0];
    if (first !== undefined) {
      await this.view.reveal(first, { select: false, focus: true });
    }
  }

  getParent(): undefined {
    return undefined;
  }

  getChildren(row?: Row): Row[] {
    return row === undefined ? this.rows : [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (typeof row === "string") {
      const note = new vscode.TreeItem(row);
      note.iconPath = new vscode.ThemeIcon("info");
      note.tooltip = row;
      return note;
    }
    const item = new vscode.TreeItem(row.title);
    item.description = row.place;
    item.tooltip = new vscode.MarkdownString().appendText(row.place).appendCodeblock(row.text || row.detail);
    item.iconPath = new vscode.ThemeIcon(iconOf(row));
    item.contextValue = "hit";
    item.command = { command: "lorehound.open", title: "Open", arguments: [row] };
    return item;
  }
}
