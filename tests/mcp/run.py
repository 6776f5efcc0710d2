"""`asd mcp` beside the protocol's own tools: the official conformance suite,
the inspector, and the dialogue of an agent through both official SDKs.

    run.py --asd ASD --fixtures SERVER --modules NODE_MODULES

SERVER is the example `conformance` of server/mcp: the fixtures of the suite
over the same code. The packages are those that `cargo xtask test mcp` gets.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent
HARBOR = HERE.parent / "projects" / "harbor"
LIMIT = 300

# What the suite's scenarios are about, where it is nothing that a server of
# ours does.
NOT_APPLICABLE = {
    "server-sse-polling": "a server may close a stream in the middle of a call and let the client come back "
    "for the rest; ours keeps it open until the answer is sent. The parts about priming events pass.",
}
SCENARIO = re.compile(r"^  - ([a-z0-9-]+) \[")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--asd", required=True)
    options.add_argument("--fixtures", required=True)
    options.add_argument("--modules", required=True)
    options = options.parse_args()
    bin = pathlib.Path(sys.executable).parent
    os.environ["PATH"] = f"{bin}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory(prefix="asd-mcp-") as folder:
        folder = pathlib.Path(folder)
        os.environ["XDG_CONFIG_HOME"] = str(folder / "user")
        conformance(options, folder)
        inspector(options, project(folder, "inspected"))
        for name, command in {
            "TypeScript": ["node", HERE / "dialogue.mjs", options.modules, options.asd],
            "Python": [sys.executable, HERE / "dialogue.py", options.asd],
        }.items():
            print(f"\nthe dialogue through the {name} SDK")
            run([*command, project(folder, name)], folder, show=True)
    print("\nall passed")


def run(command, folder, show=False, check=True):
    """Runs a command to its end; gives what it printed."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    if check and done.returncode != 0:
        sys.exit(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    if show:
        print(done.stdout, end="")
    return done.stdout


def project(folder, name):
    """A copy of the sample project, committed."""
    copy = folder / name
    shutil.copytree(HARBOR, copy)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    run([*git, "init", "--quiet"], copy)
    run([*git, "add", "-A"], copy)
    run([*git, "commit", "--quiet", "-m", "all"], copy)
    return copy


class Served:
    """A server over HTTP while the block runs; its first line is its address."""

    def __init__(self, command, folder, stream):
        self.command = [str(word) for word in command]
        self.folder = folder
        self.stream = stream

    def __enter__(self):
        pipes = {self.stream: subprocess.PIPE}
        self.process = subprocess.Popen(self.command, cwd=self.folder, text=True, **pipes)
        self.out = getattr(self.process, self.stream)
        return self.out.readline().split()[-1], self.out

    def __exit__(self, *_):
        self.process.terminate()
        code = self.process.wait(timeout=30)
        self.out.close()
        assert code in (0, -15), code


def conformance(options, folder):
    """Every scenario for servers passes, but for those that do not apply."""
    suite = ["node", pathlib.Path(options.modules) / "@modelcontextprotocol/conformance/dist/index.js"]
    listed = run([*suite, "list", "--server"], folder)
    scenarios = []
    for line in listed.splitlines():
        if line.startswith("Client scenarios"):
            break
        if match := SCENARIO.match(line):
            scenarios.append(match[1])
    assert len(scenarios) >= 32, listed
    failed = []
    with Served([options.fixtures], folder, "stdout") as (url, _):
        for scenario in scenarios:
            results = folder / "results" / scenario
            run([*suite, "server", "--url", url, "--scenario", scenario, "-o", results], folder, check=False)
            [file] = results.rglob("checks.json")
            checks = json.loads(file.read_text("utf-8"))
            states = [check["status"] for check in checks]
            passed = states.count("SUCCESS")
            bad = [check for check in checks if check["status"] in ("FAILURE", "WARNING")]
            if scenario in NOT_APPLICABLE:
                # It must still be of no use, or its entry is out of date.
                assert bad and all(check["status"] == "WARNING" for check in bad), checks
                print(f"{scenario}: does not apply: {NOT_APPLICABLE[scenario]}")
            elif bad or passed == 0:
                failed.append((scenario, bad))
                print(f"{scenario}: FAILED {json.dumps(bad)}")
            else:
                print(f"{scenario}: {passed} passed")
    assert not failed, f"{len(failed)} scenarios failed"


def inspector(options, root):
    """The inspector's terminal over stdio and over HTTP says the same."""
    tool = pathlib.Path(options.modules) / ".bin" / "mcp-inspector"
    stdio = [tool, "--cli", options.asd, "mcp"]
    names = tools_of(run([*stdio, "--method", "tools/list"], root))
    assert len(names) == 16 and names[0] == "asd_health", names
    health = health_of(run([*stdio, "--method", "tools/call", "--tool-name", "asd_health"], root))
    uris = json.loads(run([*stdio, "--method", "resources/list"], root))["resources"]
    assert any(uri["uri"] == "alembic://recipe/network-cache-middleware" for uri in uris), uris
    prompts = json.loads(run([*stdio, "--method", "prompts/list"], root))["prompts"]
    assert [prompt["name"] for prompt in prompts] == ["prime", "review"], prompts
    with Served([options.asd, "mcp", "--http"], root, "stderr") as (url, stderr):
        token = stderr.readline().split()[-1]
        http = [tool, "--cli", url, "--transport", "http", "--header", f"Authorization: Bearer {token}"]
        assert tools_of(run([*http, "--method", "tools/list"], root)) == names
        over_http = health_of(run([*http, "--method", "tools/call", "--tool-name", "asd_health"], root))
        assert over_http["knowledgeBase"]["recipes"] == health["knowledgeBase"]["recipes"]
        refused = run([tool, "--cli", url, "--transport", "http", "--method", "tools/list"], root, check=False)
        assert "asd_health" not in refused, "nobody is served without the token"
        session_over_http(url, token, root)
    print(f"the inspector sees {len(names)} tools over stdio and over HTTP")


def session_over_http(url, token, root):
    """A session that its client ends leaves the account of its work at once."""
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }

    def send(method, body=None):
        data = None if body is None else json.dumps({"jsonrpc": "2.0", **body}).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.headers, reply.read().decode()

    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    reply, _ = send("POST", {"id": 1, "method": "initialize", "params": about})
    headers["Mcp-Session-Id"] = reply["Mcp-Session-Id"]
    headers["MCP-Protocol-Version"] = "2025-11-25"
    send("POST", {"method": "notifications/initialized"})
    arguments = {"operation": "create", "title": "over HTTP"}
    _, text = send("POST", {"id": 2, "method": "tools/call", "params": {"name": "asd_task", "arguments": arguments}})
    assert "Opened asd-" in text, text
    send("DELETE")
    chains = root / ".asd/signals/intent.jsonl"
    deadline = time.monotonic() + 60
    while not chains.exists():
        assert time.monotonic() < deadline, "the work is forgotten"
        time.sleep(0.05)
    assert json.loads(chains.read_text("utf-8"))["metadata"]["chain"]["outcome"] == "abandoned"


def tools_of(text):
    return [tool["name"] for tool in json.loads(text)["tools"]]


def health_of(text):
    data = json.loads(json.loads(text)["content"][0]["text"])["data"]
    assert data["status"] == "ok", data
    return data


main()
