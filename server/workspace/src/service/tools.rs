//! The tools that agents have, as one table: names, tiers, parameters and what
//! the gateway asks before them. The doors list and translate it. (mcp.md §3–§4)

use std::time::Duration;

use serde_json::{Map, Value};

use crate::service::params::{FILLED, Kind, Param, TEXT, optional, required};

/// Who may call a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Any agent.
    #[default]
    Agent,
    /// Who runs the project.
    Admin,
}

impl Tier {
    /// The tier of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name.trim().to_lowercase().as_str() {
            "agent" => Some(Self::Agent),
            "admin" => Some(Self::Admin),
            _ => None,
        }
    }

    /// `agent` or `admin`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Admin => "admin",
        }
    }

    /// The role of a caller of this tier that names none.
    #[must_use]
    pub const fn role(self) -> &'static str {
        match self {
            Self::Agent => "external_agent",
            Self::Admin => "developer",
        }
    }
}

/// What a call does to the project, as a hint for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It reads.
    Reads,
    /// It may write, and take nothing away.
    Writes,
    /// It may take something away.
    Destroys,
}

/// One tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// Its name for a person.
    pub title: &'static str,
    /// When to use it, first; at most 400 characters.
    pub about: &'static str,
    /// What it is for, in eight words at most, for the list in rule files.
    pub purpose: &'static str,
    /// Who may call it.
    pub tier: Tier,
    /// What it does to the project.
    pub effect: Effect,
    /// What it takes.
    pub params: &'static [Param],
    /// How long a call may take.
    pub limit: Duration,
}

const QUICK: Duration = Duration::from_secs(60);
const LONG: Duration = Duration::from_secs(600);

const ONE_TEXT: Kind = FILLED;
const TEXTS: Kind = Kind::List {
    of: &TEXT,
    min: 0,
    max: 10_000,
};
const IDS: Kind = Kind::List {
    of: &FILLED,
    min: 0,
    max: 1_000,
};

const HISTORY: Kind = Kind::List {
    of: &Kind::Either(&Kind::Object(&[required("query", FILLED, "")]), &TEXT),
    min: 0,
    max: 100,
};

const FILES: Kind = Kind::List {
    of: &Kind::Either(
        &Kind::Object(&[required("path", FILLED, "project-relative path")]),
        &FILLED,
    ),
    min: 0,
    max: 10_000,
};

const EVIDENCE: Kind = Kind::Object(&[
    optional("codeSnippet", TEXT, "the code that shows it"),
    optional("filePath", TEXT, "where it stands"),
    optional(
        "type",
        Kind::Choice(&["enhance", "correction"]),
        "what kind of change",
    ),
    optional("suggestedChanges", TEXT, "what the recipe should say"),
]);

const DECISION: Kind = Kind::Object(&[
    required("recipeId", FILLED, "id or trigger"),
    required(
        "action",
        Kind::Choice(&["propose_evolution", "confirm_deprecation", "skip"]),
        "",
    ),
    optional("evidence", EVIDENCE, ""),
    optional("reason", TEXT, ""),
    optional(
        "skipReason",
        Kind::Choice(&["still_valid", "insufficient_info"]),
        "",
    ),
    optional("confidence", Kind::Fraction, ""),
]);

