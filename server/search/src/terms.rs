//! What documents and queries are compared by: stems of words, names as one,
//! pairs of Chinese characters, known Chinese words, and groups of synonyms.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::document::Field;
use crate::stem::stem;
use crate::synonyms::Synonyms;
use crate::tokenize::{Word, counts, is_stop_char, words};

/// A term by the hash of its kind and text. Of a million terms two would share
/// a hash once in thirty million indexes.
pub(crate) type Term = u64;

#[derive(Clone, Copy)]
enum Namespace {
    /// The stem of a word.
    Stem,
    /// Several parts as one name: `retry_queue` is `retryqueue`.
    Name,
    /// One Chinese character.
    Character,
    /// Two Chinese characters.
    Pair,
    /// A Chinese word that the synonyms know, of more than two characters.
    Known,
    /// A group of synonyms.
    Group,
}

fn term(namespace: Namespace, bytes: impl Iterator<Item = u8>) -> Term {
    // FNV-1a, then the finaliser of MurmurHash3 to spread the bits.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ (namespace as u64);
    for byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

fn of_str(namespace: Namespace, text: &str) -> Term {
    term(namespace, text.bytes())
}

fn of_chars(namespace: Namespace, chars: &[char]) -> Term {
    term(
        namespace,
        chars.iter().flat_map(|&c| u32::from(c).to_le_bytes()),
    )
}

fn of_group(id: u32) -> Term {
    term(Namespace::Group, id.to_le_bytes().into_iter())
}

/// Weight of a field, how much its length counts against a hit in it, and the
/// length in tokens that is neither good nor bad. The last is a constant and no
/// average over the documents, so that one document never changes another.
const fn weights(field: Field) -> (f32, f32, f32) {
    match field {
        Field::Trigger => (2.5, 0.3, 4.0),
        Field::Title => (3.0, 0.4, 7.0),
        Field::Tags => (1.5, 0.4, 5.0),
        Field::Description => (1.6, 0.5, 16.0),
        Field::Clauses => (1.0, 0.5, 35.0),
        Field::Content => (0.6, 0.6, 100.0),
        Field::Code => (0.35, 0.7, 60.0),
        Field::Facets => (0.3, 0.0, 5.0),
    }
}

const fn is_headline(field: Field) -> bool {
    matches!(field, Field::Trigger | Field::Title | Field::Tags)
}

/// A term of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DocumentTerm {
    pub(crate) term: Term,
    /// How often it occurs, weighted by field and length.
    pub(crate) weight: f32,
    /// Whether it occurs in the trigger, the title or a tag.
    pub(crate) in_headline: bool,
}

/// The terms of a document, sorted.
pub(crate) fn document_terms(
    fields: &[(Field, String)],
    synonyms: &Synonyms,
) -> Box<[DocumentTerm]> {
    let mut all: BTreeMap<Term, (f32, bool)> = BTreeMap::new();
    let mut found: Vec<Term> = Vec::new();
    for (field, text) in fields {
        found.clear();
        let length = collect(text, synonyms, &mut found);
        if length == 0 {
            continue;
        }
        let (weight, b, usual) = weights(*field);
        #[expect(clippy::cast_precision_loss, reason = "a text has few tokens")]
        let share = weight / (1.0 - b + b * length as f32 / usual);
        for &term in &found {
            let entry = all.entry(term).or_default();
            entry.0 += share;
            entry.1 |= is_headline(*field);
        }
    }
    all.into_iter()
        .map(|(term, (weight, in_headline))| DocumentTerm {
            term,
            weight,
            in_headline,
        })
        .collect()
}

