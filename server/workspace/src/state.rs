use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use asd_guard::{
    Cancelled, FileReport, Finding, FixOutcome, Framework, GuardOptions, RuleSet, SourceFilter,
    Target,
};
use asd_recipe::{Problem, Recipe, check_set, trigger_key};
use asd_store::{
    Config, Project, RecipeFile, RecipePath, Skipped, Walked, list_recipes, load_recipe,
    load_recipes, recipe_at, walk,
};
use asd_text::Span;

use crate::frameworks::frameworks;
use crate::settings::{Loaded, Settings};

/// One project at one moment: settings, recipes and rules. Immutable; cloning
/// is cheap, and every change gives a new state with a larger generation.
///
/// Files are named by their project-relative path with `/`. A recipe outside of
/// the project (`recipesDirs`) and a settings file of the user are named by
/// their absolute path.
#[derive(Clone)]
pub struct ProjectState {
    inner: Arc<Inner>,
}

#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) project: Project,
    pub(crate) settings: Settings,
    generation: u64,
    pub(crate) loaded: Loaded,
    extra: Vec<PathBuf>,
    entries: BTreeMap<Arc<str>, Arc<Entry>>,
    overlays: BTreeMap<String, Arc<str>>,
    skipped: Vec<Skipped>,
    /// The frameworks that the project uses.
    frameworks: BTreeSet<Framework>,
    /// What follows from the above.
    recipes: Arc<[(Arc<str>, Arc<Recipe>)]>,
    by_trigger: BTreeMap<String, usize>,
    rules: RuleSet,
    rule_problems: BTreeMap<String, Vec<Problem>>,
    /// What is wrong between recipes; found when somebody asks.
    set_problems: OnceLock<BTreeMap<Arc<str>, Vec<Problem>>>,
    /// The recipes as documents to search; made when somebody searches.
    search: OnceLock<asd_search::SearchIndex>,
}

pub(crate) struct Entry {
    pub(crate) file: RecipeFile,
    /// What is in force: the file's recipe, or the last one before the file
    /// became unreadable as a recipe.
    pub(crate) in_force: Option<Arc<Recipe>>,
}

impl Entry {
    fn new(file: RecipeFile, before: Option<&Self>) -> Self {
        let last = before.and_then(|entry| entry.in_force.clone());
        let in_force = match last {
            Some(last) if !file.is_sound() => Some(last),
            _ => file.recipe.clone(),
        };
        Self { file, in_force }
    }
}

