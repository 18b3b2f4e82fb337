/** The quick pick: results while the question is typed, with a preview of the active one. */

import * as vscode from "vscode";

import type { Answer, Hit } from "./answers";
import { LoreError } from "./commandLine";
import { Latest } from "./latest";
import { iconOf } from "./results";
import type { Viewer } from "./viewer";

/** Pause after the last key before a search. Shorter ones start searches for parts of words. */
const TYPING_PAUSE_MS = 250;

/** Pause before the preview of the active result, so that moving through the list opens few files. */
const PREVIEW_PAUSE_MS = 80;

interface Item extends vscode.QuickPickItem {
  readonly hit?: Hit;
}

/** Not part of the published types: without it, the list is sorted by its labels. */
interface Sortable {
  sortByLabel: boolean;
}

const TO_SIDE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("split-horizontal"),
  tooltip: "Open to the side",
};
const TO_VIEW: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("list-flat"),
  tooltip: "Keep the results in the side bar",
};

export interface Parts {
  readonly ask: (question: string, signal: AbortSignal) => Promise<Answer>;
  readonly viewer: Viewer;
  readonly keep: (question: string, answer: Answer) => void;
  readonly showView: () => void;
  readonly fail: (error: unknown) => void;
}

/** Returns the rows for an answer. */
function items(answer: Answer): Item[] {
  const rows: Item[] = answer.hits.map((hit) => ({
    label: `$(${iconOf(hit)}) ${hit.title}`,
    description: hit.place,
    detail: hit.detail,
    buttons: [TO_SIDE],
    // The list must not drop results that lack the typed characters.
    alwaysShow: true,
    hit,
  }));
  if (rows.length === 0) {
    rows.push({ label: "$(circle-slash) No results", alwaysShow: true });
  }
  for (const note of answer.notes) {
    rows.push({ label: "$(info)", description: note, alwaysShow: true });
  }
  return rows;
}

/** An editor, with its selection. */
interface Place {
  readonly document: vscode.TextDocument;
  readonly column: vscode.ViewColumn | undefined;
  readonly selection: vscode.Selection;
}

/** Returns to the editor from before the first preview, or closes the preview. */
async function restore(place: Place | undefined): Promise<void> {
  if (place) {
    const options = { selection: place.selection, viewColumn: place.column ?? vscode.ViewColumn.Active };
    await vscode.window.showTextDocument(place.document, options);
  } else if (vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview === true) {
    await vscode.window.tabGroups.close(vscode.window.tabGroups.activeTabGroup.activeTab);
  }
}

/** Shows the quick pick, and resolves when it is closed. */
export function ask(parts: Parts, question: string): Promise<void> {
  const pick = vscode.window.createQuickPick<Item>();
  const latest = new Latest();
  const before = vscode.window.activeTextEditor;
  const place: Place | undefined = before && { document: before.document, column: before.viewColumn, selection: before.selection };
  let answer: Answer | undefined;
  let asked = "";
  let typing: NodeJS.Timeout | undefined;
  let previewing: NodeJS.Timeout | undefined;
  let isChosen = false;
  let isPreviewed = false;

  pick.title = "Lorehound";
  pick.placeholder = "Ask a question, or type words or a name";
  pick.buttons = [TO_VIEW];
  pick.matchOnDescription = false;
  pick.matchOnDetail = false;
  (pick as unknown as Sortable).sortByLabel = false;
  pick.value = question;

  const search = async (): Promise<void> => {
    const typed = pick.value.trim();
    if (typed === "") {
      latest.cancel();
      pick.items = [];
      pick.busy = false;
      return;
    }
    pick.busy = true;
    try {
      const found = await latest.run((signal) => parts.ask(typed, signal));
      if (found === undefined) {
        return;
      }
      answer = found;
      asked = typed;
      pick.items = items(found);
    } catch (error) {
      if (error instanceof LoreError && !error.isMissing) {
        // A query that is typed is often not valid yet.
        pick.items = [{ label: `$(error) ${error.message}`, detail: error.hint ?? "", alwaysShow: true }];
      } else {
        pick.hide();
        parts.fail(error);
      }
    }
    pick.busy = false;
  };
  const open = (hit: Hit, isBeside: boolean): void => {
    isChosen = true;
    if (answer) {
      parts.keep(asked, answer);
    }
    pick.hide();
    parts.viewer.open(hit, { isPreview: false, isBeside }).catch(parts.fail);
  };

  return new Promise((resolve) => {
    pick.onDidChangeValue(() => {
      clearTimeout(typing);
      typing = setTimeout(() => void search(), TYPING_PAUSE_MS);
    });
    pick.onDidChangeActive(([item]) => {
      clearTimeout(previewing);
      const hit = item?.hit;
      if (hit) {
        previewing = setTimeout(() => {
          isPreviewed = true;
          parts.viewer.open(hit, { isPreview: true, keepsFocus: true }).catch(parts.fail);
        }, PREVIEW_PAUSE_MS);
      }
    });
    pick.onDidTriggerItemButton(({ item }) => item.hit && open(item.hit, true));
    pick.onDidTriggerButton(() => {
      if (answer) {
        isChosen = true;
        parts.keep(asked, answer);
        pick.hide();
        parts.showView();
      }
    });
    pick.onDidAccept(() => {
      const hit = pick.activeItems[0]?.hit;
      if (hit) {
        open(hit, false);
      }
    });
    pick.onDidHide(() => {
      clearTimeout(typing);
      clearTimeout(previewing);
      latest.cancel();
      parts.viewer.clear();
      pick.dispose();
      if (!isChosen && isPreviewed) {
        void restore(place);
      }
      resolve();
    });
    pick.show();
    if (question !== "") {
      void search();
    }
  });
}
