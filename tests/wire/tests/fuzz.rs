//! Random conversations: valid and invalid messages in any order. Whatever comes
//! in, the server lives, answers every request once, and has the client's text.
//!
//! The seeds are fixed. `ASD_FUZZ_SECONDS=300` goes on with others for that
//! long, each of which is printed, so that it can be added here.

use std::time::{Duration, Instant};

use asd_wire::{Builder, Client, ENCODINGS, Encoding, Workspace, frame, offset, range_of, recipe};
use serde_json::{Value, json};

const SEEDS: std::ops::Range<u64> = 0..6;
const STEPS: usize = 150;

/// xorshift64*: enough to wander about, and the same on every machine.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let next = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(next).expect("31 bits") % limit.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

const PIECES: &[&str] = &[
    "TODO",
    " ",
    "\n",
    "\r\n",
    "\r",
    "饼干",
    "🦀",
    "e\u{301}",
    "// ",
    "/*",
    "*/",
    "'",
    "\"",
    "`",
    "console.log(1)",
    "{",
    "}",
    "(",
    ")",
    "=>",
    "\t",
    "\u{FEFF}",
    "<script>",
    "```ts\n",
    "```\n",
    "@no-todo",
    "asd:ignore no-todo",
    "---\n",
    "as:agent do it",
    "\0",
    "trigger: \"@x\"\n",
];

const METHODS: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/codeAction",
    "textDocument/completion",
    "textDocument/documentSymbol",
    "textDocument/codeLens",
    "textDocument/documentLink",
    "textDocument/prepareRename",
    "textDocument/rename",
    "workspace/symbol",
    "workspace/executeCommand",
    "codeAction/resolve",
    "codeLens/resolve",
    "completionItem/resolve",
    "workspaceSymbol/resolve",
    "asd/unknown",
];

/// A document as the client has it.
struct Document {
    uri: String,
    language: &'static str,
    version: i64,
    text: String,
    open: bool,
}

struct Conversation {
    random: Random,
    client: Client,
    encoding: Encoding,
    documents: Vec<Document>,
    asked: Vec<i64>,
}

impl Conversation {
    fn text(&mut self) -> String {
        (0..self.random.below(12))
            .map(|_| *self.random.pick(PIECES))
            .collect()
    }

    /// A position of the text, as line and column, with its byte offset.
    fn place(&mut self, text: &str) -> (Value, usize) {
        let mut at = self.random.below(text.len() + 1);
        while !text.is_char_boundary(at) || inside_line_ending(text, at) {
            at -= 1;
        }
        (asd_wire::position(text, at, self.encoding), at)
    }

    fn step(&mut self) {
        let which = self.random.below(self.documents.len());
        match self.random.below(20) {
            0..=8 if self.documents[which].open => self.edit(which),
            0..=8 => self.open(which),
            9 => self.close(which),
            10 => {
                let uri = self.documents[which].uri.clone();
                self.client.save(&uri);
            }
            11..=14 => self.ask(which),
            15 => self.nonsense(which),
            16 => self.rubbish(),
            17 => {
                let uri = self.documents[which].uri.clone();
                let kind = *self.random.pick(&[1, 2, 3]);
                self.client.watched(&[(&uri, kind)]);
            }
            18 => {
                let settings = self
                    .random
                    .pick(&[
                        json!(null),
                        json!({"asd": {"guard": {"showUncertain": true}}}),
                        json!({"asd": 4}),
                        json!([[[[]]]]),
                    ])
                    .clone();
                self.client.notify(
                    "workspace/didChangeConfiguration",
                    json!({ "settings": settings }),
                );
            }
            _ => {
                if let Some(id) = self.asked.last().copied() {
                    self.client.notify("$/cancelRequest", json!({ "id": id }));
                }
            }
        }
    }

    fn open(&mut self, which: usize) {
        let text = self.text();
        let document = &mut self.documents[which];
        // Each opening goes on counting, so that every version is unique.
        document.version += 1;
        document.open = true;
        document.text = text;
        self.client.open(
            &document.uri,
            document.language,
            document.version,
            &document.text,
        );
    }

