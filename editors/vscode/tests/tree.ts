/** A small repository for the tests. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

const LEDGER = `def add_fee(amount):
    """Adds the fee of the bank to an amount."""
    return amount + 3


def add_tax(amount):
    """Adds the tax of the state to an amount."""
    return amount + 2
`;

/** Writes the repository into a new directory. */
export function createTree(): string {
  const tree = realpathSync(mkdtempSync(path.join(tmpdir(), "lorehound-vscode-")));
  mkdirSync(path.join(tree, "src"));
  writeFileSync(path.join(tree, "src", "ledger.py"), LEDGER);
  const names = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const git = (...words: string[]) => execFileSync("git", ["-C", tree, ...names, ...words]);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "ledger: add a fee");
  return tree;
}

export function removeTree(tree: string): void {
  rmSync(tree, { recursive: true, force: true });
}
