"""The program `lore`, as a package: `python -m lorehound` and the command `lorehound` start it."""
