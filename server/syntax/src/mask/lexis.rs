//! What comments and literals look like, one table for each language.

use super::MaskKind;
use crate::Language;

/// What is lexed in a language whose text is code. Markup has a lexer of its
/// own.
pub(super) struct Lexis {
    /// What starts a comment that ends with its line.
    pub line: &'static [&'static str],
    /// Comments that end with `*/`.
    pub block: Option<Block>,
    /// Whether `///`, `//!` and `/**` start documentation.
    pub docs: bool,
    /// Whether a backslash at the end of a line comment continues it.
    pub spliced: bool,
    pub double: Quote,
    pub single: Quote,
    pub back: Quote,
    pub regex: RegexLiteral,
    /// The bytes at which the lexer has to look closer.
    pub stops: Stops,
    /// The same inside of an interpolation, where brackets count too.
    pub inner_stops: Stops,
}

#[derive(Clone, Copy)]
pub(super) struct Block {
    pub open: &'static str,
    pub nested: bool,
}

/// What a quotation mark means, when nothing before it changes that.
#[derive(Clone, Copy)]
pub(super) enum Quote {
    /// Nothing.
    Code,
    /// It encloses a name, which is code whatever is in it.
    Name,
    Literal(Literal),
    /// `'` in Rust: a character or the start of a lifetime.
    CharOrLifetime,
}

#[derive(Clone, Copy)]
pub(super) struct Literal {
    pub kind: MaskKind,
    pub escape: Escape,
    pub interpolation: Interpolation,
    /// Whether it goes on over the end of a line.
    pub lines: bool,
    /// The literal that three of the marks enclose.
    pub triple: Option<Triple>,
}

#[derive(Clone, Copy)]
pub(super) struct Triple {
    pub escape: Escape,
    pub interpolation: Interpolation,
    /// Whether of more than three marks in a row the last three are the end.
    pub last_three: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    /// `\`, and in Swift as many `#` as the literal began with.
    Backslash {
        hashes: usize,
    },
    /// The mark written twice.
    Doubled,
}

/// How code is put into a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    None,
    /// `${…}`
    DollarBrace,
    /// `$name` and `${…}`
    Dollar,
    /// `{…}`, with as many braces as said; twice as many are text.
    Braces(usize),
    /// `\(…)`, with `#` after the backslash as in the escapes.
    Backslash {
        hashes: usize,
    },
    /// `#{…}`
    HashBrace,
    /// `$name`, `${…}`, `$(…)` and backticks.
    Shell,
}

/// Where a `/` can start a regular expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RegexLiteral {
    None,
    JavaScript,
    Ruby,
    Swift,
}

pub(super) type Stops = [bool; 256];

const fn stops(bytes: &[u8]) -> Stops {
    let mut table = [false; 256];
    let mut i = 0;
    while i < bytes.len() {
        table[bytes[i] as usize] = true;
        i += 1;
    }
    table
}

const fn with(mut table: Stops, bytes: &[u8]) -> Stops {
    let mut i = 0;
    while i < bytes.len() {
        table[bytes[i] as usize] = true;
        i += 1;
    }
    table
}

const BACKSLASH: Escape = Escape::Backslash { hashes: 0 };

const fn literal(kind: MaskKind, escape: Escape, interpolation: Interpolation) -> Literal {
    Literal {
        kind,
        escape,
        interpolation,
        lines: false,
        triple: None,
    }
}

const fn string(interpolation: Interpolation) -> Literal {
    literal(MaskKind::String, BACKSLASH, interpolation)
}

const fn over_lines(mut literal: Literal) -> Literal {
    literal.lines = true;
    literal
}

const fn or_triple(
    mut literal: Literal,
    escape: Escape,
    interpolation: Interpolation,
    last_three: bool,
) -> Literal {
    literal.triple = Some(Triple {
        escape,
        interpolation,
        last_three,
    });
    literal
}

const PLAIN: Quote = Quote::Literal(string(Interpolation::None));
const CHAR: Quote = Quote::Literal(literal(MaskKind::Char, BACKSLASH, Interpolation::None));
const SLASHES: Option<Block> = Some(Block {
    open: "/*",
    nested: false,
});
const NESTED: Option<Block> = Some(Block {
    open: "/*",
    nested: true,
});

/// Braces, brackets and parentheses, and what begins a format after an
/// interpolated value.
pub(super) const INNER: &[u8] = b"(){}[]:";

const fn lexis(stops_at: &[u8]) -> Lexis {
    Lexis {
        line: &["//"],
        block: SLASHES,
        docs: true,
        spliced: false,
        double: PLAIN,
        single: CHAR,
        back: Quote::Code,
        regex: RegexLiteral::None,
        stops: stops(stops_at),
        inner_stops: with(stops(stops_at), INNER),
    }
}

static C: Lexis = Lexis {
    spliced: true,
    ..lexis(b"/\"'")
};

static JAVA: Lexis = Lexis {
    double: Quote::Literal(or_triple(
        string(Interpolation::None),
        BACKSLASH,
        Interpolation::None,
        false,
    )),
    ..lexis(b"/\"'")
};

