//! Reading a project's files into [`Sources`], each changed file once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use asd_store::{Host, Project, read_text_up_to, walk};
use asd_syntax::{Language, is_generated, is_minified, is_test_path};
use rayon::prelude::*;
use thiserror::Error;

use crate::cache::{Cache, Packed, unpack};
use crate::extract::extract_text;
use crate::manifest::{MAX_MANIFEST, Manifest, is_manifest, parse_manifest};
use crate::map::CodeMap;
use crate::resolve::build;
use crate::source::{SourceFile, Sources, content_hash};

/// The largest source file that is read, in bytes. (mcp.md §5)
pub const MAX_SOURCE: u64 = 1024 * 1024;

/// The most source files that are read. (mcp.md §5)
pub const MAX_FILES: usize = 20_000;

/// The database below `.asd/`.
const DATABASE: &str = "codemap.db";

/// How far a scan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files that were looked at.
    pub done: usize,
    /// Files in all.
    pub total: usize,
}

/// Whether facts are kept between scans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// In a database below `.asd/`, when the project has been set up.
    #[default]
    WhenSetUp,
    /// In memory only; nothing is written.
    Nothing,
}

/// How a scan is done.
pub struct ScanOptions<'a> {
    /// The files.
    pub host: &'a dyn Host,
    /// Ends the scan when set.
    pub cancel: &'a AtomicBool,
    /// Told from any thread how far it is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// What is kept.
    pub keep: Keep,
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ScanError {
    /// It was cancelled.
    #[error("the scan was cancelled")]
    Cancelled,
}

/// What changed between two scans, each list sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// Source files that are new.
    pub added: Vec<String>,
    /// Source files with another content.
    pub modified: Vec<String>,
    /// Source files that are gone.
    pub deleted: Vec<String>,
}

impl Delta {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.deleted.is_empty()
    }
}

/// A project's sources and the map made of them, kept fresh.
#[derive(Clone, Debug, Default)]
pub struct CodeIndex {
    sources: Sources,
    map: Arc<CodeMap>,
    warnings: Vec<String>,
    extracted: usize,
}

impl CodeIndex {
    /// Reads a whole project.
    ///
    /// # Errors
    /// [`ScanError::Cancelled`].
    pub fn scan(project: &Project, options: &ScanOptions<'_>) -> Result<Self, ScanError> {
        let mut index = Self::default();
        index.refresh(project, options)?;
        Ok(index)
    }

    /// The map of what was read last.
    #[must_use]
    pub fn map(&self) -> Arc<CodeMap> {
        Arc::clone(&self.map)
    }

    /// What was read last.
    #[must_use]
    pub const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Limits that were hit, each a sentence.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many files were parsed by the last scan; the others were known.
    #[must_use]
    pub const fn extracted(&self) -> usize {
        self.extracted
    }

