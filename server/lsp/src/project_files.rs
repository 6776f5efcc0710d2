//! The files of a project, open or on disk, read for requests that ask for
//! places in all of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use asd_guard::{GuardOptions, RuleProblem, RuleSet, SourceFilter, Target};
use asd_recipe::{Lifecycle, Recipe};
use asd_store::{Disk, Unreadable};
use asd_syntax::Language;
use asd_text::Span;
use rayon::prelude::*;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types::Uri;

use crate::project::{Project, is_knowledge};
use crate::recipes;
use crate::snapshot::{DocumentView, Snapshot};

/// A request looks at no more files than this.
const MOST_FILES: usize = 50_000;

/// Larger files are not looked at unless they are open.
const MOST_BYTES: u64 = 2_000_000;

/// The files of a project, beside its recipes, that name rules.
pub(crate) const RULE_FILES: [&str; 2] = ["Alembic/config.toml", "Alembic/guard-exclusions.json"];

/// A file of a project.
pub(crate) struct ProjectFile {
    /// Project-relative, with `/`.
    pub path: String,
    /// Its text: as open, else as on disk.
    pub text: asd_text::Snapshot,
    /// Its language.
    pub language: Option<Language>,
    /// The document, when it is open.
    pub open: Option<DocumentView>,
}

impl ProjectFile {
    /// The name under which the client knows the file.
    pub(crate) fn uri(&self, project: &Project) -> Option<Uri> {
        match &self.open {
            Some(view) => Some(view.uri().clone()),
            None => project.uri_of(&self.path),
        }
    }

    /// The version of the open document.
    pub(crate) fn version(&self) -> Option<i32> {
        self.open.as_ref().map(DocumentView::version)
    }

    /// What `rules` find here; nothing in the project's own files.
    pub(crate) fn findings(
        &self,
        rules: &RuleSet,
        cancel: &AtomicBool,
    ) -> Result<Vec<Span>, jsonrpc::Error> {
        let Some(language) = self.language.filter(|_| !is_knowledge(&self.path)) else {
            return Ok(Vec::new());
        };
        let target = Target {
            path: Some(&self.path),
            text: &self.text.text,
            language,
            previous: None,
        };
        let report = rules
            .check(&target, cancel)
            .map_err(|_| jsonrpc::Error::request_cancelled())?;
        Ok(report.findings.into_iter().map(|f| f.span).collect())
    }

    fn load(snapshot: &Snapshot, project: &Project, path: &str) -> Option<Self> {
        if let Some(view) = snapshot.document_at(project, path) {
            return Some(Self {
                path: path.to_owned(),
                text: view.text().clone(),
                language: view.language(),
                open: Some(view),
            });
        }
        let full = project.root.join(path);
        let decoded: Result<_, Unreadable> = asd_store::read_text_up_to(&Disk, &full, MOST_BYTES);
        let text = asd_text::Snapshot::new(&decoded.ok()?.text);
        Some(Self {
            path: path.to_owned(),
            language: Language::of_file(&full, &text.text),
            text,
            open: None,
        })
    }
}

/// Asks the files of a project whose paths are `wanted`, open ones, sources and
/// recipes, on all cores, and gives the answers in the order of the paths.
///
/// # Errors
/// `RequestCancelled` soon after `cancel` was set.
pub(crate) fn ask_all<T: Send>(
    snapshot: &Snapshot,
    project: &Project,
    cancel: &AtomicBool,
    wanted: impl Fn(&str) -> bool,
    ask: impl Fn(&ProjectFile) -> Result<Option<T>, jsonrpc::Error> + Sync,
) -> Result<Vec<T>, jsonrpc::Error> {
    let cancelled = || cancel.load(Ordering::Relaxed);
    let mut paths = paths(snapshot, project, cancel);
    paths.retain(|path| wanted(path));
    let answers: Result<Vec<Option<T>>, jsonrpc::Error> = paths
        .par_iter()
        .map(|path| {
            if cancelled() {
                return Err(jsonrpc::Error::request_cancelled());
            }
            match ProjectFile::load(snapshot, project, path) {
                Some(file) => ask(&file),
                None => Ok(None),
            }
        })
        .collect();
    if cancelled() {
        return Err(jsonrpc::Error::request_cancelled());
    }
    Ok(answers?.into_iter().flatten().collect())
}

fn paths(snapshot: &Snapshot, project: &Project, cancel: &AtomicBool) -> Vec<String> {
    let mut paths: BTreeSet<String> = snapshot
        .documents()
        .filter(|view| view.project.uri == project.uri)
        .filter_map(|view| view.path)
        .collect();
    paths.extend(recipes::all(project).map(|(path, _)| path.to_owned()));
    paths.extend(RULE_FILES.map(str::to_owned));
    let walked = asd_store::walk(&Disk, &asd_store::Project::at(&project.root), &[], cancel);
    let left = MOST_FILES.saturating_sub(paths.len());
    paths.extend(walked.files.into_iter().take(left).map(|file| file.rel));
    paths.into_iter().collect()
}

/// Whether a file of that name may hold code that one of the rules checks, by
/// its name alone: in its language, or in a part of it.
pub(crate) fn may_concern(rules: &RuleSet, path: &str) -> bool {
    let Some(language) = Language::of_file(Path::new(path), "") else {
        return false;
    };
    let ambiguous = Path::new(path).extension().is_some_and(|ext| ext == "h");
    let holds_others = matches!(
        language,
        Language::Html | Language::Markdown | Language::Vue | Language::Svelte
    );
    ambiguous
        || holds_others
        || rules.rules().iter().any(|rule| {
            rule.languages.is_empty() || rule.languages.iter().any(|id| id == language.id())
        })
}

/// The rules of one recipe alone, or of one of its guards, whatever state of its
/// life the recipe is in.
pub(crate) fn rules_of(
    path: &str,
    recipe: &Recipe,
    guard: Option<&str>,
) -> (RuleSet, Vec<RuleProblem>) {
    let mut alone = recipe.clone();
    alone.lifecycle = Lifecycle::Active;
    if let Some(id) = guard {
        alone.constraints.guards.retain(|guard| guard.id == id);
    }
    let options = GuardOptions {
        sources: SourceFilter::Recipe,
        ..GuardOptions::default()
    };
    RuleSet::build(&[(Arc::from(path), Arc::new(alone))], &options, None)
}
