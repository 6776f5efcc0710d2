//! How alike entries are: an index in memory that compares an entry with ten
//! thousand others without reading a file. (knowledge.md §9)

mod shingles;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use asd_recipe::{AstGuard, GuardKind, Recipe};
use serde::Serialize;

use crate::entry_key;
pub use shingles::Shingles;
pub(crate) use shingles::each_pair;
use shingles::{CODE_GRAM, TEXT_GRAM};

/// From this quick similarity on an entry is listed.
pub const LISTED: f64 = 0.5;
/// From this quick similarity on it is a duplicate.
pub const DUPLICATE_FROM: f64 = 0.7;
/// From this similarity on the later of two items of one batch is dropped.
pub const BATCH_DUPLICATE: f64 = 0.65;
/// From this five-part similarity on two entries say the same.
pub const REDUNDANT: f64 = 0.65;

/// The parts of an entry, ready to be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Print {
    title: Shingles,
    description: Shingles,
    clause: Shingles,
    code: Shingles,
    content: Shingles,
    guards: Shingles,
}

impl Print {
    /// The parts of an entry.
    #[must_use]
    pub fn new(recipe: &Recipe) -> Self {
        let code = recipe.core_code.as_ref().map_or("", |code| &code.text);
        let code = if code.trim().is_empty() {
            &recipe.content.pattern
        } else {
            code
        };
        let clause = [
            recipe.do_clause.as_str(),
            &recipe.dont_clause,
            &recipe.when_clause,
        ]
        .join(" ");
        Self {
            title: Shingles::new(&recipe.title, TEXT_GRAM),
            description: Shingles::new(&recipe.description, TEXT_GRAM),
            clause: Shingles::new(&clause, TEXT_GRAM),
            code: Shingles::new(code, CODE_GRAM),
            content: Shingles::new(&recipe.content.markdown, TEXT_GRAM),
            guards: Shingles::new(&guard_patterns(recipe), CODE_GRAM),
        }
    }

    /// What a quick comparison needs, for a draft that is no entry yet.
    #[must_use]
    pub fn of_draft(title: &str, description: &str, code: &str) -> Self {
        Self {
            title: Shingles::new(title, TEXT_GRAM),
            description: Shingles::new(description, TEXT_GRAM),
            code: Shingles::new(code, CODE_GRAM),
            ..Self::default()
        }
    }

    /// The words and n-grams of the core code.
    pub(crate) const fn code(&self) -> &Shingles {
        &self.code
    }

    /// Title, description and code: the measure for submissions.
    #[must_use]
    pub fn quick(&self, other: &Self) -> f64 {
        weighted(self.quick_parts(other))
    }

    fn quick_parts<'a>(&'a self, other: &'a Self) -> [Part<'a>; 3] {
        [
            (0.3, &self.title, &other.title),
            (0.3, &self.description, &other.description),
            (0.4, &self.code, &other.code),
        ]
    }

    /// Title, clauses, code, content and guards: the measure for entries that
    /// are there.
    #[must_use]
    pub fn five_part(&self, other: &Self) -> f64 {
        weighted(self.five_parts(other))
    }

    fn five_parts<'a>(&'a self, other: &'a Self) -> [Part<'a>; 5] {
        [
            (0.15, &self.title, &other.title),
            (0.25, &self.clause, &other.clause),
            (0.15, &self.code, &other.code),
            (0.15, &self.guards, &other.guards),
            (0.30, &self.content, &other.content),
        ]
    }

    /// The measure between the items of one batch.
    #[must_use]
    pub fn batch(&self, other: &Self) -> f64 {
        weighted([
            (0.20, &self.title, &other.title),
            (0.30, &self.clause, &other.clause),
            (0.15, &self.code, &other.code),
            (0.35, &self.content, &other.content),
        ])
    }
}

type Part<'a> = (f64, &'a Shingles, &'a Shingles);

/// The weighted mean over the parts that at least one side has. A part that
/// only one side has counts as nothing in common.
fn weighted<const N: usize>(parts: [Part<'_>; N]) -> f64 {
    mean(parts, Shingles::jaccard)
}

fn mean<const N: usize>(parts: [Part<'_>; N], measure: fn(&Shingles, &Shingles) -> f64) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (weight, a, b) in parts {
        if a.is_empty() && b.is_empty() {
            continue;
        }
        weights += weight;
        sum += weight * measure(a, b);
    }
    // The weights of a few parts may add up to a hair above their sum.
    if weights > 0.0 {
        (sum / weights).min(1.0)
    } else {
        0.0
    }
}

/// Whether the weighted mean can be `least` or more: seen first from the sizes
/// of the parts, then from the first parts, which are short, alone.
fn can_reach(parts: [Part<'_>; 5], least: f64) -> bool {
    // A hair below, so that rounding rules no pair out.
    let least = least - 1e-9;
    if mean(parts, Shingles::most) < least {
        return false;
    }
    let (mut sum, mut weights) = (0.0, 0.0);
    for (at, (weight, a, b)) in parts.into_iter().enumerate() {
        if a.is_empty() && b.is_empty() {
            continue;
        }
        weights += weight;
        let is_short = at < 2;
        sum += weight * if is_short { a.jaccard(b) } else { a.most(b) };
    }
    weights > 0.0 && sum / weights >= least
}

/// What the guards of an entry look for, one to a line.
fn guard_patterns(recipe: &Recipe) -> String {
    let patterns = recipe
        .constraints
        .guards
        .iter()
        .map(|guard| match &guard.kind {
            GuardKind::Regex { pattern, .. } => pattern.clone(),
            GuardKind::Ast(AstGuard::Pattern { pattern }) => pattern.clone(),
            GuardKind::Ast(other) => serde_json::to_string(other).unwrap_or_default(),
        });
    patterns.collect::<Vec<String>>().join("\n")
}

/// An entry that is like another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Similar {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// From 0 to 1.
    pub score: f64,
}

/// Two entries that are like each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SimilarPair {
    /// The entry whose id comes first.
    pub a: String,
    /// The other one.
    pub b: String,
    /// From 0 to 1.
    pub score: f64,
}