/// `C++` and `C#` as words.
fn spelled_out(text: &str) -> Cow<'_, str> {
    let has = |name: &str| {
        text.as_bytes()
            .windows(name.len())
            .any(|window| window.eq_ignore_ascii_case(name.as_bytes()))
    };
    if has("c++") || has("c#") {
        Cow::Owned(
            text.replace("C++", "cpp")
                .replace("c++", "cpp")
                .replace("C#", "csharp")
                .replace("c#", "csharp"),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// Adds every term of a text, as often as it occurs; gives its length in tokens.
fn collect(text: &str, synonyms: &Synonyms, found: &mut Vec<Term>) -> usize {
    let mut length = 0;
    let mut stems: Vec<String> = Vec::new();
    for word in words(&spelled_out(text)) {
        match word {
            Word::Plain { parts, joined } => {
                for part in &parts {
                    let stem = stem(part);
                    if counts(part) {
                        length += 1;
                        found.push(of_str(Namespace::Stem, &stem));
                    }
                    stems.push(stem);
                }
                if let Some(joined) = joined {
                    found.push(of_str(Namespace::Name, &joined));
                }
            }
            Word::Cjk(run) => {
                groups_of(&mut stems, synonyms, found);
                // A Chinese word has two characters.
                length += run.len().div_ceil(2);
                for &c in run.iter().filter(|c| !is_stop_char(**c)) {
                    found.push(of_chars(Namespace::Character, &[c]));
                }
                for pair in run.windows(2) {
                    if !pair.iter().all(|&c| is_stop_char(c)) {
                        found.push(of_chars(Namespace::Pair, pair));
                    }
                }
                for (at, len) in synonyms.all_in(&run) {
                    let word = &run[at..at + len];
                    if len > 2 {
                        found.push(of_chars(Namespace::Known, word));
                    }
                    found.extend(synonyms.cjk(word).iter().map(|id| of_group(*id)));
                }
            }
        }
    }
    groups_of(&mut stems, synonyms, found);
    length
}

/// The groups of each word, and of each longer phrase.
fn groups_of(stems: &mut Vec<String>, synonyms: &Synonyms, found: &mut Vec<Term>) {
    for at in 0..stems.len() {
        if let Some((length, ids)) = synonyms.latin_at(stems, at) {
            found.extend(ids.iter().map(|id| of_group(*id)));
            if length > 1 {
                found.extend(synonyms.latin(&stems[at]).iter().map(|id| of_group(*id)));
            }
        }
    }
    stems.clear();
}

/// One thing that a query asks for.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// How much it counts beside the others, before rarity.
    pub(crate) weight: f32,
    /// Whether a document that lacks it fits less. What is not required only
    /// adds.
    pub(crate) required: bool,
    /// The terms that it is met by, with how well; the best one counts.
    pub(crate) terms: Vec<(Term, f32)>,
}

/// How well another word of the same meaning meets a word.
const BY_GROUP: f32 = 0.75;
/// What words count that only say that something is asked.
pub(crate) const FILLER: f32 = 0.1;
/// What a pair of characters counts that no known word covers. The pairs of an
/// unknown word overlap, so each counts less than a word.
const UNKNOWN_PAIR: f32 = 0.6;
/// What a pair across the border of two words counts.
const BORDER_PAIR: f32 = 0.2;
/// What two words as one name count: `time out` is `timeout` too.
const NEIGHBOURS: f32 = 0.4;
/// What the parts of a name as one count.
const NAME: f32 = 1.2;
/// What a phrase of a group counts, beside its words.
const PHRASE: f32 = 0.6;

/// What a query asks for.
pub(crate) fn query_units(query: &str, synonyms: &Synonyms) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut stems: Vec<String> = Vec::new();
    let mut before: Option<String> = None;
    for word in words(&spelled_out(query)) {
        match word {
            Word::Plain { parts, joined } => {
                for part in &parts {
                    let stem = stem(part);
                    if counts(part) {
                        units.push(plain_unit(part, &stem, synonyms));
                    }
                    stems.push(stem);
                }
                match joined {
                    Some(joined) => {
                        let mut name = name_unit(&joined, NAME);
                        // Of `v-if` nothing is left but the name.
                        name.required = !parts.iter().any(|part| counts(part));
                        units.push(name);
                        before = None;
                    }
                    None => {
                        let part = parts.into_iter().next().unwrap_or_default();
                        if let Some(before) = before.take().filter(|_| counts(&part)) {
                            units.push(name_unit(&(before + &part), NEIGHBOURS));
                        }
                        before = counts(&part).then_some(part);
                    }
                }
            }
            Word::Cjk(run) => {
                phrases(&mut stems, synonyms, &mut units);
                before = None;
                cjk_units(&run, synonyms, &mut units);
            }
        }
    }
    phrases(&mut stems, synonyms, &mut units);
    merged(units)
}

fn plain_unit(part: &str, stem: &str, synonyms: &Synonyms) -> Unit {
    let mut terms = vec![
        (of_str(Namespace::Stem, stem), 1.0),
        (of_str(Namespace::Name, part), 1.0),
    ];
    terms.extend(groups(synonyms.latin(stem)));
    Unit {
        weight: if is_filler(part) { FILLER } else { 1.0 },
        required: true,
        terms,
    }
}

fn name_unit(joined: &str, weight: f32) -> Unit {
    Unit {
        weight,
        required: false,
        terms: vec![
            (of_str(Namespace::Name, joined), 1.0),
            (of_str(Namespace::Stem, &stem(joined)), 1.0),
        ],
    }
}

fn groups(ids: &[u32]) -> impl Iterator<Item = (Term, f32)> {
    ids.iter().map(|id| (of_group(*id), BY_GROUP))
}

fn phrases(stems: &mut Vec<String>, synonyms: &Synonyms, units: &mut Vec<Unit>) {
    for at in 0..stems.len() {
        if let Some((length, ids)) = synonyms.latin_at(stems, at)
            && length > 1
        {
            units.push(Unit {
                weight: PHRASE,
                required: false,
                terms: groups(ids).collect(),
            });
        }
    }
    stems.clear();
}