/// All tools, in the order in which they are listed.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "asd_health",
        title: "Health of the knowledge base",
        about: "Use first in a new project, or when another tool failed: says whether the \
                knowledge base works, how many recipes and candidates it holds, and what to do next.",
        purpose: "state of the knowledge base",
        tier: Tier::Agent,
        effect: Effect::Reads,
        params: &[],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_search",
        title: "Search recipes",
        about: "Use before writing code, when you need to know how this project does something. \
                Finds the team's recipes by words, symbols or @trigger, in English or Chinese. \
                Nothing found means that nothing fits, so follow the files nearby.",
        purpose: "find recipes by words or @trigger",
        tier: Tier::Agent,
        effect: Effect::Reads,
        params: &[
            required(
                "query",
                Kind::Text { min: 1, max: 1_000 },
                "what is looked for",
            ),
            optional(
                "mode",
                Kind::Choice(&["auto", "keyword", "weighted", "bm25", "semantic", "context"]),
                "how to search; auto suits nearly always",
            )
            .or("\"auto\""),
            optional(
                "kind",
                Kind::Choice(&["all", "rule", "pattern", "fact"]),
                "only recipes of this kind",
            )
            .or("\"all\""),
            optional(
                "limit",
                Kind::Integer { min: 1, max: 100 },
                "how many at most; 10, in context mode 5",
            ),
            optional("language", TEXT, "only recipes for this language"),
            optional("sessionId", TEXT, "of a conversation that goes on"),
            optional("sessionHistory", HISTORY, "queries before this one"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_knowledge",
        title: "Read recipes",
        about: "Use to list recipes, to get one whole by id or @trigger (with code, reasons and \
                relations), to see how one fares (insights), and to report that you followed one \
                (confirm_usage).",
        purpose: "list, read and confirm recipes",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[
            optional(
                "operation",
                Kind::Choice(&["list", "get", "insights", "confirm_usage"]),
                "",
            )
            .or("\"list\""),
            optional("id", ONE_TEXT, "id or @trigger; for all but list"),
            optional(
                "kind",
                Kind::Choice(&["all", "rule", "pattern", "fact"]),
                "",
            ),
            optional("language", TEXT, ""),
            optional("category", TEXT, ""),
            optional("knowledgeType", TEXT, ""),
            optional(
                "status",
                Kind::Choice(&[
                    "pending",
                    "staging",
                    "active",
                    "evolving",
                    "decaying",
                    "deprecated",
                ]),
                "only recipes in this state",
            ),
            optional(
                "complexity",
                Kind::Choice(&["basic", "intermediate", "advanced"]),
                "",
            ),
            optional("limit", Kind::Integer { min: 1, max: 200 }, "").or("20"),
            optional(
                "usageType",
                Kind::Choice(&["adoption", "application"]),
                "for confirm_usage: taken over, or applied once",
            )
            .or("\"adoption\""),
            optional("feedback", TEXT, "for confirm_usage: how it went"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_structure",
        title: "Project structure",
        about: "Use to learn what the project is made of: its targets with their roles, the files \
                of one target (with content when asked), or a target's manifest and dependencies.",
        purpose: "targets, files and manifests",
        tier: Tier::Agent,
        effect: Effect::Reads,
        params: &[
            optional(
                "operation",
                Kind::Choice(&["targets", "files", "metadata"]),
                "",
            )
            .or("\"targets\""),
            optional("targetName", TEXT, "for files and metadata").also(&["target"]),
            optional("includeSummary", Kind::Flag, "").or("true"),
            optional("includeContent", Kind::Flag, "").or("false"),
            optional("contentMaxLines", Kind::Integer { min: 1, max: 2_000 }, "").or("100"),
            optional("maxFiles", Kind::Integer { min: 1, max: 5_000 }, "").or("500"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_graph",
        title: "Graph of recipes and modules",
        about: "Use to see how recipes or modules hang together: what one points to and what \
                points to it (query), what a change of it touches (impact), the way between two \
                (path), or figures (stats).",
        purpose: "relations, impact and paths",
        tier: Tier::Agent,
        effect: Effect::Reads,
        params: &[
            required(
                "operation",
                Kind::Choice(&["query", "impact", "path", "stats"]),
                "",
            ),
            optional(
                "nodeId",
                ONE_TEXT,
                "id or @trigger of a recipe, name of a module, path",
            ),
            optional(
                "nodeType",
                Kind::Choice(&["recipe", "module", "file", "symbol"]),
                "",
            )
            .or("\"recipe\""),
            optional("fromId", ONE_TEXT, "for path"),
            optional("toId", ONE_TEXT, "for path"),
            optional("direction", Kind::Choice(&["out", "in", "both"]), "").or("\"both\""),
            optional(
                "maxDepth",
                Kind::Integer { min: 1, max: 10 },
                "3; for path 5",
            ),
            optional("relation", TEXT, "only edges of this kind"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_call_context",
        title: "Who calls it, what it calls",
        about: "Use before changing a function or method: lists its callers and callees with \
                file, line and confidence, and says how risky a change is.",
        purpose: "callers, callees and risk",
        tier: Tier::Agent,
        effect: Effect::Reads,
        params: &[
            required("methodName", ONE_TEXT, "`name`, `Type.name` or `mod::name`"),
            optional(
                "direction",
                Kind::Choice(&["callers", "callees", "both", "impact"]),
                "",
            )
            .or("\"both\""),
            optional("maxDepth", Kind::Integer { min: 1, max: 5 }, "").or("2"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_guard",
        title: "Check code against the recipes",
        about: "Use after every change: without arguments it reviews the changed files; with \
                `files` these, with `code` a text. Each violation brings the recipe that says how \
                to do it right. Mend and call again until `passed` is true.",
        purpose: "check code, review changes",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[
            optional(
                "operation",
                Kind::Choice(&[
                    "check",
                    "review",
                    "reverse_audit",
                    "coverage_matrix",
                    "compliance_report",
                ]),
                "",
            ),
            optional("files", FILES, "project-relative paths"),
            optional("code", TEXT, "a text to check"),
            optional("language", TEXT, "of `code`"),
            optional("filePath", TEXT, "where `code` would stand"),
            optional(
                "maxFiles",
                Kind::Integer {
                    min: 1,
                    max: 100_000,
                },
                "",
            ),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_submit_knowledge",
        title: "Submit recipes",
        about: "Use when you found a convention of this project that no recipe holds yet, or when \
                the user states one. Submit complete items; each is validated, compared with what \
                is there, and waits for a person. Says per item what is missing.",
        purpose: "submit candidates for recipes",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[
            required(
                "items",
                Kind::ListOrText {
                    of: &Kind::Anything,
                    min: 1,
                    max: 100,
                },
                "title, description, trigger, kind, knowledgeType, language, category, whenClause, \
                 doClause, dontClause, coreCode, headers, usageGuide, content{markdown, rationale}, \
                 reasoning{whyStandard, sources, confidence}",
            ),
            optional("target_name", TEXT, "the target they belong to").also(&["targetName"]),
            optional(
                "source",
                Kind::Choice(&["mcp", "bootstrap", "cursor-scan", "manual", "import"]),
                "",
            )
            .or("\"mcp\""),
            optional("skipConsolidation", Kind::Flag, "").or("false"),
            optional("client_id", TEXT, "").also(&["clientId"]),
            optional("dimensionId", TEXT, "the dimension they belong to"),
            optional(
                "supersedes",
                TEXT,
                "id or trigger of the recipe that they replace",
            ),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_skill",
        title: "Skills",
        about: "Use to list the skills of this project, to load one (or a section of it) before \
                work that it is about, to ask which fit (suggest), and to create, update or delete \
                a project skill.",
        purpose: "list, load and write skills",
        tier: Tier::Agent,
        effect: Effect::Destroys,
        params: &[
            required(
                "operation",
                Kind::Choice(&["list", "load", "create", "update", "delete", "suggest"]),
                "",
            ),
            optional("name", TEXT, "kebab-case").also(&["skillName"]),
            optional("section", TEXT, "for load: one heading"),
            optional("description", TEXT, "when it is to be used"),
            optional("content", TEXT, "Markdown"),
            optional("overwrite", Kind::Flag, "").or("false"),
            optional(
                "createdBy",
                Kind::Choice(&["manual", "user-ai", "system-ai", "external-ai"]),
                "",
            )
            .or("\"external-ai\""),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_bootstrap",
        title: "Learn the project",
        about: "Use once in a project without recipes: scans it and gives a briefing with its \
                structure, what to look at in each dimension, and what a submission must hold. \
                Then work through the dimensions, submit, and complete each.",
        purpose: "scan a new project, get a plan",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[],
        limit: LONG,
    },
    ToolSpec {
        name: "asd_rescan",
        title: "Learn what changed",
        about: "Use after the project changed much: keeps the recipes, says which still hold, which \
                need a look, and which dimensions have gaps.",
        purpose: "compare recipes with the code",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[
            optional("dimensions", IDS, "only these"),
            optional("reason", TEXT, ""),
            optional("force", Kind::Flag, "look at unchanged files too").or("false"),
        ],
        limit: LONG,
    },
    ToolSpec {
        name: "asd_evolve",
        title: "Decide on recipes",
        about: "Use after asd_rescan, for recipes that need a look: propose a change with evidence, \
                confirm that one is outdated, or say that it still holds.",
        purpose: "propose changes of recipes",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[required(
            "decisions",
            Kind::ListOrText {
                of: &DECISION,
                min: 1,
                max: 200,
            },
            "",
        )],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_dimension_complete",
        title: "Complete a dimension",
        about: "Use when you have looked at one dimension of the bootstrap plan and submitted its \
                recipes: stores your analysis, says how good it is and what is left.",
        purpose: "finish a dimension of the plan",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[
            required("dimensionId", ONE_TEXT, ""),
            required(
                "analysisText",
                Kind::Text {
                    min: 10,
                    max: 200_000,
                },
                "Markdown",
            ),
            optional("sessionId", TEXT, ""),
            optional("submittedRecipeIds", IDS, ""),
            optional("keyFindings", TEXTS, ""),
            optional(
                "candidateCount",
                Kind::Integer {
                    min: 0,
                    max: 10_000,
                },
                "",
            ),
            optional("referencedFiles", TEXTS, ""),
            optional("crossDimensionHints", Kind::Texts, "hints by dimension id"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_wiki",
        title: "Write the wiki",
        about: "Use to write the project's wiki: plan gives the topics with what is known of each; \
                write the articles, then finalize checks and records them.",
        purpose: "plan and check wiki articles",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[
            required("operation", Kind::Choice(&["plan", "finalize"]), ""),
            optional("language", Kind::Choice(&["zh", "en"]), "").or("\"zh\""),
            optional("sessionId", TEXT, ""),
            optional("articlesWritten", TEXTS, "paths below the wiki folder"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_panorama",
        title: "The whole at a glance",
        about: "Use to see the architecture and how well recipes cover it: layers and modules \
                (overview), one module, gaps, health, and the state of governance (decay, staging, \
                suggestions).",
        purpose: "layers, coverage, gaps and health",
        tier: Tier::Agent,
        effect: Effect::Reads,
        params: &[
            optional(
                "operation",
                Kind::Choice(&[
                    "overview",
                    "module",
                    "gaps",
                    "health",
                    "governance_cycle",
                    "decay_report",
                    "staging_check",
                    "enhancement_suggestions",
                ]),
                "",
            )
            .or("\"overview\""),
            optional("module", TEXT, "for module"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_task",
        title: "Prime and track work",
        about: "Use at the start of every message of the user: prime finds the recipes for it. Then \
                create for larger work, record_decision for what the user agrees to, and close or \
                fail at the end.",
        purpose: "prime, create, close tasks",
        tier: Tier::Agent,
        effect: Effect::Writes,
        params: &[
            required(
                "operation",
                Kind::Choice(&["prime", "create", "close", "fail", "record_decision"]),
                "",
            ),
            optional("title", TEXT, "for create and record_decision"),
            optional("description", TEXT, "for record_decision"),
            optional("id", ONE_TEXT, "for close and fail").also(&["taskId"]),
            optional("reason", TEXT, "for close and fail"),
            optional("rationale", TEXT, "for record_decision"),
            optional("tags", TEXTS, "for record_decision"),
            optional("userQuery", TEXT, "for prime: the user's words"),
            optional("activeFile", TEXT, "for prime: the open file"),
            optional("language", TEXT, "for prime"),
        ],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_enrich_candidates",
        title: "Complete candidates",
        about: "Use to see what candidates lack, and to fill in what follows from the rest of them.",
        purpose: "fill in what candidates lack",
        tier: Tier::Admin,
        effect: Effect::Writes,
        params: &[required(
            "candidateIds",
            Kind::List {
                of: &FILLED,
                min: 1,
                max: 20,
            },
            "ids or triggers",
        )],
        limit: QUICK,
    },
    ToolSpec {
        name: "asd_knowledge_lifecycle",
        title: "Approve and retire recipes",
        about: "Use to move a recipe through its life: approve or reject a candidate, publish, \
                deprecate, reactivate.",
        purpose: "approve, publish, retire recipes",
        tier: Tier::Admin,
        effect: Effect::Destroys,
        params: &[
            required("id", ONE_TEXT, "id or trigger"),
            required(
                "action",
                Kind::Choice(&[
                    "submit",
                    "approve",
                    "reject",
                    "publish",
                    "deprecate",
                    "reactivate",
                    "to_draft",
                    "fast_track",
                ]),
                "",
            ),
            optional("reason", TEXT, ""),
        ],
        limit: QUICK,
    },
];

/// The tool of that name.
#[must_use]
pub fn tool(name: &str) -> Option<&'static ToolSpec> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// What the gateway asks before a call: an action and a resource; `None` for
/// calls that anybody may make. (mcp.md §4)
#[must_use]
pub fn gate(tool: &str, arguments: &Map<String, Value>) -> Option<(&'static str, &'static str)> {
    let operation = arguments.get("operation").and_then(Value::as_str);
    match (tool, operation) {
        ("asd_submit_knowledge", _) | ("asd_wiki", Some("finalize")) => {
            Some(("knowledge:create", "knowledge"))
        }
        ("asd_rescan" | "asd_dimension_complete" | "asd_bootstrap", _) => {
            Some(("knowledge:bootstrap", "knowledge"))
        }
        ("asd_evolve", _) => Some(("knowledge:evolve", "knowledge")),
        ("asd_guard", operation) => {
            let reviews = match operation {
                Some(operation) => operation == "review",
                None => !arguments.contains_key("code"),
            };
            (reviews || arguments.contains_key("files"))
                .then_some(("guard_rule:check_code", "guard_rules"))
        }
        ("asd_skill", Some("create")) => Some(("create:skills", "skills")),
        ("asd_skill", Some("update")) => Some(("update:skills", "skills")),
        ("asd_skill", Some("delete")) => Some(("delete:skills", "skills")),
        ("asd_task", Some("create" | "record_decision")) => Some(("task:create", "intent")),
        ("asd_task", Some("close" | "fail")) => Some(("task:update", "intent")),
        ("asd_enrich_candidates" | "asd_knowledge_lifecycle", _) => {
            Some(("knowledge:update", "knowledge"))
        }
        _ => None,
    }
}

/// Whether calls of a tool wait for each other, since they look at the knowledge
/// and then write to it.
#[must_use]
pub fn writes_knowledge(tool: &str) -> bool {
    matches!(
        tool,
        "asd_submit_knowledge"
            | "asd_skill"
            | "asd_evolve"
            | "asd_enrich_candidates"
            | "asd_knowledge_lifecycle"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::params::schema;

    #[test]
    fn an_agent_has_sixteen_tools_and_who_runs_the_project_eighteen() {
        let for_agents = TOOLS.iter().filter(|tool| tool.tier == Tier::Agent);
        assert_eq!(for_agents.count(), 16);
        assert_eq!(TOOLS.len(), 18);
    }

    #[test]
    fn descriptions_are_short_and_say_when() {
        for tool in TOOLS {
            assert!(tool.about.len() <= 400, "{}", tool.name);
            assert!(tool.about.starts_with("Use "), "{}", tool.name);
            assert!(tool.purpose.split(' ').count() <= 8, "{}", tool.name);
            assert_eq!(schema(tool.params)["type"], "object");
        }
    }

    #[test]
    fn defaults_are_values_that_their_parameter_takes() {
        for tool in TOOLS {
            for param in tool.params {
                if let Some(default) = param.default {
                    let value: Value = serde_json::from_str(default).unwrap();
                    let mut given = Map::new();
                    given.insert(param.name.to_owned(), value);
                    let violations = crate::service::params::read(tool.params, given)
                        .err()
                        .unwrap_or_default();
                    let wrong = violations.iter().find(|wrong| wrong.path == param.name);
                    assert_eq!(wrong, None, "{}", tool.name);
                }
            }
        }
    }
}