/// The prints of all entries, kept while the product runs.
#[derive(Clone, Debug, Default)]
pub struct SimilarityIndex {
    entries: BTreeMap<String, (String, Print)>,
}

impl SimilarityIndex {
    /// An index of these entries.
    #[must_use]
    pub fn build<'a>(recipes: impl IntoIterator<Item = &'a Recipe>) -> Self {
        let mut index = Self::default();
        for recipe in recipes {
            index.insert(recipe);
        }
        index
    }

    /// Adds an entry, or takes its new form in.
    pub fn insert(&mut self, recipe: &Recipe) {
        let print = Print::new(recipe);
        self.entries
            .insert(entry_key(recipe).to_owned(), (recipe.title.clone(), print));
    }

    /// Takes an entry out.
    pub fn remove(&mut self, id: &str) {
        self.entries.remove(id);
    }

    /// The print of an entry.
    #[must_use]
    pub fn print(&self, id: &str) -> Option<&Print> {
        self.entries.get(id).map(|(_, print)| print)
    }

    /// How many entries it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries that are at least `least` like a print by the quick measure
    /// ([`LISTED`] for a list, [`DUPLICATE_FROM`] for duplicates), most alike
    /// first.
    #[must_use]
    pub fn similar(&self, print: &Print, least: f64) -> Vec<Similar> {
        let mut found: Vec<Similar> = self
            .entries
            .iter()
            .filter_map(|(id, (title, other))| {
                // Most others are ruled out by the sizes of their parts.
                if mean(print.quick_parts(other), Shingles::most) < least {
                    return None;
                }
                let score = print.quick(other);
                (score >= least).then(|| Similar {
                    id: id.clone(),
                    title: title.clone(),
                    score,
                })
            })
            .collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        found
    }

    /// The pairs among entries of these ids that are at least `least` like each
    /// other by the five-part measure, most alike first.
    #[must_use]
    pub fn redundant<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        least: f64,
    ) -> Vec<SimilarPair> {
        let mut ids: Vec<&str> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        let prints: Vec<(&str, &Print)> = ids
            .into_iter()
            .filter_map(|id| Some((id, self.print(id)?)))
            .collect();
        // A mean is at most its largest part: a like pair is alike in one part.
        let parts: [fn(&Print) -> &Shingles; 5] = [
            |print| &print.title,
            |print| &print.clause,
            |print| &print.code,
            |print| &print.content,
            |print| &print.guards,
        ];
        let mut alike: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for part in parts {
            let sets: Vec<&Shingles> = prints.iter().map(|(_, print)| part(print)).collect();
            each_pair(&sets, least, |a, b| {
                let five = prints[a].1.five_parts(prints[b].1);
                if can_reach(five, least) {
                    let score = weighted(five);
                    if score >= least {
                        alike.insert((a, b), score);
                    }
                }
            });
        }
        let mut found: Vec<SimilarPair> = alike
            .into_iter()
            .map(|((a, b), score)| SimilarPair {
                a: prints[a].0.to_owned(),
                b: prints[b].0.to_owned(),
                score,
            })
            .collect();
        found.sort_by(|x, y| {
            let by_score = y.score.total_cmp(&x.score);
            by_score.then_with(|| (&x.a, &x.b).cmp(&(&y.a, &y.b)))
        });
        found
    }
}

/// For each item of a batch, the earlier item that it repeats, with how alike
/// they are. An item that repeats one is not compared with by later ones.
#[must_use]
pub fn batch_duplicates(items: &[&Recipe]) -> Vec<Option<(usize, f64)>> {
    let prints: Vec<Print> = items.iter().map(|item| Print::new(item)).collect();
    let mut found: Vec<Option<(usize, f64)>> = Vec::with_capacity(items.len());
    for (index, print) in prints.iter().enumerate() {
        let duplicate = (0..index)
            .filter(|earlier| found[*earlier].is_none())
            .map(|earlier| (earlier, prints[earlier].batch(print)))
            .find(|(_, score)| *score >= BATCH_DUPLICATE);
        found.push(duplicate);
    }
    found
}
