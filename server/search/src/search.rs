//! A query from its check to its rows.

use std::sync::PoisonError;
use std::time::{Instant, SystemTime};

use asd_recipe::Recipe;

use crate::confidence::{self, Evidence};
use crate::document::Document;
use crate::gate::{self, Best};
use crate::index::{Fits, Inner, SearchIndex};
use crate::query::{Answer, Confidence, Mode, Query, QueryError, Row};
use crate::rank;
use crate::signals::Signals;

/// What standing out in meaning by one standard deviation adds to a score, when
/// meaning has its full weight.
const MEANING: f32 = 0.05;
/// The nearness that is a full score in semantic mode.
const NEAR: f32 = 0.8;
/// How many rows the gate looks at.
const GATE_ROWS: usize = 3;

/// A document that was found, with its score.
#[derive(Clone, Debug)]
pub(crate) struct Found<'i> {
    pub(crate) document: &'i Document,
    pub(crate) score: f64,
    signals: Signals,
}

/// What was found, best first, before it is cut to rows.
pub(crate) struct Ranked<'i> {
    pub(crate) found: Vec<Found<'i>>,
    certainty: f32,
    pub(crate) degraded: bool,
    /// Whether the rows hold the query literally.
    pub(crate) is_literal: bool,
}

impl SearchIndex {
    /// Searches.
    ///
    /// # Errors
    /// When a parameter is out of its range.
    pub fn search(&self, query: &Query) -> Result<Answer, QueryError> {
        self.search_at(query, Instant::now())
    }

    pub(crate) fn search_at(&self, query: &Query, now: Instant) -> Result<Answer, QueryError> {
        let limit = query.checked_limit()?;
        let cacheable = query.session_history.is_empty();
        if cacheable {
            let cache = &self.inner.cache;
            let cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(answer) = cache.get(query, now) {
                return Ok(answer);
            }
        }
        let ranked = self.inner.rank(query, limit);
        let certainty = if ranked.found.is_empty() {
            0.0
        } else {
            ranked.certainty
        };
        let confidence = confidence::level(certainty);
        let weak = confidence == Confidence::None;
        let items = if weak && !query.keep_weak {
            Vec::new()
        } else {
            ranked
                .found
                .iter()
                .take(limit)
                .map(|found| row(found, weak))
                .collect()
        };
        let answer = Answer {
            query: query.text.clone(),
            mode: query.mode,
            items,
            confidence,
            certainty: three_decimals(f64::from(certainty)),
            degraded: ranked.degraded,
        };
        // A degraded answer may be a whole one a moment later.
        if cacheable && !ranked.degraded {
            let cache = &self.inner.cache;
            let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
            cache.put(query.clone(), answer.clone(), now);
        }
        Ok(answer)
    }
}

