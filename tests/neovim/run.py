#!/usr/bin/env python3
"""Runs the end-to-end tests in a real, headless Neovim.

    python3 tests/neovim/run.py --nvim PATH --asd PATH

Each test of tests.lua gets a fresh copy of the fixture project.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PLUGIN = HERE.parent.parent / "editors" / "neovim"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvim", required=True)
    parser.add_argument("--asd", required=True)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="asd-neovim-") as temp:
        project = pathlib.Path(temp, "project")
        shutil.copytree(HERE / "fixture", project)
        home = pathlib.Path(temp, "home")
        home.mkdir()
        environment = {
            **os.environ,
            "ASD_BIN": options.asd,
            "ASD_FIXTURE": str(project),
            "ASD_PLUGIN": str(PLUGIN),
            "HOME": str(home),
            **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")},
        }
        run = subprocess.run(
            [options.nvim, "--clean", "--headless", "-c", f"luafile {HERE / 'tests.lua'}"],
            env=environment,
            cwd=project,
            stdin=subprocess.DEVNULL,
            timeout=300,
            check=False,
        )
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
