//! The built-in rules. (guard.md §3)
//!
//! One rule is one small file with a [`BuiltIn`] in it and is listed in
//! [`RULES`]; its page is `docs/rules/<id>.md`, its cases are in
//! `tests/guards/builtin/<id>.md`. The engine compiles the rules that are in
//! force for a language into a [`Plan`] and lets it see one traversal of the
//! tree; what questions rules share (who declares a name, what encloses a node)
//! is answered by [`FileCx`] and the modules beside it.

mod bindings;
mod cross_file;
mod dart;
mod edits;
mod file_cx;
mod go;
mod java;
mod javascript;
mod kotlin;
mod line_scan;
mod metrics;
mod objc;
mod packs;
mod plan;
mod python;
mod rust;
mod sink;
mod swift;

#[cfg(test)]
mod tests;

use asd_recipe::Severity;
use asd_syntax::Language;
use tree_sitter::Node;

use crate::cross_file::{Conflict, Files};
use crate::{Layer, RuleTag};

pub(crate) use bindings::{children, span_of};
pub(crate) use file_cx::FileCx;
pub(crate) use line_scan::scan;
pub(crate) use packs::PACKS;
pub(crate) use plan::{Plan, Visitor};
pub(crate) use sink::{Found, Limits, Sink};

/// A rule that is part of the product.
pub(crate) struct BuiltIn {
    /// Its id, stable for ever.
    pub(crate) id: &'static str,
    /// The layer that it is counted under.
    pub(crate) layer: Layer,
    /// Its severity; a single finding may have another.
    pub(crate) severity: Severity,
    /// Canonical ids of the languages that it knows.
    pub(crate) languages: &'static [&'static str],
    /// `correctness`, `safety`, `style` or `performance`.
    pub(crate) category: &'static str,
    /// What is wrong, in one sentence.
    pub(crate) message: &'static str,
    /// What to do, in one sentence.
    pub(crate) fix_suggestion: &'static str,
    /// Why it matters.
    pub(crate) why: &'static str,
    /// Whether its findings can carry a machine fix.
    pub(crate) fixable: bool,
    /// How a finding should be drawn.
    pub(crate) tag: Option<RuleTag>,
    /// The threshold of the relaxed profile, for rules that count.
    pub(crate) threshold: Option<u32>,
    /// The threshold of the strict profile where it differs.
    pub(crate) strict_threshold: Option<u32>,
    /// For a rule that counts two things.
    pub(crate) second: Option<Second>,
    /// Whether test files are left alone.
    pub(crate) skips_tests: bool,
    /// A rule of a higher layer that describes the same fault: where both find
    /// something, only that one is reported. (guard.md §2)
    pub(crate) yields_to: Option<&'static str>,
    /// How it decides.
    pub(crate) check: Check,
    /// Its page, in Markdown.
    pub(crate) page: &'static str,
}

/// The second threshold of a rule. Each of the two has a key of its own in the
/// settings: the rule's id with an ending. (guard.md §3.9)
pub(crate) struct Second {
    /// The ending for the first threshold.
    pub(crate) first_key: &'static str,
    /// The ending for the second.
    pub(crate) key: &'static str,
    /// The second threshold of the relaxed profile.
    pub(crate) threshold: u32,
    /// And of the strict one.
    pub(crate) strict_threshold: u32,
}