    fn edit(&mut self, which: usize) {
        let mut text = self.documents[which].text.clone();
        let mut changes = Vec::new();
        for _ in 0..=self.random.below(3) {
            let new = self.text();
            if self.random.below(8) == 0 {
                text.clone_from(&new);
                changes.push(json!({ "text": new }));
                continue;
            }
            let (a, from) = self.place(&text);
            let (b, to) = self.place(&text);
            let (start, end, from, to) = if from <= to {
                (a, b, from, to)
            } else {
                (b, a, to, from)
            };
            text.replace_range(from..to, &new);
            changes.push(json!({"range": {"start": start, "end": end}, "text": new}));
        }
        let document = &mut self.documents[which];
        document.version += 1;
        document.text = text;
        self.client
            .change(&document.uri, document.version, json!(changes));
    }

    fn close(&mut self, which: usize) {
        let document = &mut self.documents[which];
        document.open = false;
        self.client.close(&document.uri);
    }

    fn ask(&mut self, which: usize) {
        let method = *self.random.pick(METHODS);
        let text = self.documents[which].text.clone();
        let (position, _) = self.place(&text);
        let (end, _) = self.place(&text);
        let uri = self.documents[which].uri.clone();
        let query = self.text();
        let command = *self.random.pick(&["asd.showRecipe", "asd.none"]);
        let params = json!({
            "textDocument": {"uri": uri},
            "position": position,
            "range": {"start": position, "end": end},
            "context": {"diagnostics": [], "includeDeclaration": true},
            "newName": query,
            "query": query,
            "command": command,
            "arguments": [query],
            "title": "x", "label": "x", "name": "x", "kind": 1,
            "location": {"uri": uri},
        });
        let id = self.client.send(method, params);
        self.asked.push(id);
    }

    fn nonsense(&mut self, which: usize) {
        let uri = self.documents[which].uri.clone();
        let value = self
            .random
            .pick(&[
                json!(null),
                json!([]),
                json!({}),
                json!("text"),
                json!({"textDocument": {"uri": uri}}),
                json!({"textDocument": {"uri": "\u{1}not a uri"}, "position": {"line": -1}}),
                json!({"textDocument": {"uri": uri, "version": "x"}, "contentChanges": 3}),
                json!({"changes": [{"uri": "file:///%ff%fe", "type": 9}]}),
                json!({"event": {"added": [{"uri": "untitled:x", "name": ""}], "removed": []}}),
            ])
            .clone();
        let method = *self.random.pick(METHODS);
        if self.random.below(2) == 0 {
            let id = self.client.send(method, value);
            self.asked.push(id);
        } else {
            let notification = *self.random.pick(&[
                "textDocument/didChangeX",
                "workspace/didChangeWatchedFiles",
                "workspace/didChangeWorkspaceFolders",
                "window/workDoneProgress/cancel",
                "$/setTrace",
                "initialized",
            ]);
            self.client.notify(notification, value);
        }
    }

    fn rubbish(&mut self) {
        let bytes: &[u8] = self.random.pick::<&[u8]>(&[
            &b"\0\0\0\n"[..],
            b"Content-Length: x\r\n\r\n",
            b"Content-Length: 5\r\n\r\n{\"a\":",
            b"Content-Length: 4\r\n\r\n[[[[",
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"Content-Length: 3\r\n\r\n\xff\xfe\xfd",
            b"Content-Length: 15\r\n\r\n{\"jsonrpc\":1.0}",
        ]);
        self.client.raw(bytes);
    }

