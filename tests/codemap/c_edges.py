"""Includes and calls by gcc, a JSON object on each line.

    python c_edges.py ROOT FILES_GLOB [GCC_OPTION…]
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root, pattern, options = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:]


def show(**row):
    print(json.dumps(row))


def inside(name):
    path = (root / name).resolve()
    return str(path.relative_to(root)) if root in path.parents else None


def plain(include):
    return include.split("../")[-1].removeprefix("./")


edges, seen = set(), set()
for file in sorted(root.glob(pattern)):
    name = str(file.relative_to(root))
    made = subprocess.run(["gcc", "-E", "-dI", *options, name], cwd=root, capture_output=True, text=True)
    if made.returncode:
        sys.exit(made.stderr)
    current, entered, written = None, set(), []
    for line in made.stdout.splitlines():
        if marker := re.match(r'# \d+ "([^"<]+)"', line):
            current = inside(marker[1])
            if current:
                entered.add(current)
        elif (include := re.match(r'#include ["<]([^">]+)[">]', line)) and current:
            written.append((current, include[1]))
    seen |= entered
    for source, include in written:
        beside = inside(str(Path(source).parent / include))
        found = beside if beside in entered else None
        found = found or next((path for path in sorted(entered) if path.endswith("/" + plain(include))), None)
        if found and found != source:
            edges.add((source, found))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcc", "-O0", "-w", "-fcallgraph-info", "-c", *options, name, "-o", f"{folder}/a.o"],
                       cwd=root, check=True)
        graph = Path(f"{folder}/a.ci").read_text()
    nodes = {}
    for title, label in re.findall(r'node: \{ title: "([^"]+)" label: "([^"]+)"', graph):
        where = re.search(r"\\n([^\\]+):(\d+):\d+", label)
        nodes[title] = (inside(where[1]), int(where[2])) if where else (None, 0)
    for target, label in re.findall(r'edge: \{ sourcename: "[^"]+" targetname: "([^"]+)" label: "([^"]+)"', graph):
        path, line, _ = label.rsplit(":", 2)
        path = inside(path)
        called = target.split(":")[-1]
        if not path or called == "__indirect_call":
            continue
        row = {"file": path, "line": int(line), "name": called}
        place, number = nodes.get(target, (None, 0))
        if place:
            show(kind="call", calleeFile=place, calleeLine=number, **row)
        else:
            show(kind="external", **row)
for source, target in sorted(edges):
    show(kind="import", **{"from": source, "to": target})
# Includes that this build leaves out are not known, nor are other files.
for name in sorted(seen):
    show(kind="file", file=name)
    for include in re.findall(r'^\s*#\s*include ["<]([^">]+)[">]', (root / name).read_text(), re.M):
        if not any(source == name and target.endswith(plain(include)) for source, target in edges):
            show(kind="unknown", file=name, include=plain(include))
