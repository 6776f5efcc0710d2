use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use asd_recipe::{GuardKind, Lifecycle, Problem, ProblemCode, Recipe, Severity};
use asd_syntax::Language;

use crate::builtin::{self, BuiltIn, Limits, Plan};
use crate::compile::guard::{CompiledGuard, Matching};
use crate::compile::regex_guard::LineFilter;
use crate::glob::Glob;
use crate::languages::LanguageSet;
use crate::prefilter::Prefilter;
use crate::stable_hash::StableHasher;
use crate::{
    GuardOptions, Layer, PathExclusion, Profile, RecipeRef, RuleInfo, RuleOrigin, RuleProblem,
    SourceFilter, UncertainReason,
};

/// All rules of a project, compiled. Immutable; cloning is cheap.
#[derive(Clone, Default)]
pub struct RuleSet {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Default)]
pub(crate) struct Inner {
    infos: Arc<[Arc<RuleInfo>]>,
    /// Guards of recipes.
    pub(crate) rules: Vec<Rule>,
    pub(crate) built_ins: Vec<BuiltInRule>,
    excluded_paths: Vec<(Glob, PathExclusion)>,
    /// By language; made when a text in it is first checked.
    languages: Box<[OnceLock<LanguageRules>]>,
    /// What the set before had, for its automata.
    earlier: Vec<Option<Arc<Prefilter>>>,
    compiled: HashMap<u64, Arc<CompiledGuard>>,
    recipes: HashMap<Arc<str>, CompiledRecipe>,
    hash: u64,
}

/// A recipe whose guards are compiled.
#[derive(Clone)]
struct CompiledRecipe {
    recipe: Arc<Recipe>,
    guards: Vec<Arc<CompiledGuard>>,
}

/// A guard of a recipe that is in force.
pub(crate) struct Rule {
    pub(crate) info: Arc<RuleInfo>,
    pub(crate) guard: Arc<CompiledGuard>,
    pub(crate) scope: Scope,
    /// What a fix does, as a person reads it.
    pub(crate) fix_title: String,
}

/// A built-in rule that is in force.
pub(crate) struct BuiltInRule {
    pub(crate) info: Arc<RuleInfo>,
    pub(crate) rule: &'static BuiltIn,
    pub(crate) scope: Scope,
    pub(crate) limits: Limits,
}

/// Which files and lines a rule leaves out by configuration.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    exclude: Vec<Glob>,
    exclude_line: Vec<LineFilter>,
}

impl Scope {
    pub(crate) fn admits(&self, path: Option<&str>) -> bool {
        path.is_none_or(|path| !self.exclude.iter().any(|glob| glob.matches(path)))
    }

    pub(crate) fn admits_line(&self, line: &str) -> bool {
        !self.exclude_line.iter().any(|filter| filter.matches(line))
    }
}

impl Rule {
    /// Whether a file with that path is checked by it.
    pub(crate) fn admits(&self, path: Option<&str>) -> bool {
        let guard = &self.guard;
        let included = guard.include.is_empty()
            || path.is_some_and(|path| guard.include.iter().any(|glob| glob.matches(path)));
        included
            && path.is_none_or(|path| !guard.exclude.iter().any(|glob| glob.matches(path)))
            && self.scope.admits(path)
    }

    fn is_scoped(&self) -> bool {
        !self.guard.include.is_empty()
            || !self.guard.exclude.is_empty()
            || !self.scope.exclude.is_empty()
    }

    pub(crate) fn admits_line(&self, line: &str) -> bool {
        !self
            .guard
            .exclude_line
            .iter()
            .any(|filter| filter.matches(line))
            && self.scope.admits_line(line)
    }
}

/// The rules of one language.
pub(crate) struct LanguageRules {
    /// By slot of the prefilter: index of the rule.
    pub(crate) slots: Vec<u32>,
    pub(crate) prefilter: Arc<Prefilter>,
    /// Guards that cannot be run: index, why, and the particulars.
    pub(crate) broken: Vec<(u32, UncertainReason, String)>,
    /// How many guards apply to every path, by layer.
    pub(crate) everywhere: [u64; 4],
    /// Guards that apply to some paths.
    pub(crate) scoped: Vec<u32>,
    pub(crate) plan: Plan,
    /// The built-in rules of the plan, by index.
    pub(crate) built_ins: Vec<u32>,
}

