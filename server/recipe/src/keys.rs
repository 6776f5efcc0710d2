//! The keys of the front matter: one table per mapping, from which the reader,
//! completion and the schema's test all take what they know.

use crate::dimensions::dimension_ids;

/// A key that a mapping of the front matter may have.
#[derive(Debug)]
pub struct KeyInfo {
    /// The name under which it is written.
    pub name: &'static str,
    /// Other names that are read, beside the snake_case twin of each.
    pub aliases: &'static [&'static str],
    /// What kind of value it takes.
    pub value: ValueType,
    /// The permitted values of an enum, or the usual ones of open text.
    pub values: &'static [&'static str],
    /// What it is for, in one or two sentences.
    pub doc: &'static str,
    /// Who has to fill it.
    pub need: Need,
}

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// Text.
    Text,
    /// One of [`KeyInfo::values`].
    Enum,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Number,
    /// A list of texts.
    TextList,
    /// A mapping with keys of its own.
    Map,
    /// A list of mappings.
    MapList,
    /// Anything.
    Any,
}

/// Who has to fill a field. (knowledge.md §2)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A recipe cannot do without it.
    Always,
    /// A recipe that is submitted or published must have it.
    Published,
    /// It is missed when it is not there.
    Expected,
    /// Anyone who likes.
    Optional,
    /// The tools fill it.
    System,
}

impl KeyInfo {
    /// Whether `written` is this key: its name, an alias, or the snake_case
    /// twin of one of them.
    #[must_use]
    pub fn is(&self, written: &str) -> bool {
        self.name == written
            || self.aliases.contains(&written)
            || (written.contains('_') && {
                let camel = camel_case(written);
                self.name == camel || self.aliases.contains(&camel.as_str())
            })
    }
}

