"""Import edges by grimp and call targets by jedi, a JSON object on each line.

    python python_edges.py ROOT SOURCE_FOLDER PACKAGE
"""

import ast
import json
import sys
from pathlib import Path

import grimp
import jedi

root, source, package = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
sys.path.insert(0, str(root / source))


def show(**row):
    print(json.dumps(row))


def file_of(module):
    base = root / source / Path(*module.split("."))
    path = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    return str(path.relative_to(root))


graph = grimp.build_graph(package, cache_dir=None)
for importer in sorted(graph.modules):
    for imported in sorted(graph.find_modules_directly_imported_by(importer)):
        show(kind="import", **{"from": file_of(importer), "to": file_of(imported)})

project = jedi.Project(root, added_sys_path=[str(root / source)])
for path in sorted((root / source / package).rglob("*.py")):
    text = path.read_text()
    script = jedi.Script(text, path=path, project=project)
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name):
            name, line, column = function.id, function.lineno, function.col_offset
        elif isinstance(function, ast.Attribute):
            name, line = function.attr, function.end_lineno
            column = function.end_col_offset - len(name.encode())
        else:
            continue
        column = len(lines[line - 1].encode()[:column].decode(errors="ignore"))
        try:
            found = script.goto(line, column, follow_imports=True)
        except Exception:  # jedi gives up on some code
            continue
        # A parameter or variable says nothing of what is called.
        found = [one for one in found if one.type in ("function", "class", "property")]
        if not found:
            continue
        row = {"file": str(path.relative_to(root)), "line": line, "name": name}
        inside = [one for one in found if one.module_path and root in one.module_path.parents]
        if inside:
            for one in inside:
                target = str(one.module_path.relative_to(root))
                show(kind="call", calleeFile=target, calleeLine=one.line, **row)
        else:
            show(kind="external", **row)
