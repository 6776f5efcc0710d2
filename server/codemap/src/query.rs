//! Questions to a map: who calls what, what a change reaches. (mcp.md §5)

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use crate::facts::SymbolKind;
use crate::map::{CodeMap, FileId, SymbolId};

/// Which way calls are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    Callers,
    Callees,
    #[default]
    Both,
    Impact,
}

/// A symbol that a name stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Its qualified name.
    pub symbol: String,
    /// Its file.
    pub file: String,
    /// The line of its name, from 1.
    pub line: u32,
    /// What it is.
    pub kind: &'static str,
}

/// A symbol that is reached over calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reached {
    /// Its qualified name; the path of the file for its top.
    pub symbol: String,
    /// Its file.
    pub file: String,
    /// The line of the call for callers, of the name for callees, from 1.
    pub line: u32,
    /// The number of calls on the shortest way.
    pub depth: usize,
    /// That of the least sure call on the way, the best way taken.
    pub confidence: f32,
}

/// How far a change reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Impact {
    /// Symbols that call it.
    pub direct_callers: usize,
    /// Symbols that reach it within the depth, direct ones included.
    pub transitive_callers: usize,
    /// The files of these.
    pub files: usize,
    /// How many of these are tests.
    pub tests: usize,
    /// `high` with more than 10 transitive callers or more than 5 files,
    /// `medium` with more than 3 transitive callers, else `low`.
    pub risk: &'static str,
}

/// The calls around a name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallContext {
    /// The name that was asked for.
    pub method_name: String,
    /// What it stands for.
    pub matches: Vec<Match>,
    /// Which way calls were followed.
    pub direction: Direction,
    /// How far.
    pub max_depth: usize,
    /// Who calls it, the nearest first.
    pub callers: Vec<Reached>,
    /// What it calls, the nearest first.
    pub callees: Vec<Reached>,
    /// How far a change of it reaches.
    pub impact: Impact,
    /// Near names, when it stands for nothing; at most 5.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

/// The most symbols that are listed for one direction.
const LONGEST_LIST: usize = 500;

/// The calls around `name`, `Type.name` or `mod::name`.
#[must_use]
pub fn call_context(
    map: &CodeMap,
    name: &str,
    direction: Direction,
    max_depth: usize,
) -> CallContext {
    let max_depth = max_depth.clamp(1, 5);
    let found = find_symbols(map, name);
    let starts: BTreeSet<SymbolId> = found.iter().copied().collect();
    let reached = if starts.is_empty() {
        Vec::new()
    } else {
        callers(map, &starts, max_depth)
    };
    let mut context = CallContext {
        method_name: name.to_owned(),
        matches: found.iter().map(|symbol| matched(map, *symbol)).collect(),
        direction,
        max_depth,
        callers: Vec::new(),
        callees: Vec::new(),
        impact: impact(map, &reached),
        suggestions: if starts.is_empty() {
            near_names(map, name)
        } else {
            Vec::new()
        },
    };
    if direction != Direction::Callees {
        context.callers = reached
            .iter()
            .take(LONGEST_LIST)
            .map(|r| r.show(map))
            .collect();
    }
    if matches!(direction, Direction::Callees | Direction::Both) && !starts.is_empty() {
        let callees = callees(map, &starts, max_depth);
        context.callees = callees
            .iter()
            .take(LONGEST_LIST)
            .map(|r| r.show(map))
            .collect();
    }
    context
}

fn matched(map: &CodeMap, symbol: SymbolId) -> Match {
    let declaration = map.declaration(symbol);
    Match {
        symbol: map.qualified_name(symbol),
        file: map.file(map.file_of(symbol)).path.clone(),
        line: declaration.line,
        kind: declaration.kind.as_str(),
    }
}