impl RuleSet {
    /// Compiles the guards of `recipes` (each with its project-relative path)
    /// and the built-in rules. One bad guard never takes another down: it is
    /// reported and left out. What `previous` has compiled already is reused.
    ///
    /// Guards of recipes that await review are not in force, but their problems
    /// are reported all the same.
    ///
    /// Recipes are taken in the order of their paths, so that the set is the
    /// same on every machine. When two guards have one id, both are in force;
    /// the later one is called `<trigger>/<id>`, and its recipe is told so.
    #[must_use]
    pub fn build(
        recipes: &[(Arc<str>, Arc<Recipe>)],
        options: &GuardOptions,
        previous: Option<&Self>,
    ) -> (Self, Vec<RuleProblem>) {
        let mut build = Build {
            options,
            previous: previous.map(|set| &*set.inner),
            inner: Inner::default(),
            problems: Vec::new(),
            hasher: StableHasher::new(),
            taken: HashSet::new(),
        };
        if options.sources != SourceFilter::BuiltIn {
            let mut ordered: Vec<&(Arc<str>, Arc<Recipe>)> = recipes.iter().collect();
            ordered.sort_by(|a, b| a.0.cmp(&b.0));
            for (path, recipe) in ordered {
                if recipe.lifecycle.guards_apply() {
                    build.recipe(path, recipe);
                } else if recipe.lifecycle == Lifecycle::Pending {
                    build.candidate(path, recipe);
                }
            }
        }
        if options.sources != SourceFilter::Recipe {
            build.built_ins();
        }
        build.finish()
    }

    /// Only the guards of one recipe, whatever its lifecycle and whichever
    /// paths they name.
    pub(crate) fn of_recipe(recipe: &Recipe, previous: Option<&Self>) -> Self {
        let mut recipe = recipe.clone();
        recipe.lifecycle = Lifecycle::Active;
        for guard in &mut recipe.constraints.guards {
            guard.include_paths.clear();
            guard.exclude_paths.clear();
        }
        let options = GuardOptions {
            sources: SourceFilter::Recipe,
            ..GuardOptions::default()
        };
        Self::build(&[("".into(), Arc::new(recipe))], &options, previous).0
    }

    /// The rules in force, by id.
    #[must_use]
    pub fn rules(&self) -> &[Arc<RuleInfo>] {
        &self.inner.infos
    }

    /// The exclusion on account of which no rule checks a file, given by its
    /// project-relative path with `/`.
    #[must_use]
    pub fn excluded_by(&self, path: &str) -> Option<&PathExclusion> {
        let mut all = self.inner.excluded_paths.iter();
        let (_, exclusion) = all.find(|(glob, _)| glob.matches(path))?;
        Some(exclusion)
    }

    pub(crate) fn excluded_patterns(&self) -> impl Iterator<Item = &str> {
        let all = self.inner.excluded_paths.iter();
        all.map(|(_, exclusion)| exclusion.pattern.as_str())
    }

    /// The rule with an id, when it is in force.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Arc<RuleInfo>> {
        let rules = self.rules();
        let index = rules.binary_search_by(|info| info.id.as_str().cmp(id));
        index.ok().map(|index| &rules[index])
    }

    /// The texts of which one has to occur for most rules of a language to look
    /// at a text at all, sorted: what a plain search for them would look for.
    #[must_use]
    pub fn required_literals(&self, language: Language) -> Vec<String> {
        let rules = self.inner.language(language);
        let literals = rules
            .into_iter()
            .flat_map(|rules| rules.prefilter.literals());
        let literals: BTreeSet<&str> = literals.collect();
        literals.into_iter().map(str::to_owned).collect()
    }

    /// A hash of everything that decides what a check says; equal sets have
    /// equal hashes on every machine.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.inner.hash
    }
}

impl Inner {
    /// The rules of a language.
    pub(crate) fn language(&self, language: Language) -> Option<&LanguageRules> {
        let slot = self.languages.get(language as usize)?;
        Some(slot.get_or_init(|| self.language_rules(language)))
    }