impl ProjectState {
    /// Opens the project at `root`. Whatever is broken or unreadable is left
    /// out and told by [`Self::problems_of`] and [`Self::skipped`].
    #[must_use]
    pub fn load(root: &Path, settings: &Settings) -> Self {
        let project = Project::at(root);
        let loaded = Loaded::read(&project, settings, &|_| None, None);
        let mut inner = Inner {
            extra: extra_folders(&project, &loaded.config),
            project,
            settings: settings.clone(),
            generation: 1,
            loaded,
            entries: BTreeMap::new(),
            overlays: BTreeMap::new(),
            skipped: Vec::new(),
            frameworks: BTreeSet::new(),
            recipes: Arc::default(),
            by_trigger: BTreeMap::new(),
            rules: RuleSet::default(),
            rule_problems: BTreeMap::new(),
            set_problems: OnceLock::new(),
            search: OnceLock::new(),
        };
        inner.frameworks = frameworks(inner.settings.host.as_ref(), &inner.project);
        inner.read_all_recipes();
        inner.rebuild(None);
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The built-in rules alone, for a folder that has not been read yet.
    #[must_use]
    pub fn built_in(root: &Path) -> Self {
        let settings = Settings {
            user_config: None,
            ..Settings::default()
        };
        let (rules, _) = RuleSet::build(&[], &GuardOptions::default(), None);
        Self {
            inner: Arc::new(Inner {
                project: Project::at(root),
                settings,
                generation: 0,
                loaded: Loaded {
                    config: Arc::default(),
                    exclusions: Arc::default(),
                    files: Vec::new(),
                    client_problems: Vec::new(),
                    exclusions_file: None,
                    dismissed: Arc::default(),
                    feedback_file: None,
                },
                extra: Vec::new(),
                entries: BTreeMap::new(),
                overlays: BTreeMap::new(),
                skipped: Vec::new(),
                frameworks: BTreeSet::new(),
                recipes: Arc::default(),
                by_trigger: BTreeMap::new(),
                rules,
                rule_problems: BTreeMap::new(),
                set_problems: OnceLock::new(),
                search: OnceLock::new(),
            }),
        }
    }

    /// The state after files or folders changed, appeared or vanished on disk.
    /// Only those are read again. Files that are neither recipes nor settings
    /// change nothing.
    #[must_use]
    pub fn with_files_changed(&self, paths: &[String]) -> Self {
        let mut next = (*self.inner).clone();
        let mut changed = false;
        for path in paths {
            changed |= next.file_changed(path);
        }
        self.advanced(next, changed)
    }

    /// The state with `text` in the place of a file's content, as an editor has
    /// it unsaved; `None` takes the content on disk again.
    #[must_use]
    pub fn with_overlay(&self, path: &str, text: Option<Arc<str>>) -> Self {
        let mut next = (*self.inner).clone();
        let same = match &text {
            Some(text) => next.overlays.insert(path.to_owned(), text.clone()) == Some(text.clone()),
            None => next.overlays.remove(path).is_none(),
        };
        let changed = !same && next.file_changed(path);
        if changed {
            self.advanced(next, true)
        } else {
            // Texts of other files are no part of a state.
            self.clone()
        }
    }

    /// The state under other settings of the client.
    #[must_use]
    pub fn with_client_settings(&self, client: &serde_json::Value) -> Self {
        if self.inner.settings.client == *client {
            return self.clone();
        }
        let mut next = (*self.inner).clone();
        next.settings.client = client.clone();
        next.read_settings();
        self.advanced(next, true)
    }

    /// The state with the rules of these sources only.
    #[must_use]
    pub fn with_sources(&self, sources: SourceFilter) -> Self {
        if self.inner.settings.sources == sources {
            return self.clone();
        }
        let mut next = (*self.inner).clone();
        next.settings.sources = sources;
        self.advanced(next, true)
    }

    fn advanced(&self, mut next: Inner, changed: bool) -> Self {
        if !changed {
            return self.clone();
        }
        next.generation += 1;
        next.rebuild(Some(&self.inner.rules));
        Self {
            inner: Arc::new(next),
        }
    }

    /// Grows with every change; equal generations of one project are equal.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.inner.generation
    }