fn camel_case(snake: &str) -> String {
    let mut out = String::with_capacity(snake.len());
    let mut upper = false;
    for c in snake.chars() {
        if c == '_' && !out.is_empty() {
            upper = true;
        } else if upper {
            out.extend(c.to_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

/// The key of `table` that is written as `written`.
pub(crate) fn find_key(table: &'static [KeyInfo], written: &str) -> Option<&'static KeyInfo> {
    table.iter().find(|key| key.is(written))
}

use Need::{Always, Expected, Optional, Published, System};
use ValueType::{Any, Bool, Enum, Int, Map, MapList, Number, Text, TextList};

const NONE: &[&str] = &[];

const fn key(
    name: &'static str,
    aliases: &'static [&'static str],
    value: ValueType,
    values: &'static [&'static str],
    need: Need,
    doc: &'static str,
) -> KeyInfo {
    KeyInfo {
        name,
        aliases,
        value,
        values,
        doc,
        need,
    }
}

/// The permitted values of `kind`.
pub(crate) const KINDS: &[&str] = &["rule", "pattern", "fact"];
/// The values of `knowledgeType` with the kind of each. (knowledge.md §3)
pub(crate) const KNOWLEDGE_TYPES: &[&str] = &[
    "code-standard",
    "code-style",
    "best-practice",
    "boundary-constraint",
    "code-pattern",
    "architecture",
    "solution",
    "anti-pattern",
    "code-relation",
    "inheritance",
    "call-chain",
    "data-flow",
    "module-dependency",
    "dev-document",
];
pub(crate) const LIFECYCLES: &[&str] = &[
    "pending",
    "staging",
    "active",
    "evolving",
    "decaying",
    "deprecated",
];
pub(crate) const CATEGORIES: &[&str] = &[
    "View",
    "Service",
    "Tool",
    "Model",
    "Network",
    "Storage",
    "UI",
    "Utility",
    "bootstrap",
    "knowledge",
    "general",
    "documentation",
];
pub(crate) const TOPIC_HINTS: &[&str] =
    &["networking", "ui", "data", "architecture", "conventions"];
pub(crate) const SCOPES: &[&str] = &[
    "universal",
    "project-specific",
    "language-specific",
    "team-convention",
];
pub(crate) const COMPLEXITIES: &[&str] = &["basic", "intermediate", "advanced"];
pub(crate) const DIFFICULTIES: &[&str] = &["beginner", "intermediate", "advanced", "expert"];
pub(crate) const SOURCES: &[&str] = &[
    "manual",
    "mcp",
    "bootstrap",
    "cursor-scan",
    "cli",
    "http",
    "import",
];
pub(crate) const SEVERITIES: &[&str] = &["info", "warning", "error"];
pub(crate) const MATCH_IN: &[&str] = &["code", "text", "comments", "strings"];
pub(crate) const GUARD_TYPES: &[&str] = &["regex", "ast"];
pub(crate) const FIX_KINDS: &[&str] = &["replace", "insert_before", "insert_after", "remove"];
pub(crate) const AST_QUERIES: &[&str] = &[
    "mustCallThrough",
    "mustNotUseInContext",
    "mustConformToProtocol",
    "query",
];
pub(crate) const RELATIONS: &[&str] = &[
    "inherits",
    "implements",
    "calls",
    "depends_on",
    "data_flow",
    "conflicts",
    "extends",
    "related",
    "alternative",
    "prerequisite",
    "deprecated_by",
    "solves",
    "enforces",
    "references",
];
const CONTEXTS: &[&str] = &[
    "async",
    "loop",
    "constructor",
    "destructor",
    "test",
    "class:",
    "function:",
];
const LANGUAGES: &[&str] = &[
    "all",
    "objc",
    "swift",
    "javascript",
    "typescript",
    "python",
    "java",
    "kotlin",
    "go",
    "dart",
    "rust",
    "c",
    "cpp",
    "csharp",
    "ruby",
    "html",
    "css",
    "vue",
    "svelte",
    "markdown",
    "bash",
    "json",
    "yaml",
    "toml",
];

/// The keys of the front matter, in the order in which they are written.
pub(crate) static TOP: &[KeyInfo] = &[
    key(
        "id",
        NONE,
        Text,
        NONE,
        System,
        "UUID of the recipe. Assigned by `asd sync`; never changes.",
    ),
    key(
        "title",
        NONE,
        Text,
        NONE,
        Always,
        "What the recipe is about, in a few words that name a real type, module or API. At most 80 characters, 20 when it is Chinese.",
    ),
    key(
        "trigger",
        NONE,
        Text,
        NONE,
        Always,
        "The unique name under which people and agents call the recipe: `@` and kebab-case, in quotes because YAML reserves the `@`.",
    ),
    key(
        "kind",
        NONE,
        Enum,
        KINDS,
        Published,
        "`rule`: must be kept. `pattern`: a way of doing something. `fact`: something that is so. Follows from `knowledgeType` when absent.",
    ),
    key(
        "knowledgeType",
        NONE,
        Enum,
        KNOWLEDGE_TYPES,
        Published,
        "The finer kind of knowledge; `code-pattern` when absent.",
    ),
    key(
        "lifecycle",
        &["status"],
        Enum,
        LIFECYCLES,
        System,
        "Where the recipe stands. Its guards are checked in `staging`, `active`, `evolving` and `decaying`.",
    ),
    key(
        "language",
        NONE,
        Text,
        LANGUAGES,
        Published,
        "The language of the code that it is about, or `all`. Guards without `languages` apply to this one.",
    ),
    key(
        "category",
        NONE,
        Text,
        CATEGORIES,
        Published,
        "The area of the code: one of the listed ones or a dimension id.",
    ),
    key(
        "dimensionId",
        NONE,
        Text,
        dimension_ids(),
        Expected,
        "The dimension of the project's knowledge that it belongs to; also the folder of its file.",
    ),
    key(
        "topicHint",
        NONE,
        Enum,
        TOPIC_HINTS,
        Expected,
        "The broad topic.",
    ),
    key(
        "scope",
        NONE,
        Enum,
        SCOPES,
        Optional,
        "How far the recipe reaches; `universal` when absent.",
    ),
    key(
        "complexity",
        NONE,
        Enum,
        COMPLEXITIES,
        Optional,
        "How involved the knowledge is; `intermediate` when absent.",
    ),
    key(
        "difficulty",
        NONE,
        Enum,
        DIFFICULTIES,
        Optional,
        "How much a reader has to know.",
    ),
    key(
        "tags",
        NONE,
        TextList,
        NONE,
        Optional,
        "Free words for search.",
    ),
    key(
        "moduleName",
        NONE,
        Text,
        NONE,
        Optional,
        "The module or target that owns the knowledge.",
    ),
    key(
        "description",
        NONE,
        Text,
        NONE,
        Published,
        "One sentence, at most 80 characters.",
    ),
    key(
        "when",
        &["whenClause"],
        Text,
        NONE,
        Published,
        "The situation in which the recipe applies, 15 to 50 characters.",
    ),
    key(
        "do",
        &["doClause"],
        Text,
        NONE,
        Published,
        "What to do, as an instruction of at most 60 tokens. Editors show it with every finding.",
    ),
    key(
        "dont",
        &["dontClause", "don't"],
        Text,
        NONE,
        Published,
        "What not to do, without a leading \"Don't\".",
    ),
    key(
        "headers",
        NONE,
        TextList,
        NONE,
        Published,
        "The import lines that the core code needs; `[]` when it needs none.",
    ),
    key(
        "headerPaths",
        NONE,
        TextList,
        NONE,
        Optional,
        "The files behind the imports.",
    ),
    key(
        "includeHeaders",
        NONE,
        Bool,
        NONE,
        Optional,
        "Whether inserting the core code inserts the imports too.",
    ),
    key(
        "reasoning",
        &["_reasoning"],
        Map,
        NONE,
        Published,
        "Why it is so, and where it was seen.",
    ),
    key(
        "guards",
        &["guard"],
        MapList,
        NONE,
        Optional,
        "What is checked in the code: patterns with message, severity and fix.",
    ),
    key(
        "constraints",
        &["_constraints"],
        Map,
        NONE,
        Optional,
        "Limits that are not machine-checkable: boundaries, preconditions, side effects.",
    ),
    key(
        "relations",
        &["_relations"],
        Map,
        RELATIONS,
        Optional,
        "Relations to other recipes: kind to list of triggers, ids or titles.",
    ),
    key(
        "lifecycleHistory",
        NONE,
        MapList,
        NONE,
        System,
        "The last moves between lifecycle states.",
    ),
    key(
        "autoApprovable",
        NONE,
        Bool,
        NONE,
        System,
        "Whether it may be approved without a person.",
    ),
    key(
        "stagingDeadline",
        NONE,
        Int,
        NONE,
        System,
        "When staging ends, in Unix seconds.",
    ),
    key(
        "source",
        NONE,
        Enum,
        SOURCES,
        Optional,
        "How the recipe came into being; `manual` when absent.",
    ),
    key(
        "sourceFile",
        NONE,
        Text,
        NONE,
        Optional,
        "The file that it was made from.",
    ),
    key(
        "sourceCandidateId",
        NONE,
        Text,
        NONE,
        Optional,
        "The candidate that it was made from.",
    ),
    key("createdBy", NONE, Text, NONE, System, "Who created it."),
    key("publishedBy", NONE, Text, NONE, System, "Who published it."),
    key(
        "publishedAt",
        NONE,
        Int,
        NONE,
        System,
        "When it was published, in Unix seconds.",
    ),
    key("reviewedBy", NONE, Text, NONE, System, "Who reviewed it."),
    key(
        "reviewedAt",
        NONE,
        Int,
        NONE,
        System,
        "When it was reviewed, in Unix seconds.",
    ),
    key(
        "rejectionReason",
        NONE,
        Text,
        NONE,
        System,
        "Why it was rejected.",
    ),
    key(
        "agentNotes",
        NONE,
        Any,
        NONE,
        Optional,
        "Notes of an agent, never delivered.",
    ),
    key(
        "aiInsight",
        NONE,
        Any,
        NONE,
        Optional,
        "Remarks of a model, never delivered.",
    ),
    key(
        "quality",
        &["_quality"],
        Map,
        NONE,
        System,
        "The quality score.",
    ),
    key(
        "stagingEnteredAt",
        NONE,
        Int,
        NONE,
        System,
        "When it entered staging, in Unix seconds.",
    ),
    key(
        "activeSince",
        NONE,
        Int,
        NONE,
        System,
        "Since when it is active, in Unix seconds.",
    ),
    key(
        "lastActiveAt",
        NONE,
        Int,
        NONE,
        System,
        "Until when it was active, in Unix seconds.",
    ),
    key(
        "evolvingStartedAt",
        NONE,
        Int,
        NONE,
        System,
        "When it began to evolve, in Unix seconds.",
    ),
    key(
        "proposalId",
        NONE,
        Text,
        NONE,
        System,
        "The proposal that it evolves by.",
    ),
    key(
        "decayStartedAt",
        NONE,
        Int,
        NONE,
        System,
        "When it began to decay, in Unix seconds.",
    ),
    key(
        "deprecatedAt",
        NONE,
        Int,
        NONE,
        System,
        "When it was retired, in Unix seconds.",
    ),
    key(
        "createdAt",
        NONE,
        Int,
        NONE,
        System,
        "When it was created, in Unix seconds.",
    ),
    key(
        "updatedAt",
        NONE,
        Int,
        NONE,
        System,
        "When it was last changed, in Unix seconds.",
    ),
    key(
        "hash",
        NONE,
        Text,
        NONE,
        System,
        "Hash of the file, by which edits by hand are recognised. Written by `asd sync`.",
    ),
];

/// Keys that are read in the front matter although their place is the body, and
/// what older files hold.
pub(crate) static ELSEWHERE: &[KeyInfo] = &[
    key(
        "coreCode",
        NONE,
        Text,
        NONE,
        Optional,
        "Belongs to the section `## Core code`.",
    ),
    key(
        "usageGuide",
        NONE,
        Text,
        NONE,
        Optional,
        "Belongs to the section `## Usage guide`.",
    ),
    key(
        "content",
        &["_content"],
        Map,
        NONE,
        Optional,
        "Belongs to the sections of the body.",
    ),
    key(
        "stats",
        &["_stats"],
        Map,
        NONE,
        Optional,
        "Counters of use do not belong to the file.",
    ),
    key(
        "contentHash",
        &["_contentHash"],
        Text,
        NONE,
        Optional,
        "The hash of an older format.",
    ),
];

/// The keys of `reasoning`.
pub(crate) static REASONING: &[KeyInfo] = &[
    key(
        "whyStandard",
        &["why"],
        Text,
        NONE,
        Published,
        "Why this is the standard here.",
    ),
    key(
        "sources",
        NONE,
        TextList,
        NONE,
        Published,
        "Where it was seen: project-relative paths, with `:line` or `:first-last`.",
    ),
    key(
        "confidence",
        NONE,
        Number,
        NONE,
        Optional,
        "How certain it is, 0 to 1; 0.7 when absent.",
    ),
    key("qualitySignals", NONE, Map, NONE, Optional, "Free numbers."),
    key(
        "alternatives",
        NONE,
        TextList,
        NONE,
        Optional,
        "Other ways that were weighed.",
    ),
];

/// The keys of `constraints`.
pub(crate) static CONSTRAINTS: &[KeyInfo] = &[
    key(
        "guards",
        NONE,
        MapList,
        NONE,
        Optional,
        "The same as `guards`.",
    ),
    key(
        "boundaries",
        NONE,
        TextList,
        NONE,
        Optional,
        "Where the recipe ends to apply.",
    ),
    key(
        "preconditions",
        NONE,
        TextList,
        NONE,
        Optional,
        "What must hold before.",
    ),
    key(
        "sideEffects",
        NONE,
        TextList,
        NONE,
        Optional,
        "What else happens.",
    ),
];

/// The keys of a guard.
pub(crate) static GUARD: &[KeyInfo] = &[
    key(
        "id",
        NONE,
        Text,
        NONE,
        Optional,
        "The rule id that findings and suppressions carry; made from the trigger when absent.",
    ),
    key(
        "type",
        NONE,
        Enum,
        GUARD_TYPES,
        Optional,
        "`regex` or `ast`; follows from what is matched when absent.",
    ),
    key(
        "pattern",
        &["regex"],
        Text,
        NONE,
        Optional,
        "A regular expression. Put it in single quotes, where `\\` needs no doubling.",
    ),
    key(
        "ast",
        NONE,
        Text,
        NONE,
        Optional,
        "A code pattern, such as `$A.shared`, matched on the syntax tree.",
    ),
    key(
        "rule",
        NONE,
        Map,
        NONE,
        Optional,
        "An ast-grep rule object.",
    ),
    key(
        "constraints",
        NONE,
        Map,
        NONE,
        Optional,
        "Constraints on the metavariables of `ast` or `rule`.",
    ),
    key(
        "utils",
        NONE,
        Map,
        NONE,
        Optional,
        "Rules that `rule` refers to by name.",
    ),
    key(
        "astQuery",
        NONE,
        Map,
        NONE,
        Optional,
        "One of the named queries on the syntax tree.",
    ),
    key(
        "message",
        NONE,
        Text,
        NONE,
        Optional,
        "What is wrong, in one sentence; the description when absent.",
    ),
    key(
        "severity",
        NONE,
        Enum,
        SEVERITIES,
        Optional,
        "`info`, `warning` (when absent) or `error`.",
    ),
    key(
        "fixSuggestion",
        NONE,
        Text,
        NONE,
        Optional,
        "Advice in prose; the `do` clause when absent.",
    ),
    key(
        "fix",
        NONE,
        Any,
        NONE,
        Optional,
        "The replacement: text with `$1`, `${name}` or metavariables, or a mapping with kind, template and safe.",
    ),
    key(
        "languages",
        &["language"],
        TextList,
        LANGUAGES,
        Optional,
        "The languages that are checked; the recipe's language when absent, `[all]` for every one.",
    ),
    key(
        "flags",
        NONE,
        Text,
        &["i", "m", "s", "x", "u"],
        Optional,
        "Letters that change how the expression matches: `i` ignore case, `m` `^` and `$` at lines, `s` `.` matches a line end, `x` blanks are ignored, `u` Unicode.",
    ),
    key(
        "matchIn",
        NONE,
        Enum,
        MATCH_IN,
        Optional,
        "Which part of the file is matched: `code` (when absent), `text`, `comments` or `strings`.",
    ),
    key(
        "multiline",
        NONE,
        Bool,
        NONE,
        Optional,
        "Matches the whole file rather than line by line.",
    ),
    key(
        "includePaths",
        NONE,
        TextList,
        NONE,
        Optional,
        "Globs: only these files are checked.",
    ),
    key(
        "excludePaths",
        NONE,
        TextList,
        NONE,
        Optional,
        "Globs: these files are not checked.",
    ),
    key(
        "excludeLine",
        &["excludeLines"],
        TextList,
        NONE,
        Optional,
        "Regular expressions: findings on a line that matches one are dropped.",
    ),
    key(
        "positiveExamples",
        NONE,
        TextList,
        NONE,
        Optional,
        "Code that must be found. Fenced `bad` blocks in the body do the same.",
    ),
    key(
        "negativeExamples",
        NONE,
        TextList,
        NONE,
        Optional,
        "Code that must not be found. Fenced `good` blocks in the body do the same.",
    ),
];

/// The keys of `fix` in its long form.
pub(crate) static FIX: &[KeyInfo] = &[
    key(
        "kind",
        NONE,
        Enum,
        FIX_KINDS,
        Optional,
        "What is done with the text; `replace` when absent.",
    ),
    key(
        "template",
        NONE,
        Text,
        NONE,
        Optional,
        "The text, with `$0`, `$1`, `${name}` or metavariables.",
    ),
    key(
        "safe",
        NONE,
        Bool,
        NONE,
        Optional,
        "Whether it may be applied to many places at once.",
    ),
];

/// The keys of `astQuery`, those of all its types together.
pub(crate) static AST_QUERY: &[KeyInfo] = &[
    key("type", NONE, Enum, AST_QUERIES, Optional, "What is asked."),
    key(
        "targetAPI",
        &["targetApi"],
        Text,
        NONE,
        Optional,
        "mustCallThrough: the API whose calls are looked at.",
    ),
    key(
        "wrapperClass",
        NONE,
        Text,
        NONE,
        Optional,
        "mustCallThrough: the only class that may call it.",
    ),
    key(
        "pattern",
        NONE,
        Text,
        NONE,
        Optional,
        "mustNotUseInContext: the code pattern.",
    ),
    key(
        "forbiddenContext",
        NONE,
        Text,
        CONTEXTS,
        Optional,
        "mustNotUseInContext: where it must not stand.",
    ),
    key(
        "className",
        NONE,
        Text,
        NONE,
        Optional,
        "mustConformToProtocol: a glob over class names.",
    ),
    key(
        "protocolName",
        NONE,
        Text,
        NONE,
        Optional,
        "mustConformToProtocol: the protocol, interface or base class.",
    ),
    key(
        "query",
        NONE,
        Text,
        NONE,
        Optional,
        "query: a tree-sitter query.",
    ),
    key(
        "capture",
        NONE,
        Text,
        NONE,
        Optional,
        "query: the capture that is the violation; every one when absent.",
    ),
];

/// The keys of the front matter, in the order in which they are written.
#[must_use]
pub fn front_matter_keys() -> &'static [KeyInfo] {
    TOP
}

/// The keys of the mapping at `path`, for example `guards` (of each of its
/// items), `guards.fix`, `guards.astQuery`, `reasoning` or `constraints`; those
/// of the front matter itself for the empty path.
#[must_use]
pub fn keys_at(path: &str) -> Option<&'static [KeyInfo]> {
    Some(match path {
        "" => TOP,
        "reasoning" => REASONING,
        "constraints" => CONSTRAINTS,
        "guards" | "constraints.guards" => GUARD,
        "guards.fix" | "constraints.guards.fix" => FIX,
        "guards.astQuery" | "constraints.guards.astQuery" => AST_QUERY,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_snake_case_twins() {
        assert_eq!(
            find_key(TOP, "knowledge_type").map(|key| key.name),
            Some("knowledgeType")
        );
        assert_eq!(find_key(TOP, "do_clause").map(|key| key.name), Some("do"));
        assert_eq!(
            find_key(GUARD, "fix_suggestion").map(|key| key.name),
            Some("fixSuggestion")
        );
        assert_eq!(
            find_key(AST_QUERY, "target_api").map(|key| key.name),
            Some("targetAPI")
        );
        assert_eq!(
            find_key(TOP, "_reasoning").map(|key| key.name),
            Some("reasoning")
        );
        assert!(find_key(TOP, "Title").is_none());
    }

    #[test]
    fn the_language_list_is_the_language_table() {
        let known: Vec<&str> = crate::known_languages().collect();
        assert_eq!(LANGUAGES[1..], known);
    }

    #[test]
    fn no_name_belongs_to_two_keys() {
        for table in [
            TOP,
            ELSEWHERE,
            REASONING,
            CONSTRAINTS,
            GUARD,
            FIX,
            AST_QUERY,
        ] {
            let mut names: Vec<&str> = table
                .iter()
                .flat_map(|key| key.aliases.iter().copied().chain([key.name]))
                .collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }
}