    fn language_rules(&self, language: Language) -> LanguageRules {
        let mut slots = Vec::new();
        let mut requirements = Vec::new();
        let mut broken = Vec::new();
        let mut everywhere = [0; 4];
        let mut scoped = Vec::new();
        for (index, rule) in (0_u32..).zip(&self.rules) {
            if !rule.guard.languages.contains(language) {
                continue;
            }
            match &rule.guard.matching {
                Err(detail) => {
                    broken.push((index, UncertainReason::InvalidRegex, detail.clone()));
                }
                Ok(Matching::Regex(regex)) => {
                    slots.push(index);
                    requirements.push(regex.literals.as_deref());
                }
                Ok(Matching::Ast(ast)) => match ast.matcher(language) {
                    Ok(matcher) => {
                        slots.push(index);
                        requirements.push(matcher.literals.as_deref());
                    }
                    // A guard for all languages is one for those that its
                    // pattern is code of.
                    Err(_)
                        if !rule.guard.languages.names(language)
                            || ast.is_for_the_other_grammar(language) =>
                    {
                        continue;
                    }
                    Err(bad) => {
                        let reason = if language.grammar().is_none() {
                            UncertainReason::LangUnsupported
                        } else {
                            UncertainReason::InvalidRegex
                        };
                        broken.push((index, reason, bad.message.clone()));
                    }
                },
            }
            if rule.is_scoped() {
                scoped.push(index);
            } else {
                everywhere[rule.info.layer as usize] += 1;
            }
        }
        let earlier = self.earlier.get(language as usize);
        let earlier = earlier.and_then(Option::as_deref);
        let prefilter = Arc::new(Prefilter::new(&requirements, earlier));
        let plan = Plan::new(
            language,
            self.built_ins.iter().map(|rule| (rule.rule, rule.limits)),
        );
        let built_ins = (0_u32..)
            .zip(&self.built_ins)
            .filter(|(_, rule)| rule.rule.languages.contains(&language.id()))
            .map(|(index, _)| index)
            .collect();
        LanguageRules {
            slots,
            prefilter,
            broken,
            everywhere,
            scoped,
            plan,
            built_ins,
        }
    }

    fn prefilters(&self) -> Vec<Option<Arc<Prefilter>>> {
        self.languages
            .iter()
            .zip(&self.earlier)
            .map(|(rules, earlier)| {
                let made = rules.get().map(|rules| rules.prefilter.clone());
                made.or_else(|| earlier.clone())
            })
            .collect()
    }
}

struct Build<'a> {
    options: &'a GuardOptions,
    previous: Option<&'a Inner>,
    inner: Inner,
    problems: Vec<RuleProblem>,
    hasher: StableHasher,
    /// The ids that are given away.
    taken: HashSet<String>,
}

