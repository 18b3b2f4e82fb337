/** The parts of the editor that the extension uses, without an editor. Records what is shown. */

import { readFileSync } from "node:fs";

export const shown: { file: string; line: number; options: Record<string, unknown> }[] = [];
export const errors: { message: string; buttons: string[] }[] = [];
export const executed: unknown[][] = [];
export const registered = new Map<string, (...words: unknown[]) => unknown>();
export const picks: QuickPick[] = [];
export const values: Record<string, unknown> = {};
export const folders: string[] = [];
export let rows: (() => unknown[]) | undefined;
/** The button that the user chooses in the next error. */
export const answers: (string | undefined)[] = [];

const disposable = { dispose: (): void => undefined };

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
}

export class ThemeIcon {
  constructor(readonly id: string) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class TreeItem {
  constructor(readonly label: string) {}
}

export class MarkdownString {
  value = "";

  appendText(text: string): this {
    this.value += text;
    return this;
  }

  appendCodeblock(text: string): this {
    this.value += `\n${text}`;
    return this;
  }
}

export class EventEmitter<T> {
  private readonly listeners: ((value: T) => void)[] = [];
  readonly event = (listener: (value: T) => void) => {
    this.listeners.push(listener);
    return disposable;
  };

  fire(value: T): void {
    for (const listener of this.listeners) {
      listener(value);
    }
  }

  dispose(): void {
    this.listeners.length = 0;
  }
}

export const Uri = {
  file: (path: string) => ({ scheme: "file", fsPath: path, toString: () => `file://${path}` }),
  from: (parts: { scheme: string; path: string; query: string }) => ({
    ...parts,
    fsPath: parts.path,
    toString: () => `${parts.scheme}:${parts.path}?${parts.query}`,
  }),
};

export const ViewColumn = { Active: -1, Beside: -2 };
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 };

interface Item {
  label: string;
  description?: string;
  detail?: string;
}

export class QuickPick {
  items: Item[] = [];
  activeItems: Item[] = [];
  busy = false;
  value = "";
  isShown = false;
  private readonly events = new Map<string, EventEmitter<never>>();

  private on<T>(name: string): EventEmitter<T> {
    const found = this.events.get(name) ?? new EventEmitter<never>();
    this.events.set(name, found);
    return found as unknown as EventEmitter<T>;
  }

  readonly onDidChangeValue = this.on<string>("value").event;
  readonly onDidChangeActive = this.on<Item[]>("active").event;
  readonly onDidTriggerItemButton = this.on<{ item: Item }>("itemButton").event;
  readonly onDidTriggerButton = this.on<undefined>("button").event;
  readonly onDidAccept = this.on<undefined>("accept").event;
  readonly onDidHide = this.on<undefined>("hide").event;

  show(): void {
    this.isShown = true;
  }

  hide(): void {
    if (this.isShown) {
      this.isShown = false;
      this.on<undefined>("hide").fire(undefined);
    }
  }

  dispose(): void {
    this.isShown = false;
  }

  /** Types a text, as a user does. */
  type(text: string): void {
    this.value = text;
    this.on<string>("value").fire(text);
  }

  activate(item: Item): void {
    this.activeItems = [item];
    this.on<Item[]>("active").fire(this.activeItems);
  }

  accept(): void {
    this.on<undefined>("accept").fire(undefined);
  }
}

function open(uri: { scheme: string; fsPath: string }): unknown {
  const lines = uri.scheme === "file" ? readFileSync(uri.fsPath, "utf8").split("\n") : [""];
  return {
    uri,
    lineCount: lines.length,
    lineAt: (line: number) => ({ firstNonWhitespaceCharacterIndex: lines[line]?.search(/\S|$/) ?? 0 }),
  };
}

const log = { info: () => undefined, error: () => undefined, show: () => undefined, ...disposable };

export const window = {
  activeTextEditor: undefined as unknown,
  visibleTextEditors: [],
  tabGroups: { activeTabGroup: { activeTab: undefined } },
  createOutputChannel: () => log,
  createTextEditorDecorationType: () => disposable,
  createQuickPick: () => {
    const pick = new QuickPick();
    picks.push(pick);
    return pick;
  },
  createTreeView: (_name: string, options: { treeDataProvider: { getChildren: () => unknown[] } }) => {
    rows = () => options.treeDataProvider.getChildren();
    return { reveal: () => Promise.resolve(), message: "", ...disposable };
  },
  showTextDocument: (document: { uri: { fsPath: string } }, options: { selection: Range }) => {
    shown.push({ file: document.uri.fsPath, line: options.selection.start.line + 1, options: { ...options } });
    return Promise.resolve({ revealRange: () => undefined, setDecorations: () => undefined });
  },
  showErrorMessage: (message: string, ...buttons: string[]) => {
    errors.push({ message, buttons });
    return Promise.resolve(answers.shift());
  },
  setStatusBarMessage: () => disposable,
  withProgress: (_options: unknown, task: () => Promise<unknown>) => task(),
};

export const workspace = {
  get workspaceFolders() {
    return folders.map((folder) => ({ uri: Uri.file(folder) }));
  },
  asRelativePath: (path: string) => path,
  getConfiguration: () => ({ get: (name: string) => values[name] }),
  openTextDocument: (uri: { scheme: string; fsPath: string }) => Promise.resolve(open(uri)),
  registerTextDocumentContentProvider: () => disposable,
  onDidChangeConfiguration: () => disposable,
};

export const commands = {
  registerCommand: (name: string, run: (...words: unknown[]) => unknown) => {
    registered.set(name, run);
    return disposable;
  },
  executeCommand: (...words: unknown[]) => {
    executed.push(words);
    return Promise.resolve();
  },
};

export const env = { remoteName: undefined };