    /// Looks at all files again and parses those that changed.
    ///
    /// # Errors
    /// [`ScanError::Cancelled`]; what was known stays.
    pub fn refresh(
        &mut self,
        project: &Project,
        options: &ScanOptions<'_>,
    ) -> Result<Delta, ScanError> {
        let walked = walk(options.host, project, &[], options.cancel);
        stop(options.cancel)?;
        let mut warnings = Vec::new();
        let mut manifests = BTreeMap::new();
        let mut paths = Vec::new();
        for file in walked.files {
            if is_own(&file.rel) {
                continue;
            }
            if is_manifest(&file.rel)
                && let Some(manifest) = read_manifest(options.host, &file.path, &file.rel)
            {
                manifests.insert(file.rel.clone(), Arc::new(manifest));
            }
            paths.push(file);
        }
        let mut cache = open_cache(project, options.keep);
        let packed = cache
            .as_ref()
            .and_then(|cache| cache.load().ok())
            .unwrap_or_default();
        let done = AtomicUsize::new(0);
        let total = paths.len();
        let extracted = AtomicUsize::new(0);
        let read: Vec<(String, Arc<SourceFile>)> = paths
            .into_par_iter()
            .filter_map(|file| {
                if options.cancel.load(Ordering::Relaxed) {
                    return None;
                }
                let source = self.read(options.host, &file.path, &file.rel, &packed, &extracted);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                (options.progress)(Progress { done, total });
                source.map(|source| (file.rel, source))
            })
            .collect();
        stop(options.cancel)?;
        let mut files: BTreeMap<String, Arc<SourceFile>> = read.into_iter().collect();
        if files.len() > MAX_FILES {
            warnings.push(format!(
                "The project has {} source files; only the first {MAX_FILES} were read.",
                files.len()
            ));
            let rest = files.keys().nth(MAX_FILES).cloned();
            if let Some(rest) = rest {
                files.split_off(&rest);
            }
        }
        let delta = delta(&self.sources.files, &files);
        if let Some(cache) = &mut cache {
            keep(cache, &packed, &files);
        }
        self.extracted = extracted.into_inner();
        let changed =
            !delta.is_empty() || manifests != self.sources.manifests || self.map.files().is_empty();
        self.sources = Sources { files, manifests };
        self.warnings = warnings;
        if changed {
            self.map = Arc::new(build(&self.sources));
        }
        Ok(delta)
    }

    /// Looks at these project-relative paths only, as a watcher names them. A
    /// path that is new, gone or a manifest makes it look at all files.
    ///
    /// # Errors
    /// [`ScanError::Cancelled`]; what was known stays.
    pub fn update(
        &mut self,
        project: &Project,
        paths: &[String],
        options: &ScanOptions<'_>,
    ) -> Result<Delta, ScanError> {
        let mut changed = Vec::new();
        let extracted = AtomicUsize::new(0);
        for path in paths {
            let known = self.sources.files.contains_key(path) && !is_manifest(path);
            let source = project
                .absolute(path)
                .ok()
                .filter(|_| known)
                .and_then(|at| self.read(options.host, &at, path, &Packed::new(), &extracted));
            match source {
                Some(source) => changed.push((path.clone(), source)),
                None => return self.refresh(project, options),
            }
        }
        stop(options.cancel)?;
        let mut files = self.sources.files.clone();
        files.extend(changed);
        let delta = delta(&self.sources.files, &files);
        if !delta.is_empty() {
            if let Some(mut cache) = open_cache(project, options.keep) {
                let changed: Vec<(&str, &SourceFile)> = delta
                    .modified
                    .iter()
                    .map(|path| (path.as_str(), files[path].as_ref()))
                    .collect();
                if let Err(error) = cache.store(&changed, &[]) {
                    tracing::warn!(%error, "the code map could not be kept");
                }
            }
            self.sources.files = files;
            self.map = Arc::new(build(&self.sources));
        }
        self.extracted = extracted.into_inner();
        Ok(delta)
    }

    /// A file as it is now, from what is known of it when it did not change.
    fn read(
        &self,
        host: &dyn Host,
        at: &std::path::Path,
        path: &str,
        packed: &Packed,
        extracted: &AtomicUsize,
    ) -> Option<Arc<SourceFile>> {
        if !may_be_source(path) {
            return None;
        }
        let text = read_text_up_to(host, at, MAX_SOURCE).ok()?.text;
        let language = Language::of_file(at, &text).filter(|language| is_code(*language))?;
        let hash = content_hash(path, text.as_bytes());
        if let Some(known) = self
            .sources
            .files
            .get(path)
            .filter(|known| known.hash == hash)
        {
            return Some(Arc::clone(known));
        }
        if let Some((_, body)) = packed.get(path).filter(|(known, _)| *known == hash)
            && let Some(file) = unpack(body)
        {
            return Some(Arc::new(file));
        }
        if is_generated(path, &text) || is_minified(&text) {
            return None;
        }
        extracted.fetch_add(1, Ordering::Relaxed);
        Some(Arc::new(SourceFile {
            hash,
            size: text.len() as u64,
            is_test: is_test_path(path),
            facts: extract_text(&text, language),
        }))
    }
}