    /// Where the project lies.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.inner.project
    }

    /// The settings in force.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.inner.loaded.config
    }

    /// The folders of `recipesDirs`, absolute.
    #[must_use]
    pub fn extra_recipe_folders(&self) -> &[PathBuf] {
        &self.inner.extra
    }

    /// The recipes in force as an index to search by words.
    #[must_use]
    pub fn search_index(&self) -> &asd_search::SearchIndex {
        self.inner.search.get_or_init(|| {
            let documents = self.recipes().iter().map(|(path, recipe)| {
                asd_search::Document::new(path, recipe.clone(), asd_search::Stats::default())
            });
            let host = self.inner.settings.host.as_ref();
            let synonyms = crate::search::synonyms(host, &self.inner.project)
                .unwrap_or_else(|_| asd_search::Synonyms::built_in());
            asd_search::SearchIndex::build(documents.collect(), synonyms)
        })
    }

    /// The compiled rules.
    #[must_use]
    pub fn rules(&self) -> &RuleSet {
        &self.inner.rules
    }

    /// The recipes in force with their paths, sorted by path.
    #[must_use]
    pub fn recipes(&self) -> &[(Arc<str>, Arc<Recipe>)] {
        &self.inner.recipes
    }

    /// The recipe files as they are now (with unsaved text), sorted by path.
    pub fn recipe_files(&self) -> impl Iterator<Item = &RecipeFile> {
        self.inner.entries.values().map(|entry| &entry.file)
    }

    /// One recipe file as it is now.
    #[must_use]
    pub fn recipe_file(&self, path: &str) -> Option<&RecipeFile> {
        self.inner.entries.get(path).map(|entry| &entry.file)
    }

    /// Whether a file is part of the state: a recipe, the settings, or the
    /// exclusions. Only for those does [`Self::with_overlay`] have an effect.
    #[must_use]
    pub fn is_project_file(&self, path: &str) -> bool {
        self.inner.is_settings(path) || self.inner.recipe_path(path).is_some()
    }

    /// The recipe of a trigger, in whatever spelling. Where two recipes have
    /// the same, the first by path.
    #[must_use]
    pub fn recipe_by_trigger(&self, trigger: &str) -> Option<&(Arc<str>, Arc<Recipe>)> {
        let index = self.inner.by_trigger.get(&trigger_key(trigger))?;
        self.inner.recipes.get(*index)
    }

    /// Recipe files and folders that could not be read.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped] {
        &self.inner.skipped
    }

    /// What is wrong with the settings that the client sent.
    #[must_use]
    pub fn client_problems(&self) -> &[Problem] {
        &self.inner.loaded.client_problems
    }

    /// Whether a check of any text says the same as under another state: by
    /// rules, settings and verdicts.
    #[must_use]
    pub fn finds_the_same_as(&self, other: &Self) -> bool {
        self.rules().hash() == other.rules().hash()
            && self.config() == other.config()
            && self.inner.loaded.dismissed == other.inner.loaded.dismissed
    }

    /// Checks one text; what people judged to be false is left out.
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn check_text(
        &self,
        target: &Target<'_>,
        cancel: &AtomicBool,
    ) -> Result<FileReport, Cancelled> {
        let mut report = self.inner.rules.check(target, cancel)?;
        if let Some(path) = target.path {
            self.without_dismissed(path, target.text, &mut report.findings);
        }
        Ok(report)
    }

    /// Takes what people judged to be false out of the findings in a file.
    pub(crate) fn without_dismissed(&self, path: &str, text: &str, findings: &mut Vec<Finding>) {
        self.inner.loaded.dismissed.apply(path, text, findings);
    }

    /// Applies the fixes of all findings that `select` takes; what people judged
    /// to be right as it is stays. See [`RuleSet::fix_all`].
    ///
    /// # Errors
    /// [`Cancelled`] soon after `cancel` was set.
    pub fn fix_all(
        &self,
        target: &Target<'_>,
        select: &dyn Fn(&Finding) -> bool,
        cancel: &AtomicBool,
    ) -> Result<FixOutcome, Cancelled> {
        let dismissed = &self.inner.loaded.dismissed;
        let stands = |text: &str, finding: &Finding| {
            let is_dismissed = target
                .path
                .is_some_and(|path| dismissed.holds(path, text, finding));
            !is_dismissed && select(finding)
        };
        self.inner.rules.fix_all(target, &stands, cancel)
    }

    /// By what the settings exclude a file from all checks, for a person.
    #[must_use]
    pub fn excluded_by(&self, path: &str) -> Option<String> {
        let exclusion = self.inner.rules.excluded_by(path)?;
        let listed = &self.inner.loaded.exclusions.path_exclusions;
        let list = if listed.contains(exclusion) {
            "pathExclusions"
        } else {
            "files.exclude"
        };
        Some(format!("excluded by `{}` of `{list}`", exclusion.pattern))
    }

    /// The files to be checked below `paths`; see [`asd_store::walk`].
    #[must_use]
    pub fn walk(&self, paths: &[PathBuf], cancel: &AtomicBool) -> Walked {
        walk(
            self.inner.settings.host.as_ref(),
            &self.inner.project,
            paths,
            cancel,
        )
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Inner {
    pub(crate) fn entry(&self, path: &str) -> Option<&Arc<Entry>> {
        self.entries.get(path)
    }

    pub(crate) fn rule_problems(&self, path: &str) -> &[Problem] {
        self.rule_problems.get(path).map_or(&[], Vec::as_slice)
    }

    /// What is wrong with a recipe beside the others: names that occur twice,
    /// relations without a target.
    pub(crate) fn set_problems(&self, path: &str) -> &[Problem] {
        let all = self.set_problems.get_or_init(|| {
            let entries: Vec<&Arc<Entry>> = self.entries.values().collect();
            let files: Vec<_> = entries
                .iter()
                .map(|entry| (&*entry.file.rel, entry.file.parsed.as_ref()))
                .collect();
            let mut problems: BTreeMap<Arc<str>, Vec<Problem>> = BTreeMap::new();
            for (index, problem) in check_set(&files) {
                let rel = entries[index].file.rel.clone();
                problems.entry(rel).or_default().push(problem);
            }
            problems
        });
        all.get(path).map_or(&[], Vec::as_slice)
    }

    /// The settings files and the exclusions.
    pub(crate) fn settings_files(&self) -> impl Iterator<Item = &crate::settings::SettingsFile> {
        let loaded = &self.loaded;
        let own = loaded.exclusions_file.iter().chain(&loaded.feedback_file);
        loaded.files.iter().chain(own)
    }

    fn absolute(&self, path: &str) -> PathBuf {
        self.project.root().join(path)
    }

    fn recipe_path(&self, path: &str) -> Option<RecipePath> {
        recipe_at(&self.project, &self.extra, &self.absolute(path))
    }

    fn is_settings(&self, path: &str) -> bool {
        matches!(
            path,
            "Alembic/config.toml"
                | ".asd/config.json"
                | "Alembic/guard-exclusions.json"
                | "Alembic/feedback.json"
        ) || self.loaded.files.iter().any(|file| file.name == path)
    }

    /// Takes a change of one path in; says whether anything may be different.
    fn file_changed(&mut self, path: &str) -> bool {
        if self.is_settings(path) {
            self.read_settings();
            return true;
        }
        if let Some(recipe) = self.recipe_path(path)
            && (self.overlays.contains_key(&recipe.rel)
                || self.settings.host.kind(&recipe.path) != Some(asd_store::PathKind::Folder))
        {
            self.read_recipe(&recipe);
            return true;
        }
        let is_manifest = |name: &str| Framework::is_manifest(name);
        if path.rsplit('/').next().is_some_and(is_manifest) {
            let now = frameworks(self.settings.host.as_ref(), &self.project);
            let before = std::mem::replace(&mut self.frameworks, now);
            return before != self.frameworks;
        }
        self.folder_changed(path)
    }

    /// A folder that holds recipes, or held some, or holds the settings.
    fn folder_changed(&mut self, path: &str) -> bool {
        let below = format!("{}/", path.trim_end_matches('/'));
        let homes = ["Alembic/recipes/", "Alembic/candidates/"];
        let folder = self.absolute(path);
        let concerns_recipes = homes
            .iter()
            .any(|home| home.starts_with(&below) || below.starts_with(home))
            || self
                .extra
                .iter()
                .any(|extra| extra.starts_with(&folder) || folder.starts_with(extra));
        if !concerns_recipes {
            return false;
        }
        let (found, _) = list_recipes(self.settings.host.as_ref(), &self.project, &self.extra);
        let known: Vec<Arc<str>> = self.entries.keys().cloned().collect();
        let gone = known
            .into_iter()
            .filter(|rel| !found.iter().any(|r| r.rel.as_str() == &**rel))
            .filter(|rel| !self.overlays.contains_key(&**rel))
            .collect::<Vec<_>>();
        let fresh: Vec<RecipePath> = found
            .into_iter()
            .filter(|r| r.path.starts_with(&folder) || !self.entries.contains_key(r.rel.as_str()))
            .collect();
        let mut changed = !gone.is_empty() || !fresh.is_empty();
        for rel in gone {
            self.entries.remove(&rel);
        }
        for recipe in fresh {
            self.read_recipe(&recipe);
        }
        if "Alembic/config.toml".starts_with(&below) {
            self.read_settings();
            changed = true;
        }
        changed
    }

    fn read_settings(&mut self) {
        let overlays = &self.overlays;
        self.loaded = Loaded::read(
            &self.project,
            &self.settings,
            &|name| overlays.get(name).cloned(),
            Some(&self.loaded),
        );
        let extra = extra_folders(&self.project, &self.loaded.config);
        if extra != self.extra {
            self.extra = extra;
            self.read_all_recipes();
        }
    }

    fn read_all_recipes(&mut self) {
        let host = self.settings.host.as_ref();
        let (paths, mut skipped) = list_recipes(host, &self.project, &self.extra);
        let (files, unreadable) = load_recipes(host, &paths);
        skipped.extend(unreadable);
        let before = std::mem::take(&mut self.entries);
        for file in files {
            let rel = file.rel.clone();
            let last = before.get(&rel).map(Arc::as_ref);
            let entry = Entry::new(file, last);
            self.entries.insert(rel, Arc::new(entry));
        }
        self.skipped = skipped;
        let overlaid: Vec<String> = self.overlays.keys().cloned().collect();
        for path in overlaid {
            if let Some(recipe) = self.recipe_path(&path) {
                self.read_recipe(&recipe);
            }
        }
    }

    fn read_recipe(&mut self, recipe: &RecipePath) {
        let read = match self.overlays.get(&recipe.rel) {
            Some(text) => Ok(RecipeFile::new(
                recipe.path.clone(),
                &recipe.rel,
                recipe.home(),
                text,
            )),
            None => load_recipe(self.settings.host.as_ref(), recipe),
        };
        self.skipped.retain(|skipped| skipped.path != recipe.rel);
        match read {
            Ok(file) => {
                let rel = file.rel.clone();
                let before = self.entries.get(&rel).map(Arc::as_ref);
                let entry = Arc::new(Entry::new(file, before));
                self.entries.insert(rel, entry);
            }
            Err(skipped) => {
                self.entries.remove(recipe.rel.as_str());
                if self.settings.host.kind(&recipe.path).is_some() {
                    self.skipped.push(skipped);
                    self.skipped.sort();
                }
            }
        }
    }

    /// Makes anew what follows from settings and recipes; guards that did not
    /// change are taken from `previous`.
    fn rebuild(&mut self, previous: Option<&RuleSet>) {
        self.set_problems = OnceLock::new();
        self.search = OnceLock::new();
        self.recipes = self
            .entries
            .iter()
            .filter_map(|(rel, entry)| Some((rel.clone(), entry.in_force.clone()?)))
            .collect();
        self.by_trigger = BTreeMap::new();
        for (index, (_, recipe)) in self.recipes.iter().enumerate() {
            let key = trigger_key(&recipe.trigger);
            if !key.is_empty() {
                self.by_trigger.entry(key).or_insert(index);
            }
        }
        let mut options = self
            .loaded
            .config
            .guard_options(&self.loaded.exclusions, self.settings.sources);
        options.frameworks.clone_from(&self.frameworks);
        // A recipe that nobody can refer to is broken, and its guards with it.
        let named: Vec<(Arc<str>, Arc<Recipe>)> = self
            .recipes
            .iter()
            .filter(|(_, recipe)| !recipe.trigger.is_empty())
            .cloned()
            .collect();
        let (rules, problems) = RuleSet::build(&named, &options, previous);
        self.rules = rules;
        self.rule_problems = BTreeMap::new();
        for found in problems {
            let mut problem = found.problem;
            // While an older text is in force, spans of it mean nothing here.
            if let Some(entry) = self.entries.get(found.recipe_path.as_str())
                && problem.span.end > entry.file.text.len()
            {
                problem.span = Span::empty(0);
            }
            self.rule_problems
                .entry(found.recipe_path)
                .or_default()
                .push(problem);
        }
    }
}

/// The folders of `recipesDirs` of a project, absolute, without opening it.
#[must_use]
pub fn recipe_folders(project: &Project, settings: &Settings) -> Vec<PathBuf> {
    let loaded = Loaded::read(project, settings, &|_| None, None);
    extra_folders(project, &loaded.config)
}

/// The folders of `recipesDirs`: relative ones start at the project's root, and
/// `~` is the user's home.
pub(crate) fn extra_folders(project: &Project, config: &Config) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = config
        .recipes_dirs
        .iter()
        .map(|folder| match folder.strip_prefix("~/") {
            Some(rest) => std::env::home_dir()
                .unwrap_or_else(|| project.root().to_path_buf())
                .join(rest),
            None => project.root().join(folder),
        })
        .map(|folder| std::path::absolute(&folder).unwrap_or(folder))
        .map(|folder| without_dots(&folder))
        .collect();
    folders.extend(own_recipes(project));
    folders.dedup();
    folders
}

/// The recipes that a person keeps beside a project which has none of its own.
fn own_recipes(project: &Project) -> Option<PathBuf> {
    if project.has_knowledge() {
        return None;
    }
    let home = Project::at(&asd_store::project_state_folder(project)?);
    Some(home.recipes()).filter(|folder| folder.is_dir())
}

fn without_dots(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                result.pop();
            }
            std::path::Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}
