"""What names mean by rustdoc's links to definitions, a JSON object on each line.

    python rust_edges.py ROOT CRATE DOC_SRC_FOLDER

The folder holds the pages of the crate's sources, in which every name links to
where it is defined.
"""

import html
import json
import re
import sys
from pathlib import Path, PurePosixPath

root, crate, pages = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3])
TOKEN = re.compile(r"<a href=#\d+ id=(\d+) data-nosnippet>\d+</a>|<a [^>]*?href=\"([^\"]*)\"[^>]*>|</a>|<[^>]+>|([^<]+)")


def show(**row):
    print(json.dumps(row))


def module(target, line):
    """The file of the module that is declared on a line, else the file itself."""
    path = root / source(target)
    text = path.read_text().splitlines()[line - 1]
    if not (match := re.match(r"\s*(?:pub(?:\([^)]*\))? )?mod (\w+);", text)):
        return source(target)
    base = path.parent if path.name in ("lib.rs", "main.rs", "mod.rs") else path.with_suffix("")
    found = next(p for p in (base / f"{match[1]}.rs", base / match[1] / "mod.rs") if p.exists())
    return str(found.relative_to(root))


def source(page):
    return "src/" + str(page).removesuffix(".html")


for page in sorted(pages.rglob("*.rs.html")):
    here = PurePosixPath(page.relative_to(pages).as_posix())
    text = page.read_text()
    body = text[text.index('<pre class="rust">') : text.rindex("</pre>")]
    # What is said in comments and strings is no code; the numbers of lines stay.
    body = re.sub(
        r'<span class="(?:doccomment|comment|string|attr)">.*?</span>',
        lambda found: "".join(re.findall(r"<a href=#\d+ id=\d+ data-nosnippet>\d+</a>", found.group())),
        body,
        flags=re.S,
    )
    tokens = []  # (line, text, link)
    line, link = 1, None
    for match in TOKEN.finditer(body):
        number, href, words = match.groups()
        if number:
            line = int(number)
        elif href is not None:
            link = html.unescape(href)
        elif match.group(0) == "</a>":
            link = None
        elif words:
            for part in re.findall(r"\w+!?|\S", html.unescape(words)):
                tokens.append((line, part, link))
    in_use = False
    # The tests at the end of a file are not compiled.
    lines = (root / source(here)).read_text().splitlines()
    tests = [number for number, text in enumerate(lines, 1) if text == "#[cfg(test)]" and lines[number].startswith("mod ")]
    if tests:
        show(kind="end", file=source(here), line=tests[0])
    for index, (line, word, link) in enumerate(tokens):
        if word == "use":
            in_use, use_line, linked = True, line, False
        elif word == ";":
            if in_use and not linked:
                # Left out by a condition, so that nothing is known of it.
                show(kind="off", file=source(here), line=use_line, end=line)
            in_use = False
        linked = in_use and (linked or link is not None)
        if link is None:
            continue
        path, _, anchor = link.partition("#")
        start = re.match(r"\d+", anchor)
        if path == "":
            target = here
        elif path.endswith(".rs.html") and not path.startswith(("http:", "https:")):
            parts = list(here.parent.parts)
            for part in path.split("/"):
                if part == "..":
                    if parts:
                        parts.pop()
                    else:
                        parts = None
                        break
                elif part != ".":
                    parts.append(part)
            if parts is None:
                continue
            target = PurePosixPath(*parts)
        elif path.startswith("https:") and not in_use:
            show(kind="external", file=source(here), line=line, name=word)
            continue
        else:
            continue
        following = "".join(token for _, token, _ in tokens[index + 1 : index + 3])
        if in_use:
            # The last name of a path is what is imported.
            if target != here and word not in ("crate", "self", "super") and not following.startswith("::"):
                to = module(target, int(start.group())) if start else source(target)
                if to != source(here):
                    show(kind="import", **{"from": source(here), "to": to})
            continue
        # What is written with a capital is made, not called.
        if word[0].islower() and start and (following.startswith("(") or following == "::<") and tokens[index - 1][1] != "fn":
            end = re.search(r"-(\d+)$", anchor)
            show(kind="call", file=source(here), line=line, name=word, calleeFile=source(target),
                 calleeLine=int(start.group()), calleeEnd=int(end.group(1)) if end else int(start.group()))