impl Inner {
    pub(crate) fn rank<'i>(&'i self, query: &Query, limit: usize) -> Ranked<'i> {
        let text = query.text.trim();
        match query.mode {
            Mode::Keyword => {
                let ranked = self.keyword(query, text);
                if ranked.found.is_empty() {
                    self.weighted(query, text)
                } else {
                    ranked
                }
            }
            Mode::Weighted => self.weighted(query, text),
            Mode::Semantic => self.semantic(query, text),
            Mode::Auto | Mode::Context => self.auto(query, text, limit),
        }
    }

    fn admits(&self, query: &Query, document: u32) -> bool {
        let document = &self.entries[document as usize].document;
        let recipe = &document.recipe;
        let language = query.language.as_deref().filter(|l| !l.trim().is_empty());
        query.admits(recipe.lifecycle)
            && query.kind.is_none_or(|kind| kind.0 == recipe.kind)
            && match (language, document.language()) {
                (Some(asked), Some(own)) => {
                    let asked = asked.trim();
                    asd_recipe::canonical_language(asked).unwrap_or(asked) == own
                        || asked.eq_ignore_ascii_case("all")
                }
                _ => true,
            }
    }

    /// How documents fit by words, without those that are not asked for.
    fn words(&self, query: &Query, text: &str) -> Fits {
        let mut fits = self.by_words(text);
        fits.signals
            .retain(|signals| self.admits(query, signals.document));
        fits
    }

    fn weighted<'i>(&'i self, query: &Query, text: &str) -> Ranked<'i> {
        let fits = self.words(query, text);
        if fits.shape.units == 0 && fits.signals.is_empty() {
            return self.keyword(query, text);
        }
        self.ranked(query, &fits, by_words, false)
    }

    fn auto<'i>(&'i self, query: &Query, text: &str, limit: usize) -> Ranked<'i> {
        let mut fits = self.words(query, text);
        if fits.shape.units == 0 && fits.signals.is_empty() {
            return self.keyword(query, text);
        }
        let Some(semantics) = &self.semantics else {
            return self.ranked(query, &fits, by_words, false);
        };
        let Some(weight) = gate::semantic_weight(self.gate(text, &fits, limit)) else {
            return self.ranked(query, &fits, by_words, false);
        };
        // Where meaning fails, words still answer.
        let failed = self.add_meaning(semantics, text, &mut fits).is_err();
        fits.signals
            .retain(|signals| self.admits(query, signals.document));
        let score = |signals: &Signals| {
            by_words(signals) + weight * MEANING * signals.outstanding.unwrap_or(0.0)
        };
        self.ranked(query, &fits, score, failed)
    }

    fn semantic<'i>(&'i self, query: &Query, text: &str) -> Ranked<'i> {
        let mut fits = self.words(query, text);
        let asked = match &self.semantics {
            Some(semantics) => self.add_meaning(semantics, text, &mut fits).is_ok(),
            None => false,
        };
        if !asked {
            let ranked = self.weighted(query, text);
            return Ranked {
                degraded: true,
                ..ranked
            };
        }
        fits.signals
            .retain(|signals| signals.nearness.is_some() && self.admits(query, signals.document));
        let score = |signals: &Signals| signals.nearness.unwrap_or(0.0) / NEAR;
        self.ranked(query, &fits, score, false)
    }

    fn gate(&self, text: &str, fits: &Fits, limit: usize) -> i32 {
        let mut best: Vec<&Signals> = fits.signals.iter().collect();
        let order = |a: &&Signals, b: &&Signals| {
            by_words(b)
                .total_cmp(&by_words(a))
                .then(a.document.cmp(&b.document))
        };
        if best.len() > GATE_ROWS {
            best.select_nth_unstable_by(GATE_ROWS, order);
            best.truncate(GATE_ROWS);
        }
        best.sort_by(order);
        let best: Vec<Best<'_>> = best
            .into_iter()
            .map(|signals| {
                let recipe = &self.entries[signals.document as usize].document.recipe;
                Best {
                    score: by_words(signals),
                    title: &recipe.title,
                    trigger: &recipe.trigger,
                }
            })
            .collect();
        gate::certainty(text, &best, fits.signals.len(), limit)
    }

    /// Sorts what fits by a score, and by everything beside it when the query
    /// wants that.
    fn ranked<'i>(
        &'i self,
        query: &Query,
        fits: &Fits,
        score: impl Fn(&Signals) -> f32,
        degraded: bool,
    ) -> Ranked<'i> {
        let keep = crate::query::MAX_LIMIT * 2;
        let mut scored: Vec<(f32, &Signals)> = fits
            .signals
            .iter()
            .map(|signals| (score(signals), signals))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        let order = |a: &(f32, &Signals), b: &(f32, &Signals)| {
            b.0.total_cmp(&a.0).then(a.1.document.cmp(&b.1.document))
        };
        if scored.len() > keep {
            scored.select_nth_unstable_by(keep, order);
            scored.truncate(keep);
        }
        scored.sort_by(order);
        let nearest = fits
            .signals
            .iter()
            .filter_map(|signals| signals.nearness)
            .max_by(f32::total_cmp);
        let certainty = scored.first().map_or(0.0, |(_, best)| {
            confidence::certainty(&Evidence {
                best,
                nearest,
                shape: fits.shape,
            })
        });
        let mut found: Vec<Found<'i>> = scored
            .into_iter()
            .map(|(score, signals)| Found {
                document: &self.entries[signals.document as usize].document,
                score: f64::from(score),
                signals: *signals,
            })
            .collect();
        self.adjust(query, &mut found);
        Ranked {
            found,
            certainty,
            degraded,
            is_literal: false,
        }
    }

    /// Moves rows by what is known beside the query, and puts them in their
    /// final order.
    fn adjust(&self, query: &Query, found: &mut [Found<'_>]) {
        let language = query.language.as_deref();
        let now = unix_now();
        for found in found.iter_mut() {
            if query.rank {
                found.score *= rank::factor(found.document, query.scenario, language, now);
            }
            if query.mode == Mode::Context {
                found.score *=
                    1.0 + rank::context_boost(found.document, &query.session_history, language);
            }
        }
        // The order is that of the scores as they are shown.
        found.sort_by(|a, b| {
            three_decimals(b.score)
                .total_cmp(&three_decimals(a.score))
                .then_with(|| a.document.id.cmp(&b.document.id))
        });
    }

    /// The documents that hold the text literally.
    fn keyword<'i>(&'i self, query: &Query, text: &str) -> Ranked<'i> {
        let needle = text.to_lowercase();
        let finder = memchr::memmem::Finder::new(needle.as_bytes());
        let mut found: Vec<Found<'i>> = (0u32..)
            .zip(&self.entries)
            .filter(|(place, _)| self.admits(query, *place))
            .filter_map(|(place, entry)| {
                let field = entry
                    .lower
                    .iter()
                    .position(|text| finder.find(text.as_bytes()).is_some())?;
                Some(Found {
                    document: &entry.document,
                    score: KEYWORD_SCORES[field],
                    signals: Signals {
                        document: place,
                        ..Signals::default()
                    },
                })
            })
            .collect();
        self.adjust(query, &mut found);
        Ranked {
            found,
            certainty: 1.0,
            degraded: false,
            is_literal: true,
        }
    }
}

