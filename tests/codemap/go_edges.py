"""Import edges by `go list` and call targets by callgraph, a JSON object a line.

    python go_edges.py ROOT IMPORT_PATH

ROOT is the folder of the module in a GOPATH. Edges of imports are between
folders, as Go's are.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

root, module = Path(sys.argv[1]).resolve(), sys.argv[2]


def show(**row):
    print(json.dumps(row))


def run(*command):
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


decoder, text, packages = json.JSONDecoder(), run("go", "list", "-e", "-json", "./..."), []
while text.strip():
    package, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    packages.append(package)
names = {package["ImportPath"]: package["Dir"] for package in packages}
# What needs packages that are not installed cannot be loaded.
loadable = [package["ImportPath"] for package in packages if not package.get("Error") and not package.get("DepsErrors")]
for package in packages:
    for imported in package.get("Imports", []):
        if imported in names:
            relative = [str(Path(folder).resolve().relative_to(root)) for folder in (package["Dir"], names[imported])]
            show(kind="import", **{"from": relative[0], "to": relative[1]})

FORMAT = "{{.Caller}}\t{{.Filename}}:{{.Line}}\t{{.Callee}}\t{{.Dynamic}}"
out = run("callgraph", "-algo=static", f"-format={FORMAT}", *loadable)
for line in out.splitlines():
    caller, position, callee, _ = line.split("\t")
    file, _, number = position.rpartition(":")
    path = Path(file)
    if not path.is_absolute() or root not in path.resolve().parents or int(number) == 0:
        continue
    callee = re.sub(r"\$\d+$|\$bound$|\$thunk$", "", callee)
    match = re.match(r"^\(?\*?(?P<package>[\w./\-]+?)\.(?P<rest>[^/]+)$", callee.replace(")", ""))
    if not match:
        continue
    name = match["rest"].split(".")[-1]
    row = {"file": str(path.resolve().relative_to(root)), "line": int(number), "name": name}
    if match["package"] in names:
        folder = str(Path(names[match["package"]]).resolve().relative_to(root))
        show(kind="call", calleeFolder=folder, callee=match["rest"], **row)
    else:
        show(kind="external", **row)