impl Build<'_> {
    fn candidate(&mut self, path: &Arc<str>, recipe: &Arc<Recipe>) {
        let guards = self.compiled(path, recipe);
        for (guard, compiled) in recipe.constraints.guards.iter().zip(&guards) {
            self.report(path, &guard.id, compiled.problems(&guard.spans));
        }
        self.keep(path, recipe, guards);
    }

    fn report(&mut self, path: &str, rule_id: &str, problems: impl Iterator<Item = Problem>) {
        self.problems.extend(problems.map(|problem| RuleProblem {
            rule_id: rule_id.to_owned(),
            recipe_path: path.to_owned(),
            problem,
        }));
    }

    /// Keeps what is compiled for the next set.
    fn keep(&mut self, path: &Arc<str>, recipe: &Arc<Recipe>, guards: Vec<Arc<CompiledGuard>>) {
        let recipe = recipe.clone();
        let compiled = CompiledRecipe { recipe, guards };
        self.inner.recipes.insert(path.clone(), compiled);
    }

    fn recipe(&mut self, path: &Arc<str>, recipe: &Arc<Recipe>) {
        let guards = self.compiled(path, recipe);
        for (guard, compiled) in recipe.constraints.guards.iter().zip(&guards) {
            let id = self.unique_id(path, recipe, &guard.id, guard.spans.whole);
            self.report(path, &id, compiled.problems(&guard.spans));
            if self.is_off(&id) {
                continue;
            }
            let change = self.options.overrides.get(&id);
            let severity = change
                .and_then(|change| change.severity)
                .unwrap_or_else(|| severity_of(recipe, guard.severity));
            let fixable = guard.fix.is_some() && compiled.matching.is_ok();
            let layer = match guard.kind {
                GuardKind::Regex { .. } => Layer::Regex,
                GuardKind::Ast(_) => Layer::Ast,
            };
            self.hasher
                .number(compiled.key)
                .part(id.as_bytes())
                .part(severity.as_str().as_bytes())
                .part(recipe.trigger.as_bytes())
                .part(recipe.title.as_bytes())
                .part(recipe.do_clause.as_bytes())
                .part(recipe.dont_clause.as_bytes())
                .part(path.as_bytes());
            let info = RuleInfo {
                id: id.clone(),
                layer,
                severity,
                languages: guard.languages.clone(),
                category: recipe.category.clone(),
                message: guard.message.clone(),
                fix_suggestion: guard.fix_suggestion.clone(),
                why: recipe.reasoning.why_standard.clone(),
                fixable,
                tag: None,
                origin: RuleOrigin::Recipe(Arc::new(RecipeRef {
                    path: path.to_string(),
                    id: recipe.id.clone(),
                    trigger: recipe.trigger.clone(),
                    title: recipe.title.clone(),
                    do_clause: recipe.do_clause.clone(),
                    dont_clause: recipe.dont_clause.clone(),
                    sources: recipe.reasoning.sources.clone(),
                    guard_span: guard.spans.whole,
                })),
            };
            let fix_title = [&guard.fix_suggestion, &recipe.do_clause, &guard.message]
                .into_iter()
                .find(|text| !text.is_empty())
                .cloned()
                .unwrap_or_default();
            let scope = self.scope(&id);
            self.inner.rules.push(Rule {
                info: Arc::new(info),
                guard: compiled.clone(),
                scope,
                fix_title,
            });
        }
        self.keep(path, recipe, guards);
    }

    /// The recipe's guards, from the set before where they are the same.
    fn compiled(&mut self, path: &Arc<str>, recipe: &Arc<Recipe>) -> Vec<Arc<CompiledGuard>> {
        let previous = self.previous;
        let guards = match previous.and_then(|previous| previous.recipes.get(path)) {
            Some(known) if Arc::ptr_eq(&known.recipe, recipe) => known.guards.clone(),
            _ => recipe
                .constraints
                .guards
                .iter()
                .map(|guard| {
                    let key = CompiledGuard::key_of(guard);
                    let known = [Some(&self.inner), previous]
                        .into_iter()
                        .flatten()
                        .find_map(|set| set.compiled.get(&key));
                    match known {
                        Some(known) if known.is_of(guard) => known.clone(),
                        _ => Arc::new(CompiledGuard::new(guard, key)),
                    }
                })
                .collect(),
        };
        for guard in &guards {
            self.inner.compiled.insert(guard.key, guard.clone());
        }
        guards
    }

    fn unique_id(
        &mut self,
        path: &Arc<str>,
        recipe: &Recipe,
        id: &str,
        span: asd_text::Span,
    ) -> String {
        if self.taken.insert(id.to_owned()) {
            return id.to_owned();
        }
        let trigger = recipe.trigger.trim_start_matches('@');
        let base = format!("{trigger}/{id}");
        let unique = std::iter::once(base.clone())
            .chain((2..).map(|number| format!("{base}-{number}")))
            .find(|id| !self.taken.contains(id))
            .unwrap_or(base);
        self.taken.insert(unique.clone());
        self.problems.push(RuleProblem {
            rule_id: unique.clone(),
            recipe_path: path.to_string(),
            problem: Problem {
                span,
                severity: Severity::Warning,
                code: ProblemCode::DuplicateId,
                message: format!(
                    "Another guard has the id `{id}` already, so this one is called `{unique}`. Give it an `id` of its own."
                ),
                fix: None,
            },
        });
        unique
    }

    fn is_off(&self, id: &str) -> bool {
        self.options.disabled.iter().any(|disabled| disabled == id)
            || self.options.exclusions.excludes_rule(id)
            || self
                .options
                .overrides
                .get(id)
                .is_some_and(|change| change.enabled == Some(false))
    }

    fn scope(&mut self, id: &str) -> Scope {
        let options = self.options;
        let exclusions = options.exclusions.rule_exclusions.get(id);
        let files = exclusions
            .into_iter()
            .flatten()
            .filter_map(|exclusion| exclusion.file_path.as_deref());
        let change = options.overrides.get(id);
        let paths = change.into_iter().flat_map(|change| &change.exclude_paths);
        let exclude: Vec<String> = files
            .chain(paths.map(String::as_str))
            .map(str::to_owned)
            .collect();
        let lines = change.map_or(&[][..], |change| &change.exclude_line);
        for text in exclude.iter().chain(lines) {
            self.hasher.part(id.as_bytes()).part(text.as_bytes());
        }
        Scope {
            exclude: exclude.iter().map(|glob| Glob::new(glob)).collect(),
            exclude_line: lines
                .iter()
                .filter_map(|pattern| LineFilter::new(pattern).ok())
                .collect(),
        }
    }

    /// The rules about frameworks that the project uses, then the built-in ones;
    /// what has a higher source is left out. (guard.md §7)
    fn built_ins(&mut self) {
        for pack in builtin::PACKS {
            if self.options.frameworks.contains(&pack.framework) {
                for rule in pack.rules {
                    let name = pack.framework.id().to_owned();
                    self.built_in(rule, RuleOrigin::Pack { name });
                }
            }
        }
        for rule in builtin::RULES {
            self.built_in(rule, RuleOrigin::BuiltIn);
        }
    }

    fn built_in(&mut self, rule: &'static BuiltIn, origin: RuleOrigin) {
        if self.taken.contains(rule.id) {
            return;
        }
        self.taken.insert(rule.id.to_owned());
        if self.is_off(rule.id) {
            return;
        }
        let change = self.options.overrides.get(rule.id);
        let severity = change
            .and_then(|change| change.severity)
            .unwrap_or(rule.severity);
        let limits = self.limits(rule);
        self.hasher
            .part(rule.id.as_bytes())
            .part(severity.as_str().as_bytes())
            .number(u64::from(limits.first))
            .number(u64::from(limits.second));
        let scope = self.scope(rule.id);
        self.inner.built_ins.push(BuiltInRule {
            info: Arc::new(RuleInfo {
                id: rule.id.to_owned(),
                layer: rule.layer,
                severity,
                languages: rule.languages.iter().map(|id| (*id).to_owned()).collect(),
                category: rule.category.to_owned(),
                message: rule.message.to_owned(),
                fix_suggestion: rule.fix_suggestion.to_owned(),
                why: rule.why.to_owned(),
                fixable: rule.fixable,
                tag: rule.tag,
                origin,
            }),
            rule,
            scope,
            limits,
        });
    }

    /// The thresholds of a rule: what the settings say, else those of the
    /// profile. Where there are two, each has a key of its own.
    fn limits(&self, rule: &BuiltIn) -> Limits {
        let said = |ending: &str| {
            let change = self.options.overrides.get(&format!("{}{ending}", rule.id));
            change.and_then(|change| change.threshold)
        };
        let of_profile = |relaxed: u32, strict: u32| match self.options.profile {
            Profile::Default => relaxed,
            Profile::Strict => strict,
        };
        let relaxed = rule.threshold.unwrap_or(0);
        let first = of_profile(relaxed, rule.strict_threshold.unwrap_or(relaxed));
        match &rule.second {
            None => Limits {
                first: said("").unwrap_or(first),
                second: 0,
            },
            Some(second) => Limits {
                first: said(second.first_key).or(said("")).unwrap_or(first),
                second: said(second.key)
                    .unwrap_or_else(|| of_profile(second.threshold, second.strict_threshold)),
            },
        }
    }

    fn finish(mut self) -> (RuleSet, Vec<RuleProblem>) {
        for exclusion in &self.options.exclusions.path_exclusions {
            self.hasher.part(exclusion.pattern.as_bytes());
            self.inner
                .excluded_paths
                .push((Glob::new(&exclusion.pattern), exclusion.clone()));
        }
        let recipe_rules = self.inner.rules.iter().map(|rule| &rule.info);
        let built_ins = self.inner.built_ins.iter().map(|rule| &rule.info);
        let by_id: BTreeMap<&str, &Arc<RuleInfo>> = recipe_rules
            .chain(built_ins)
            .map(|info| (info.id.as_str(), info))
            .collect();
        self.inner.infos = by_id.into_values().cloned().collect();
        self.inner.hash = self.hasher.finish();
        let languages = Language::all();
        self.inner.languages = languages.iter().map(|_| OnceLock::new()).collect();
        self.inner.earlier = match self.previous {
            Some(previous) if !previous.languages.is_empty() => previous.prefilters(),
            _ => vec![None; languages.len()],
        };
        let set = RuleSet {
            inner: Arc::new(self.inner),
        };
        (set, self.problems)
    }
}

/// What a guard's findings weigh in the recipe's present state. (guard.md §6)
fn severity_of(recipe: &Recipe, stated: Severity) -> Severity {
    let approved = ["publishedBy", "reviewedBy", "published_by", "reviewed_by"]
        .iter()
        .any(|key| recipe.extra.get(*key).is_some_and(|by| !by.is_null()));
    if recipe.source == "mcp" && !approved {
        return Severity::Info;
    }
    if recipe.lifecycle == Lifecycle::Decaying {
        return stated.min(Severity::Warning);
    }
    stated
}

/// Whether rules of these languages also look at a part in another one.
pub(crate) fn applies_to(languages: &[String], language: Language) -> bool {
    LanguageSet::named(languages).contains(language)
}
