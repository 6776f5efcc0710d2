"""The command line of embeddings: status, comparing, another model, and
downloading one from a hub, which is a server of our own here.

    python run.py --asd ASD --model FILE --onnx FOLDER --runtime LIBRARY
"""

import argparse
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

NAME = "team/small-model"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(http.server.BaseHTTPRequestHandler):
    """Speaks as much of the hub's protocol as a download needs."""

    folder = Path()
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        prefix = f"/{NAME}/resolve/main/"
        if self.path == f"/api/models/{NAME}/revision/main":
            names = sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())
            self.answer(200, json.dumps({"sha": COMMIT, "siblings": [{"rfilename": n} for n in names]}).encode())
        elif self.path.startswith(prefix) and (self.folder / self.path.removeprefix(prefix)).is_file():
            self.send_file(self.path.removeprefix(prefix))
        else:
            self.answer(404, b"Repository not found")

    def send_file(self, name):
        content = (self.folder / name).read_bytes()
        headers = {"ETag": f'"{name.replace("/", "-")}-{len(content)}"', "X-Repo-Commit": COMMIT}
        wanted = self.headers.get("Range")
        if wanted is None:
            self.answer(200, content, headers)
            return
        first, last = wanted.removeprefix("bytes=").split("-")
        first, last = int(first), min(int(last or len(content)), len(content) - 1)
        headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
        self.answer(206, content[first : last + 1], headers)

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Commands:
    def __init__(self, asd, folder):
        self.asd = asd
        self.folder = folder
        self.variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "HF_HOME": str(folder / "hub"),
            "ASD_MODEL_DIR": str(folder / "models"),
        }

    def run(self, *args, expect=0, **variables):
        done = subprocess.run(
            [self.asd, "embed", *args],
            cwd=self.folder,
            env=self.variables | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == expect, (args, done.returncode, done.stdout, done.stderr)
        return done.stdout, done.stderr

    def status(self, *args, expect=0, **variables):
        return json.loads(self.run("status", "--json", *args, expect=expect, **variables)[0])


def check_builtin(commands, model):
    status = commands.status()
    assert status["state"] == "not-installed", status
    assert status["lookedAt"] == [str(commands.folder / "models" / model.name)], status
    _, error = commands.run("compare", "a", "b", expect=2)
    assert "asd embed install" in error, error

    commands.run("install", "--from", str(model))
    status = commands.status("--verify")
    assert status["state"] == "ready" and status["dimension"] == 512, status
    near = float(commands.run("compare", "如何重试失败的网络请求", "How to retry failed network requests")[0])
    far = float(commands.run("compare", "如何重试失败的网络请求", "The logo is blue")[0])
    assert near > 0.6 > 0.3 > far, (near, far)

    installed = commands.folder / "models" / model.name
    content = bytearray(installed.read_bytes())
    content[-1] ^= 1
    installed.write_bytes(content)
    status = commands.status("--verify", expect=1)
    assert status["state"] == "unusable" and "checksum" in status["reason"], status
    installed.write_bytes(content[: len(content) // 2])
    status = commands.status(expect=1)
    assert status["state"] == "unusable" and "cut off" in status["reason"], status
    assert commands.status(ASD_EMBEDDINGS="off")["state"] == "off"


def check_onnx(commands, runtime):
    onnx = {"ASD_EMBEDDINGS": "onnx", "ASD_EMBED_MODEL": NAME}
    status = commands.status(expect=1, **onnx)
    assert f"asd embed --download {NAME}" in status["reason"], status

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hub = {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}"}
    _, error = commands.run("--download", NAME, expect=2, **hub)
    assert "--yes" in error and "onnx/model.onnx" in error, error
    assert not (commands.folder / "hub" / "hub").exists(), "nothing is downloaded without consent"
    _, error = commands.run("--download", "team/nothing", "--yes", expect=2, **hub)
    assert "team/nothing" in error and "404" in error, error
    out, error = commands.run("--download", NAME, "--yes", **hub)
    assert Path(out.strip(), "onnx/model.onnx").is_file(), out
    assert "100 %" in error, error
    server.shutdown()
    server.server_close()

    # From here on nothing is there to be asked.
    asked = len(Hub.asked)
    status = commands.status("--verify", ORT_DYLIB_PATH=runtime, **onnx, **hub)
    assert status["state"] == "ready" and status["dimension"] == 384, status
    near = float(commands.run("compare", "retry requests", "try a request again", ORT_DYLIB_PATH=runtime, **onnx)[0])
    assert near > 0.5, near
    status = commands.status("--verify", expect=1, ORT_DYLIB_PATH="/nowhere/lib.so", **onnx)
    assert "ONNX Runtime cannot be loaded" in status["reason"], status
    assert len(Hub.asked) == asked
    _, error = commands.run("--download", NAME, "--yes", expect=2, **hub)
    assert "cannot be had from the hub" in error and "HF_ENDPOINT" in error, error


def check_settings(commands):
    """A project can turn embeddings off, and cannot name an endpoint."""
    config = commands.folder / "Alembic" / "config.toml"
    config.parent.mkdir()
    config.write_text("[search]\nembeddings = 'off'\n", encoding="utf-8")
    assert commands.status()["state"] == "off"
    config.write_text(
        "[search]\nembeddings = 'remote'\n[search.remote]\nurl = 'http://127.0.0.1:9'\nmodel = 'm'\n",
        encoding="utf-8",
    )
    assert commands.status(expect=1)["embeddings"] == "builtin"
    own = commands.folder / "home" / ".config" / "asd" / "config.toml"
    own.parent.mkdir(parents=True)
    shutil.move(config, own)
    status = commands.status(XDG_CONFIG_HOME=str(own.parent.parent))
    assert status["embeddings"] == "remote" and status["id"].startswith("remote:m@"), status
    status = commands.status("--verify", expect=1, XDG_CONFIG_HOME=str(own.parent.parent))
    assert "cannot be reached" in status["reason"], status


def main():
    parser = argparse.ArgumentParser()
    for name in ("asd", "model", "onnx", "runtime"):
        parser.add_argument(f"--{name}", required=True, type=lambda path: Path(path).resolve())
    options = parser.parse_args()
    Hub.folder = options.onnx
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(options.asd, Path(folder).resolve())
        check_builtin(commands, options.model)
        check_onnx(commands, str(options.runtime))
        check_settings(commands)
    print("the command line of embeddings: ok")


main()