    /// Every request was answered, and every open document is what it is here.
    fn settle(mut self, seed: u64) {
        for id in std::mem::take(&mut self.asked) {
            self.client.answer(id);
        }
        for document in &mut self.documents {
            if document.open {
                self.client.close(&document.uri);
            }
            document.version += 1;
            self.client.open(
                &document.uri,
                document.language,
                document.version,
                &document.text,
            );
        }
        // A word put at the end shows what the server has before it.
        for document in &mut self.documents {
            if document.language != "typescript" {
                continue;
            }
            let end = asd_wire::end_of(&document.text, self.encoding);
            let mark = "\n*/`;\n// ENDMARK\n";
            document.version += 1;
            document.text.push_str(mark);
            self.client.change(
                &document.uri,
                document.version,
                json!([{"range": {"start": end, "end": end}, "text": mark}]),
            );
            let publish = self
                .client
                .published(&document.uri, "the end mark", |publish| {
                    publish.version == Some(document.version)
                        && publish.codes().contains(&"endmark")
                });
            let expected = range_of(&document.text, "ENDMARK", 0, self.encoding);
            assert!(
                publish
                    .diagnostics
                    .iter()
                    .any(|found| found["code"] == "endmark" && found["range"] == expected),
                "seed {seed}: {publish:#?}"
            );
            for diagnostic in &publish.diagnostics {
                // Fails when it lies outside of the text.
                let _ = offset(&document.text, &diagnostic["range"]["start"], self.encoding);
                let _ = offset(&document.text, &diagnostic["range"]["end"], self.encoding);
            }
        }
        let unexpected: Vec<_> = self
            .client
            .messages("window/logMessage")
            .into_iter()
            .filter(|message| message["params"]["type"] == 1)
            .collect();
        assert!(unexpected.is_empty(), "seed {seed}: {unexpected:#?}");
        self.client.unnumbered();
        let ended = self.client.finish();
        assert!(ended.status.success(), "seed {seed}");
    }
}

fn inside_line_ending(text: &str, at: usize) -> bool {
    text[..at].ends_with('\r') && text[at..].starts_with('\n')
}

fn converse(seed: u64) {
    let workspace = Workspace::new(&[
        (
            "Alembic/recipes/no-todo.md",
            &recipe(
                "no-todo",
                "all",
                "pattern: '\\bTODO\\b'\nmatchIn: text\nfix: ''\nmessage: No TODO",
            ),
        ),
        (
            "Alembic/recipes/endmark.md",
            &recipe(
                "endmark",
                "all",
                "pattern: ENDMARK\nmatchIn: text\nmessage: The end",
            ),
        ),
        (
            "Alembic/recipes/no-console.md",
            &recipe(
                "no-console",
                "typescript",
                "ast: console.log($$$A)\nfix: logger.debug($$$A)\nmessage: No console",
            ),
        ),
    ]);
    let encoding = ENCODINGS[usize::try_from(seed % 3).expect("below three")];
    let client = Builder::new(&workspace).encoding(encoding).start();
    let document = |uri: String, language| Document {
        uri,
        language,
        version: 0,
        text: String::new(),
        open: false,
    };
    let mut conversation = Conversation {
        random: Random::new(seed),
        client,
        encoding,
        documents: vec![
            document(workspace.uri("a.ts"), "typescript"),
            document(workspace.uri("src/b.ts"), "typescript"),
            document(workspace.uri("c.md"), "markdown"),
            document("untitled:Untitled-1".to_owned(), "typescript"),
            document(workspace.uri("Alembic/recipes/new.md"), "markdown"),
            document(workspace.uri("Alembic/config.toml"), "toml"),
        ],
        asked: Vec::new(),
    };
    for _ in 0..STEPS {
        conversation.step();
    }
    conversation.settle(seed);
}

#[test]
fn random_conversations() {
    for seed in SEEDS {
        converse(seed);
    }
    let seconds = std::env::var("ASD_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut seed = u64::from(std::process::id()) << 20;
    while Instant::now() < end {
        eprintln!("seed {seed}");
        converse(seed);
        seed += 1;
    }
}

/// Frames of every size around the limits of buffers.
#[test]
fn frames_of_any_size() {
    let workspace = Workspace::new(&[]);
    let mut client = Builder::new(&workspace).start();
    client.message("window/showMessageRequest");
    let mut bytes = Vec::new();
    for size in [0, 1, 4_095, 4_096, 65_535, 65_536, 65_537, 3_000_000] {
        bytes.extend(frame(&json!({
            "jsonrpc": "2.0", "method": "$/size", "params": "x".repeat(size),
        })));
    }
    client.raw(&bytes);
    client.request("workspace/symbol", json!({"query": ""}));
}