fn cjk_units(run: &[char], synonyms: &Synonyms, units: &mut Vec<Unit>) {
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < run.len() {
        let filler = filler_at(run, at);
        let length = synonyms.longest_at(run, at).unwrap_or(0);
        if filler > length {
            words.push((at, filler));
            at += filler;
        } else if length > 0 {
            units.push(known_unit(
                &run[at..at + length],
                filler == length,
                synonyms,
            ));
            words.push((at, length));
            at += length;
        } else {
            at += 1;
        }
    }
    for (at, pair) in run.windows(2).enumerate() {
        let inside = words
            .iter()
            .any(|&(start, length)| start <= at && at + 2 <= start + length);
        if inside || pair.iter().all(|&c| is_stop_char(c)) {
            continue;
        }
        let touches = words
            .iter()
            .any(|&(start, length)| start < at + 2 && at < start + length);
        units.push(Unit {
            weight: if touches { BORDER_PAIR } else { UNKNOWN_PAIR },
            required: !touches,
            terms: vec![(of_chars(Namespace::Pair, pair), 1.0)],
        });
    }
    if let [c] = run
        && words.is_empty()
        && !is_stop_char(*c)
    {
        units.push(Unit {
            weight: 0.5,
            required: true,
            terms: vec![(of_chars(Namespace::Character, run), 1.0)],
        });
    }
}

fn known_unit(word: &[char], is_filler: bool, synonyms: &Synonyms) -> Unit {
    let mut terms = match word {
        [_] => vec![(of_chars(Namespace::Character, word), 1.0)],
        [_, _] => vec![(of_chars(Namespace::Pair, word), 1.0)],
        longer => {
            let pairs = longer.windows(2);
            let mut terms = vec![(of_chars(Namespace::Known, longer), 1.0)];
            terms.extend(pairs.map(|pair| (of_chars(Namespace::Pair, pair), 0.5)));
            // The words within a word: of 默认参数 also 默认 and 参数.
            for (at, length) in synonyms.all_in(longer) {
                if length < longer.len() {
                    let ids = synonyms.cjk(&longer[at..at + length]);
                    terms.extend(ids.iter().map(|id| (of_group(*id), 0.5 * BY_GROUP)));
                }
            }
            terms
        }
    };
    terms.extend(groups(synonyms.cjk(word)));
    Unit {
        weight: if is_filler { FILLER } else { 1.0 },
        required: true,
        terms,
    }
}

/// A word that is said twice is asked for once.
fn merged(units: Vec<Unit>) -> Vec<Unit> {
    let mut seen: BTreeSet<Term> = BTreeSet::new();
    units
        .into_iter()
        .filter(|unit| {
            unit.terms
                .first()
                .is_some_and(|(term, _)| seen.insert(*term))
        })
        .collect()
}

const FILLERS: &str = include_str!("../data/fillers.txt");

fn fillers() -> &'static BTreeSet<&'static str> {
    static WORDS: OnceLock<BTreeSet<&str>> = OnceLock::new();
    WORDS.get_or_init(|| FILLERS.lines().collect())
}

/// Whether a word only says that something is asked for.
fn is_filler(word: &str) -> bool {
    fillers().contains(word)
}

/// The length of the longest filler at `at`, 0 for none.
fn filler_at(run: &[char], at: usize) -> usize {
    let most = 4.min(run.len() - at);
    (2..=most)
        .rev()
        .find(|&length| is_filler(&run[at..at + length].iter().collect::<String>()))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(query: &str, text: &str) -> bool {
        let synonyms = Synonyms::built_in();
        let terms = document_terms(&[(Field::Content, text.to_owned())], &synonyms);
        let has = |term: Term| terms.iter().any(|known| known.term == term);
        query_units(query, &synonyms)
            .iter()
            .filter(|unit| unit.required && unit.weight > FILLER)
            .all(|unit| unit.terms.iter().any(|(term, _)| has(*term)))
    }

    #[test]
    fn forms_of_words_meet_each_other() {
        assert!(met("caching responses", "a cached response"));
        assert!(met("retryqueue", "the retry_queue"));
        assert!(met("RetryQueue", "retry queue"));
        assert!(met("C++", "in cpp"));
        assert!(!met("stream", "a string"));
    }

    #[test]
    fn the_two_languages_meet_in_groups() {
        assert!(met("缓存中间件", "a middleware that caches"));
        assert!(met("circular import", "模块之间的循环导入"));
        assert!(met("禁止魔法数字", "magic numbers are forbidden"));
        assert!(!met("缓存", "retry"));
    }

    #[test]
    fn chinese_words_that_no_table_knows_meet_by_their_pairs() {
        assert!(met("蓝绿", "采用蓝绿方案"));
        assert!(!met("蓝绿", "采用红绿方案"));
        assert!(met("的", "无关"), "a particle asks for nothing");
    }

    #[test]
    fn what_only_asks_counts_little() {
        let synonyms = Synonyms::built_in();
        let heavy = |query: &str| {
            query_units(query, &synonyms)
                .iter()
                .filter(|unit| unit.required && unit.weight > FILLER)
                .count()
        };
        assert_eq!(heavy("how should I use a cache"), 1);
        assert_eq!(heavy("应该如何使用缓存"), 1);
        assert_eq!(heavy("帮我加个缓存中间件"), 2);
    }
}
