#!/usr/bin/env python3
"""Runs the end-to-end tests in a real Helix, driven through tmux.

    python3 tests/helix/run.py --asd PATH

Helix is taken from the PATH; where it is not there, Debian's package is
unpacked beside the C library that it was built for, into the cache
(`ASD_TEST_CACHE`, else the user's cache folder), and nothing is installed.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
FIXTURE = HERE.parent / "neovim" / "fixture"
CONFIG = HERE.parent.parent / "editors" / "helix"
TIMEOUT = 30
SOCKET = f"asd-helix-{os.getpid()}"


def cache() -> pathlib.Path:
    if path := os.environ.get("ASD_TEST_CACHE"):
        return pathlib.Path(path)
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "asd-tests"


def debian_mirror() -> str:
    """The mirror that this machine's own package lists name."""
    for path in (*pathlib.Path("/etc/apt/sources.list.d").glob("*.sources"), pathlib.Path("/etc/apt/sources.list")):
        if not path.exists():
            continue
        for line in path.read_text().splitlines():
            words = line.split()
            if words[:1] == ["URIs:"] or words[:1] == ["deb"]:
                return next(word for word in words if "://" in word)
    raise SystemExit("helix: no Debian mirror is configured and `hx` is not on the PATH; install Helix")


def helix() -> tuple[list[str], dict[str, str]]:
    """The command that starts Helix, and what its environment needs."""
    if path := shutil.which("hx"):
        return [path], {}
    home = cache() / "helix"
    root = home / "root"
    command = [
        str(root / "usr/lib64/ld-linux-x86-64.so.2"),
        "--library-path",
        str(root / "usr/lib/x86_64-linux-gnu"),
        str(root / "usr/lib/hx/hx"),
    ]
    environment = {"HELIX_RUNTIME": str(root / "usr/lib/hx/runtime")}
    if (home / "complete").exists():
        return command, environment
    shutil.rmtree(home, ignore_errors=True)
    for folder in ("parts", "debs", "root", "lists/partial", "cache/archives/partial"):
        (home / folder).mkdir(parents=True)
    (home / "parts" / "newer.sources").write_text(
        "Types: deb\n"
        f"URIs: {debian_mirror()}\n"
        "Suites: trixie\n"
        "Components: main\n"
        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    )
    options = []
    for key, value in {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": home / "parts",
        "Dir::State::lists": home / "lists",
        "Dir::Cache": home / "cache",
        "APT::Sandbox::User": "root",
    }.items():
        options += ["-o", f"{key}={value}"]
    subprocess.run(["apt-get", "-qq", *options, "update"], check=True)
    subprocess.run(["apt-get", "-qq", *options, "download", "hx", "libc6", "libgcc-s1"], cwd=home / "debs", check=True)
    for package in (home / "debs").glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, root], check=True)
    (home / "complete").touch()
    return command, environment


def tmux(*arguments: str) -> str:
    return subprocess.run(["tmux", "-L", SOCKET, *arguments], check=True, capture_output=True, text=True).stdout


def screen() -> str:
    return tmux("capture-pane", "-p", "-t", "hx")


def keys(*names: str) -> None:
    for name in names:
        tmux("send-keys", "-t", "hx", name)
        if name == "Escape":
            # A key that follows at once would be read as one with Alt held.
            time.sleep(0.1)


def typed(text: str) -> None:
    tmux("send-keys", "-t", "hx", "-l", text)


def wait_for(what: str, condition) -> str:
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        shown = screen()
        if condition(shown):
            return shown
        time.sleep(0.1)
    raise AssertionError(f"waited in vain for {what}; the screen shows:\n{screen()}")


def shows_finding(project: pathlib.Path) -> None:
    keys("Escape")
    typed(":open src/session.swift")
    keys("Enter")
    wait_for("the file", lambda s: "HTTPCookieStorage.shared" in s)
    keys("Escape", "Space", "d")
    wait_for("the finding in the list", lambda s: "The cookie store must be injected" in s)
    keys("Escape")


