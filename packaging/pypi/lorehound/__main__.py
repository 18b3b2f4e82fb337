"""Starts the program `lore` that is installed beside this module, with the same arguments and exit code.

`uvx lorehound` and `python -m lorehound` need a command and a module of the package's name.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def find_program():
    """The path of the program, in the directory of scripts of any kind of installation."""
    name = "lore" + (sysconfig.get_config_var("EXE") or "")
    schemes = [sysconfig.get_path("scripts")]
    user = f"{os.name}_user"
    if user in sysconfig.get_scheme_names():
        schemes.append(sysconfig.get_path("scripts", scheme=user))
    # `pip install --prefix` and `--target` put it beside the packages.
    packages = Path(__file__).resolve().parent.parent
    places = [*schemes, *(parent / "bin" for parent in [packages, *packages.parents[:3]])]
    for place in places:
        path = Path(place) / name
        if path.is_file():
            return path
    tried = ", ".join(str(place) for place in dict.fromkeys(map(str, places)))
    sys.exit(f"error: there is no `{name}` in {tried}\nhint: pip install --force-reinstall lorehound")


def main():
    command = [str(find_program()), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
