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


def source(page):
    return "src/" + str(page).removesuffix(".html")


for page in sorted(pages.rglob("*.rs.html")):
    here = PurePosixPath(page.relative_to(pages).as_posix())
    text = page.read_text()
    body = text[text.index('<pre class="rust">') : text.rindex("</pre>")]
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
    depth_of_use = None
    in_use = False
    for index, (line, word, link) in enumerate(tokens):
        if word == "use":
            in_use = True
        elif word == ";":
            in_use = False
        if link is None:
            # Names without a link are those of other crates.
            following = [token for _, token, _ in tokens[index + 1 : index + 2]]
            if re.match(r"\w", word) and following == ["("] and not in_use:
                before = tokens[index - 1][1] if index else ""
                if before != "fn":
                    show(kind="external", file=source(here), line=line, name=word)
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
        else:
            continue
        if in_use:
            if target != here:
                show(kind="import", **{"from": source(here), "to": source(target)})
            continue
        following = "".join(token for _, token, _ in tokens[index + 1 : index + 3])
        if start and (following.startswith("(") or following == "::<") and tokens[index - 1][1] != "fn":
            end = re.search(r"-(\d+)$", anchor)
            show(kind="call", file=source(here), line=line, name=word, calleeFile=source(target),
                 calleeLine=int(start.group()), calleeEnd=int(end.group(1)) if end else int(start.group()))