def shows_recipe(project: pathlib.Path) -> None:
    typed(":goto 2")
    keys("Enter", "w", "w", "l", "l")
    keys("Space", "k")
    wait_for("the recipe", lambda s: "存储必须注入" in s.replace(" ", "") or "CookieStoring" in s)
    keys("Escape")


def fixes_finding(project: pathlib.Path) -> None:
    typed(":goto 1")
    keys("Enter", "]", "d")
    keys("Space", "a")
    wait_for("the fix in the list", lambda s: "Fix: Take a CookieStoring" in s)
    keys("Enter")
    wait_for("the fixed line", lambda s: "let s = cookies" in s)
    keys("u")
    wait_for("the old line", lambda s: "let s = HTTPCookieStorage.shared" in s)


def saved_recipe_changes_findings(project: pathlib.Path) -> None:
    typed(":open src/a.ts")
    keys("Enter")
    keys("Escape", "Space", "d")
    wait_for("two findings", lambda s: s.count("Use logger instead") >= 2)
    keys("Escape")
    recipe = project / "Alembic/recipes/general/web-logger.md"
    old = recipe.read_text()
    # Helix reports only the files that it writes itself; the server must see
    # this change on its own.
    recipe.write_text(old.replace("Use logger instead of console.log", "Changed on disk"))
    keys("Space", "d")
    wait_for("the new message", lambda s: "Changed on disk" in s)
    keys("Escape")
    recipe.write_text(old)


def runs_commands(project: pathlib.Path) -> None:
    typed(":lsp-workspace-command asd.checkWorkspace")
    keys("Enter")

    # The list is made when it is opened, so it is opened until it is complete.
    def listed(_: str) -> bool:
        keys("Space", "D")
        time.sleep(0.3)
        found = "closed.ts" in screen()
        keys("Escape")
        return found

    wait_for("the finding of a file that is not open", listed)


TESTS = [shows_finding, shows_recipe, fixes_finding, saved_recipe_changes_findings, runs_commands]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--asd", required=True)
    asd = parser.parse_args().asd
    command, environment = helix()

    with tempfile.TemporaryDirectory(prefix="asd-helix-") as temp:
        project = pathlib.Path(temp, "project")
        shutil.copytree(FIXTURE, project)
        (project / ".git").mkdir()
        config = pathlib.Path(temp, "config", "helix")
        config.mkdir(parents=True)
        shutil.copy(CONFIG / "config.toml", config)
        languages = (CONFIG / "languages.toml").read_text().replace('command = "asd"', f'command = "{asd}"')
        # Only asd is there to be started.
        lines = []
        for line in languages.splitlines():
            lines.append('language-servers = ["asd"]' if line.startswith("language-servers") else line)
        (config / "languages.toml").write_text("\n".join(lines))
        environment |= {
            "XDG_CONFIG_HOME": str(config.parent),
            "XDG_STATE_HOME": str(pathlib.Path(temp, "state")),
            "XDG_CACHE_HOME": str(pathlib.Path(temp, "cache")),
            "LC_ALL": "C.UTF-8",
            "COLORTERM": "truecolor",
        }
        start = ["env", *(f"{key}={value}" for key, value in environment.items()), *command]
        tmux("-f", "/dev/null", "new-session", "-d", "-s", "hx", "-x", "160", "-y", "40", "-c", str(project), *start)
        passed = failed = 0
        try:
            wait_for("Helix to start", lambda s: "NOR" in s)
            for test in TESTS:
                name = test.__name__.replace("_", " ")
                try:
                    test(project)
                except AssertionError as problem:
                    failed += 1
                    print(f"FAILED {name}\n{problem}")
                    keys("Escape", "Escape")
                else:
                    passed += 1
                    print(f"ok     {name}")
        finally:
            subprocess.run(["tmux", "-L", SOCKET, "kill-server"], check=False, capture_output=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