static CSHARP: Lexis = lexis(b"/\"'");

static KOTLIN: Lexis = Lexis {
    block: NESTED,
    double: Quote::Literal(or_triple(
        string(Interpolation::Dollar),
        Escape::None,
        Interpolation::Dollar,
        true,
    )),
    back: Quote::Name,
    ..lexis(b"/\"'`")
};

static SWIFT: Lexis = Lexis {
    block: NESTED,
    double: Quote::Literal(or_triple(
        string(Interpolation::Backslash { hashes: 0 }),
        BACKSLASH,
        Interpolation::Backslash { hashes: 0 },
        false,
    )),
    single: Quote::Code,
    back: Quote::Name,
    regex: RegexLiteral::Swift,
    ..lexis(b"/\"`")
};

const DART_STRING: Quote = Quote::Literal(or_triple(
    string(Interpolation::Dollar),
    BACKSLASH,
    Interpolation::Dollar,
    false,
));

static DART: Lexis = Lexis {
    block: NESTED,
    double: DART_STRING,
    single: DART_STRING,
    ..lexis(b"/\"'")
};

static RUST: Lexis = Lexis {
    block: NESTED,
    double: Quote::Literal(over_lines(string(Interpolation::None))),
    single: Quote::CharOrLifetime,
    ..lexis(b"/\"'")
};

static GO: Lexis = Lexis {
    docs: false,
    back: Quote::Literal(over_lines(literal(
        MaskKind::String,
        Escape::None,
        Interpolation::None,
    ))),
    ..lexis(b"/\"'`")
};

static JAVASCRIPT: Lexis = Lexis {
    single: PLAIN,
    back: Quote::Literal(over_lines(string(Interpolation::DollarBrace))),
    regex: RegexLiteral::JavaScript,
    ..lexis(b"/\"'`")
};

const PYTHON_STRING: Quote = Quote::Literal(or_triple(
    string(Interpolation::None),
    BACKSLASH,
    Interpolation::None,
    false,
));

static PYTHON: Lexis = Lexis {
    line: &["#"],
    block: None,
    docs: false,
    double: PYTHON_STRING,
    single: PYTHON_STRING,
    ..lexis(b"#\"'")
};

static RUBY: Lexis = Lexis {
    line: &["#"],
    block: None,
    docs: false,
    double: Quote::Literal(over_lines(string(Interpolation::HashBrace))),
    single: Quote::Literal(over_lines(string(Interpolation::None))),
    back: Quote::Literal(over_lines(string(Interpolation::HashBrace))),
    regex: RegexLiteral::Ruby,
    ..lexis(b"#\"'`/%<=")
};

static BASH: Lexis = Lexis {
    line: &["#"],
    block: None,
    docs: false,
    double: Quote::Literal(over_lines(string(Interpolation::Shell))),
    single: Quote::Literal(over_lines(literal(
        MaskKind::String,
        Escape::None,
        Interpolation::None,
    ))),
    inner_stops: with(stops(b"#\"'<\\"), b"(){}[]`"),
    ..lexis(b"#\"'<\\")
};

static CSS: Lexis = Lexis {
    line: &[],
    docs: false,
    single: PLAIN,
    ..lexis(b"/\"'")
};

static JSON: Lexis = Lexis {
    docs: false,
    single: PLAIN,
    ..lexis(b"/\"'")
};

static YAML: Lexis = Lexis {
    line: &["#"],
    block: None,
    docs: false,
    double: Quote::Literal(over_lines(string(Interpolation::None))),
    single: Quote::Literal(over_lines(literal(
        MaskKind::String,
        Escape::Doubled,
        Interpolation::None,
    ))),
    ..lexis(b"#\"'|>[]{}")
};

static TOML: Lexis = Lexis {
    line: &["#"],
    block: None,
    docs: false,
    double: Quote::Literal(or_triple(
        string(Interpolation::None),
        BACKSLASH,
        Interpolation::None,
        true,
    )),
    single: Quote::Literal(or_triple(
        literal(MaskKind::String, Escape::None, Interpolation::None),
        Escape::None,
        Interpolation::None,
        true,
    )),
    ..lexis(b"#\"'")
};

/// The table of a language; `None` for markup.
pub(super) fn lexis_of(language: Language) -> Option<&'static Lexis> {
    Some(match language {
        Language::Objc | Language::C | Language::Cpp => &C,
        Language::Swift => &SWIFT,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &JAVASCRIPT,
        Language::Python => &PYTHON,
        Language::Java => &JAVA,
        Language::Kotlin => &KOTLIN,
        Language::Go => &GO,
        Language::Dart => &DART,
        Language::Rust => &RUST,
        Language::CSharp => &CSHARP,
        Language::Ruby => &RUBY,
        Language::Css => &CSS,
        Language::Bash => &BASH,
        Language::Json => &JSON,
        Language::Yaml => &YAML,
        Language::Toml => &TOML,
        Language::Html | Language::Vue | Language::Svelte | Language::Markdown => return None,
    })
}