/// The score of a literal hit in trigger, title, description and the rest.
const KEYWORD_SCORES: [f64; 4] = [1.2, 1.0, 0.8, 0.5];

fn by_words(signals: &Signals) -> f32 {
    signals.words + signals.name
}

fn unix_now() -> i64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_secs()).ok())
        .unwrap_or(0)
}

pub(crate) fn three_decimals(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

/// The longest description of a row, in characters.
const DESCRIPTION: usize = 120;

fn row(found: &Found<'_>, weak: bool) -> Row {
    let Document { id, recipe, .. } = found.document;
    Row {
        id: id.to_string(),
        title: recipe.title.clone(),
        trigger: recipe.trigger.clone(),
        kind: recipe.kind,
        language: recipe.language.clone(),
        score: three_decimals(found.score),
        description: shortened(description(recipe)),
        action_hint: action_hint(recipe),
        knowledge_type: recipe.knowledge_type.clone(),
        source_refs: recipe
            .reasoning
            .sources
            .iter()
            .map(ToString::to_string)
            .collect(),
        weak,
    }
}

impl Found<'_> {
    pub(crate) fn row(&self) -> Row {
        row(self, false)
    }

    pub(crate) const fn place(&self) -> u32 {
        self.signals.document
    }

    /// How near it is in meaning, when that was asked.
    pub(crate) fn nearness(&self) -> Option<f32> {
        self.signals.nearness
    }
}

fn description(recipe: &Recipe) -> &str {
    if recipe.description.is_empty() {
        &recipe.do_clause
    } else {
        &recipe.description
    }
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= DESCRIPTION {
        return line;
    }
    let cut: String = line.chars().take(DESCRIPTION - 1).collect();
    cut + "…"
}

/// When something applies, and what is done then.
fn action_hint(recipe: &Recipe) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (when, action) = (one_line(&recipe.when_clause), one_line(&recipe.do_clause));
    match (when.is_empty(), action.is_empty()) {
        (false, false) => format!("{when} → {action}"),
        (true, false) => action,
        (false, true) => when,
        (true, true) => String::new(),
    }
}
