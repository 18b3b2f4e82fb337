"""Prints the findings of repositories with the lines around them."""

import argparse
import os

import common


def main():
    """Prints the findings of all repositories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lore")
    parser.add_argument("repositories", nargs="+")
    arguments = parser.parse_args()
    for repository in arguments.repositories:
        answer = common.drift(arguments.lore, repository)
        print(f"== {os.path.basename(repository)}: {len(answer['findings'])} findings, {answer['elapsedMs']:.0f} ms")
        for finding in answer["findings"]:
            lines = common.read(repository, finding["path"]).split("\n")
            line = lines[finding["line"] - 1].strip() if finding["line"] <= len(lines) else ""
            commit = finding["commit"] or {"hash": "", "subject": ""}
            print(f"{finding['path']}:{finding['line']}: {finding['kind']} {finding['state']} {finding['name']} -> {finding['replacement']}")
            print(f"    {line[:140]}\n    {commit['hash'][:10]} {commit['subject'][:80]}")


if __name__ == "__main__":
    main()