/// How a rule decides.
pub(crate) enum Check {
    /// Looks at every node of some kinds. A visit is cheap and local; it may
    /// walk the ancestors of its node.
    Nodes {
        /// The kinds, as the grammar of the language names them.
        kinds: fn(Language) -> &'static [&'static str],
        /// What it says to one of them.
        visit: for<'a> fn(&FileCx<'a>, Node<'a>, &mut Sink),
    },
    /// Looks at every node of some kinds and decides when all were seen.
    Count {
        /// The kinds.
        kinds: fn(Language) -> &'static [&'static str],
        /// Whether a node counts, and with which span.
        visit: for<'a> fn(&FileCx<'a>, Node<'a>, &mut Vec<asd_text::Span>),
        /// What is said of all that counted, in the order of the text.
        finish: fn(&FileCx<'_>, &[asd_text::Span], &mut Sink),
    },
    /// Looks at the file once; also when there is no tree.
    File(for<'a> fn(&FileCx<'a>, &mut Sink)),
    /// Looks at what is known of all files of a project, see
    /// [`crate::RuleSet::check_across_files`].
    Project(fn(&Files<'_>) -> Vec<Conflict>),
}

/// What a rule says of itself when it says nothing else.
pub(crate) const DEFAULTS: BuiltIn = BuiltIn {
    id: "",
    layer: Layer::Regex,
    severity: Severity::Warning,
    languages: &[],
    category: "correctness",
    message: "",
    fix_suggestion: "",
    why: "",
    fixable: false,
    tag: None,
    threshold: None,
    strict_threshold: None,
    second: None,
    skips_tests: false,
    yields_to: None,
    check: Check::File(|_, _| {}),
    page: "",
};

/// Every built-in rule, by id.
pub(crate) static RULES: &[&BuiltIn] = &[
    &objc::assign_object_property::RULE,
    &metrics::class_bloat::RULE,
    &metrics::deep_inheritance::RULE,
    &metrics::deep_nesting::RULE,
    &metrics::god_class::RULE,
    &metrics::method_complexity::RULE,
    &metrics::method_too_long::RULE,
    &objc::missing_nonatomic::RULE,
    &objc::missing_weakify::RULE,
    &objc::mutable_public_collection::RULE,
    &metrics::singleton_abuse::RULE,
    &metrics::wide_protocol_conformance::RULE,
    &dart::avoid_bang_operator::RULE,
    &dart::avoid_dynamic::RULE,
    &dart::dispose_controller::RULE,
    &dart::excessive_late::RULE,
    &dart::no_build_context_across_async::RULE,
    &dart::no_print::RULE,
    &dart::no_relative_import::RULE,
    &dart::no_set_state_after_dispose::RULE,
    &dart::prefer_const_constructor::RULE,
    &dart::set_state_after_dispose::RULE,
    &go::defer_in_loop::RULE,
    &cross_file::multiple_init::RULE,
    &go::no_err_ignored::RULE,
    &go::no_global_var::RULE,
    &go::no_init_abuse::RULE,
    &go::no_panic::RULE,
    &cross_file::duplicate_class::RULE,
    &java::no_empty_catch::RULE,
    &java::no_raw_type::RULE,
    &java::no_system_exit::RULE,
    &java::no_thread_stop::RULE,
    &java::resource_leak::RULE,
    &java::sync_non_final::RULE,
    &cross_file::circular_import::RULE,
    &javascript::no_alert::RULE,
    &javascript::no_console_log::RULE,
    &javascript::no_debugger::RULE,
    &javascript::no_eval::RULE,
    &javascript::no_var::RULE,
    &javascript::unhandled_promise::RULE,
    &kotlin::global_scope::RULE,
    &kotlin::no_force_unwrap::RULE,
    &kotlin::run_blocking::RULE,
    &swift::main_thread_sync::RULE,
    &objc::main_thread_sync::RULE,
    &objc::assign_object::RULE,
    &objc::block_retain_cycle::RULE,
    &cross_file::duplicate_category::RULE,
    &objc::dealloc_async::RULE,
    &objc::duplicate_category::RULE,
    &objc::kvo_missing_remove::RULE,
    &objc::main_thread_blocking::RULE,
    &objc::timer_retain_cycle::RULE,
    &python::mixed_indentation::RULE,
    &python::no_assert_in_prod::RULE,
    &python::no_bare_except::RULE,
    &python::no_exec::RULE,
    &python::no_mutable_default::RULE,
    &python::no_star_import::RULE,
    &rust::clone_overuse::RULE,
    &rust::excessive_unsafe::RULE,
    &rust::excessive_unwrap::RULE,
    &rust::no_expect_without_msg::RULE,
    &rust::no_panic_in_lib::RULE,
    &rust::string_push_in_loop::RULE,
    &rust::no_todo_macro::RULE,
    &rust::no_unwrap::RULE,
    &rust::std_mutex_in_async::RULE,
    &rust::unsafe_block::RULE,
    &cross_file::extension_conflict::RULE,
    &swift::excessive_force_unwrap::RULE,
    &swift::force_cast::RULE,
    &swift::force_try::RULE,
    &javascript::no_non_null_assertion::RULE,
];

/// The rule of that id, built in or of a pack.
pub(crate) fn rule(id: &str) -> Option<&'static BuiltIn> {
    let built_in = RULES.iter().copied().find(|rule| rule.id == id);
    built_in.or_else(|| packs::rules().find(|rule| rule.id == id))
}

/// The page of a rule that is built in or of a pack, in Markdown: what it reports and why, code that
/// breaks and keeps it, exceptions and options. `None` for any other rule.
#[must_use]
pub fn rule_page(id: &str) -> Option<&'static str> {
    rule(id).map(|rule| rule.page)
}