fn stop(cancel: &AtomicBool) -> Result<(), ScanError> {
    if cancel.load(Ordering::Relaxed) {
        Err(ScanError::Cancelled)
    } else {
        Ok(())
    }
}

/// What this product writes itself is no code of the project. (mcp.md §5)
fn is_own(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    let name = crate::path::name(path);
    matches!(first, "Alembic" | ".asd" | ".cursor")
        || matches!(name, "AGENTS.md" | "CLAUDE.md" | "copilot-instructions.md")
        || name.ends_with(".mdc")
}

/// Whether a change of this project-relative path can change the map: not that
/// of a document, a picture, or something that this product writes. A path may
/// be that of a folder.
#[must_use]
pub fn is_relevant(path: &str) -> bool {
    !is_own(path) && (is_manifest(path) || may_be_source(path))
}

/// Whether a file is worth opening: by its extension, or it has none.
fn may_be_source(path: &str) -> bool {
    const NONE: &[&str] = &[
        "md", "json", "lock", "svg", "png", "jpg", "gif", "ico", "txt", "yaml", "yml", "toml",
        "html", "css", "scss", "xml", "snap", "map", "pdf", "woff", "woff2", "ttf", "zip", "gz",
        "po", "csv", "rst",
    ];
    let name = crate::path::name(path);
    name.rsplit_once('.')
        .is_none_or(|(_, extension)| !NONE.contains(&extension))
}

/// Languages in which programs are written.
fn is_code(language: Language) -> bool {
    !matches!(
        language,
        Language::Html
            | Language::Css
            | Language::Markdown
            | Language::Json
            | Language::Yaml
            | Language::Toml
    )
}

fn read_manifest(host: &dyn Host, at: &std::path::Path, path: &str) -> Option<Manifest> {
    let text = read_text_up_to(host, at, MAX_MANIFEST).ok()?.text;
    parse_manifest(path, &text)
}

fn open_cache(project: &Project, keep: Keep) -> Option<Cache> {
    if keep == Keep::Nothing || !project.has_knowledge() {
        return None;
    }
    let path = asd_store::shadow_file(project, DATABASE).ok()?;
    match Cache::open(&path) {
        Ok(cache) => Some(cache),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "the code map cannot be kept");
            None
        }
    }
}

fn keep(cache: &mut Cache, packed: &Packed, files: &BTreeMap<String, Arc<SourceFile>>) {
    let changed: Vec<(&str, &SourceFile)> = files
        .iter()
        .filter(|(path, file)| packed.get(*path).is_none_or(|(hash, _)| *hash != file.hash))
        .map(|(path, file)| (path.as_str(), file.as_ref()))
        .collect();
    let mut removed: Vec<&str> = packed
        .keys()
        .map(String::as_str)
        .filter(|path| !files.contains_key(*path))
        .collect();
    removed.sort_unstable();
    if changed.is_empty() && removed.is_empty() {
        return;
    }
    if let Err(error) = cache.store(&changed, &removed) {
        tracing::warn!(%error, "the code map could not be kept");
    }
}

fn delta(
    old: &BTreeMap<String, Arc<SourceFile>>,
    new: &BTreeMap<String, Arc<SourceFile>>,
) -> Delta {
    let mut delta = Delta::default();
    for (path, file) in new {
        match old.get(path) {
            None => delta.added.push(path.clone()),
            Some(known) if known.hash != file.hash => delta.modified.push(path.clone()),
            Some(_) => {}
        }
    }
    delta.deleted = old
        .keys()
        .filter(|path| !new.contains_key(*path))
        .cloned()
        .collect();
    delta
}