/// The symbols that a name, with or without those around it, stands for: what
/// can be called, else types. Separators are `.`, `::`, `#` and `/`.
#[must_use]
pub fn find_symbols(map: &CodeMap, name: &str) -> Vec<SymbolId> {
    let plain = name
        .trim()
        .trim_end_matches("()")
        .replace("::", ".")
        .replace(['#', '/'], ".");
    let mut parts: Vec<&str> = plain.split('.').filter(|part| !part.is_empty()).collect();
    let Some(last) = parts.pop() else {
        return Vec::new();
    };
    let fits = |symbol: SymbolId| {
        if parts.is_empty() {
            return true;
        }
        let file = map.file(map.file_of(symbol));
        let qualified = map.qualified_name(symbol);
        let stem = file
            .path
            .rsplit_once('.')
            .map_or(file.path.as_str(), |(stem, _)| stem);
        let whole = format!("{}.{qualified}", stem.replace('/', "."));
        let mut have = whole.split('.').rev().skip(1);
        parts
            .iter()
            .rev()
            .all(|part| have.by_ref().any(|one| one == *part))
    };
    let mut all: Vec<SymbolId> = map.named(last).filter(|symbol| fits(*symbol)).collect();
    let rank = |symbol: &SymbolId| {
        let kind = map.declaration(*symbol).kind;
        match kind {
            kind if kind.is_callable() => 0,
            kind if kind.is_type() => 1,
            SymbolKind::Extension | SymbolKind::Module => 3,
            _ => 2,
        }
    };
    let best = all.iter().map(rank).min().unwrap_or(0);
    all.retain(|symbol| rank(symbol) == best && best < 3);
    // A declaration that something else defines says nothing of its own.
    let defined = all.iter().any(|symbol| map.declaration(*symbol).has_body);
    if defined && best == 0 {
        let called = |symbol: &SymbolId| map.calls_to(*symbol).next().is_some();
        all.retain(|symbol| map.declaration(*symbol).has_body || called(symbol));
    }
    // A class is called through its constructor.
    if best == 1 {
        let constructors: Vec<SymbolId> = map
            .symbols()
            .filter(|symbol| map.declaration(*symbol).kind == SymbolKind::Constructor)
            .filter(|symbol| {
                map.parent(*symbol)
                    .is_some_and(|parent| all.contains(&parent))
            })
            .collect();
        all.extend(constructors);
    }
    all
}

#[derive(Clone, Copy)]
struct Step {
    symbol: Option<SymbolId>,
    file: FileId,
    line: u32,
    depth: usize,
    confidence: f32,
}

impl Step {
    fn show(&self, map: &CodeMap) -> Reached {
        let file = map.file(self.file).path.clone();
        Reached {
            symbol: self
                .symbol
                .map_or_else(|| file.clone(), |symbol| map.qualified_name(symbol)),
            file,
            line: self.line,
            depth: self.depth,
            confidence: self.confidence,
        }
    }
}

fn callers(map: &CodeMap, starts: &BTreeSet<SymbolId>, max_depth: usize) -> Vec<Step> {
    let mut found: BTreeMap<(Option<SymbolId>, FileId), Step> = BTreeMap::new();
    let mut open: VecDeque<(SymbolId, usize, f32)> = starts.iter().map(|s| (*s, 0, 1.0)).collect();
    while let Some((symbol, depth, sure)) = open.pop_front() {
        if depth == max_depth {
            continue;
        }
        for call in map.calls_to(symbol) {
            if call.caller.is_some_and(|caller| starts.contains(&caller)) {
                continue;
            }
            let confidence = sure.min(call.confidence);
            let step = Step {
                symbol: call.caller,
                file: call.file,
                line: call.line,
                depth: depth + 1,
                confidence,
            };
            let key = (call.caller, call.file);
            if let Some(known) = found.get_mut(&key) {
                if known.depth == depth + 1 && confidence > known.confidence {
                    known.confidence = confidence;
                    known.line = call.line;
                }
                continue;
            }
            found.insert(key, step);
            if let Some(caller) = call.caller {
                open.push_back((caller, depth + 1, confidence));
            }
        }
    }
    sorted(found.into_values().collect())
}

fn callees(map: &CodeMap, starts: &BTreeSet<SymbolId>, max_depth: usize) -> Vec<Step> {
    let mut found: BTreeMap<SymbolId, Step> = BTreeMap::new();
    let mut open: VecDeque<(SymbolId, usize, f32)> = starts.iter().map(|s| (*s, 0, 1.0)).collect();
    while let Some((symbol, depth, sure)) = open.pop_front() {
        if depth == max_depth {
            continue;
        }
        for call in map.calls_from(symbol) {
            let confidence = sure.min(call.confidence);
            if starts.contains(&call.callee) {
                continue;
            }
            if let Some(known) = found.get_mut(&call.callee) {
                if known.depth == depth + 1 && confidence > known.confidence {
                    known.confidence = confidence;
                }
                continue;
            }
            let step = Step {
                symbol: Some(call.callee),
                file: map.file_of(call.callee),
                line: map.declaration(call.callee).line,
                depth: depth + 1,
                confidence,
            };
            found.insert(call.callee, step);
            open.push_back((call.callee, depth + 1, confidence));
        }
    }
    sorted(found.into_values().collect())
}

fn sorted(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by(|a, b| {
        a.depth
            .cmp(&b.depth)
            .then(b.confidence.total_cmp(&a.confidence))
            .then((a.file, a.line, a.symbol).cmp(&(b.file, b.line, b.symbol)))
    });
    steps
}

fn impact(map: &CodeMap, callers: &[Step]) -> Impact {
    let direct = callers.iter().filter(|step| step.depth == 1).count();
    let files: BTreeSet<FileId> = callers.iter().map(|step| step.file).collect();
    let tests = callers
        .iter()
        .filter(|step| match step.symbol {
            Some(symbol) => map.is_test(symbol),
            None => map.file(step.file).source.is_test,
        })
        .count();
    Impact {
        direct_callers: direct,
        transitive_callers: callers.len(),
        files: files.len(),
        tests,
        risk: risk(callers.len(), files.len()),
    }
}

/// How dangerous a change is. (mcp.md §5)
#[must_use]
pub const fn risk(transitive_callers: usize, files: usize) -> &'static str {
    if transitive_callers > 10 || files > 5 {
        "high"
    } else if transitive_callers > 3 {
        "medium"
    } else {
        "low"
    }
}

/// At most five names that are written much like this one.
#[must_use]
pub fn near_names(map: &CodeMap, name: &str) -> Vec<String> {
    let last = name
        .rsplit(['.', ':', '#', '/'])
        .next()
        .unwrap_or(name)
        .to_lowercase();
    if last.is_empty() {
        return Vec::new();
    }
    let mut near: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut before = "";
    for symbol in &map.by_name {
        let declaration = map.declaration(*symbol);
        if declaration.name == before
            || !(declaration.kind.is_callable() || declaration.kind.is_type())
        {
            continue;
        }
        before = &declaration.name;
        let candidate = declaration.name.to_lowercase();
        let limit = (last.chars().count() / 3).max(1);
        let distance = distance(&last, &candidate, limit);
        let distance = match distance {
            Some(distance) => distance,
            None if last.len() >= 3
                && (candidate.starts_with(&last) || candidate.ends_with(&last)) =>
            {
                limit + 1
            }
            None => continue,
        };
        near.insert((distance, declaration.name.clone()));
    }
    near.into_iter().map(|(_, name)| name).take(5).collect()
}

/// The number of letters to change, swaps counted once; `None` above a limit.
fn distance(one: &str, other: &str, limit: usize) -> Option<usize> {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    if one.len().abs_diff(other.len()) > limit {
        return None;
    }
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for (at, row) in rows.iter_mut().enumerate() {
        row[0] = at;
    }
    for (at, cell) in rows[0].iter_mut().enumerate() {
        *cell = at;
    }
    for i in 1..=one.len() {
        for j in 1..=other.len() {
            let cost = usize::from(one[i - 1] != other[j - 1]);
            let mut best = (rows[i - 1][j] + 1)
                .min(rows[i][j - 1] + 1)
                .min(rows[i - 1][j - 1] + cost);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    Some(rows[one.len()][other.len()]).filter(|distance| *distance <= limit)
}
