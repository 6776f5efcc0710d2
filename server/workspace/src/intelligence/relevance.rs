//! Whether a recipe still holds, from what is left of what it speaks about.
//! (mcp.md §5 and §8, asd_rescan)

use asd_recipe::Lifecycle;
use serde::Serialize;

/// What was found of one recipe. Shares are 0 to 1; `None` when the recipe says
/// nothing that could be looked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    /// The share of the words of its trigger that the code knows.
    pub(crate) trigger: Option<f64>,
    /// The share of the symbols of its code that are there.
    pub(crate) symbols: Option<f64>,
    /// The share of its imports that the project still has.
    pub(crate) dependencies: Option<f64>,
    /// The share of its sources that are there.
    pub(crate) files: Option<f64>,
    /// How many sources it names.
    pub(crate) sources: usize,
    /// How many of them were deleted since the last look, without a new name.
    pub(crate) deleted: usize,
    /// How much of its code is gone from sources that were changed; `None` when
    /// none were.
    pub(crate) impact: Option<f64>,
}

/// What a score means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Healthy,
    Watch,
    Decay,
    Severe,
    Dead,
}

impl Verdict {
    pub(crate) fn of(score: f64) -> Self {
        match score {
            _ if score >= 80.0 => Self::Healthy,
            _ if score >= 60.0 => Self::Watch,
            _ if score >= 40.0 => Self::Decay,
            _ if score >= 20.0 => Self::Severe,
            _ => Self::Dead,
        }
    }

    /// What a verdict asks of an agent that looks again.
    pub(crate) const fn hint(self) -> &'static str {
        match self {
            Self::Healthy => "It holds.",
            Self::Watch => {
                "Most of it is there. Read its sources and confirm with still_valid, or propose what changed."
            }
            Self::Decay => {
                "Part of what it speaks about changed. Compare its code with its sources and propose an evolution."
            }
            Self::Severe => {
                "Little of what it speaks about is left. Find what took its place and propose a correction."
            }
            Self::Dead => {
                "Nothing of what it speaks about was found. Confirm its deprecation, or name its new place."
            }
        }
    }
}

/// The score of a recipe, 0 to 100. Where all four evidences can be measured
/// it is their mix; else it follows from the sources.
pub(crate) fn score(found: &Found, lifecycle: Lifecycle) -> f64 {
    if let (Some(trigger), Some(symbols), Some(dependencies), Some(files)) = (
        found.trigger,
        found.symbols,
        found.dependencies,
        found.files,
    ) {
        return 100.0 * (0.20 * trigger + 0.30 * symbols + 0.15 * dependencies + 0.35 * files);
    }
    if found.sources > 0 && found.deleted == found.sources {
        return 10.0;
    }
    if found.deleted > 0 {
        return 30.0;
    }
    if let Some(impact) = found.impact.filter(|impact| *impact > 0.0) {
        return 60.0 - 40.0 * impact.min(1.0);
    }
    match found.files {
        Some(ratio) if ratio <= 0.0 => 15.0,
        Some(ratio) if ratio < 0.5 => 30.0 + 40.0 * ratio,
        Some(ratio) if ratio < 1.0 => 50.0 + 30.0 * ratio,
        Some(_) => 100.0,
        // Without sources, what its code names stands for its files.
        None => without_sources(lifecycle, found.symbols == Some(0.0)),
    }
}

const fn without_sources(lifecycle: Lifecycle, files_missing: bool) -> f64 {
    match (lifecycle, files_missing) {
        (Lifecycle::Active | Lifecycle::Evolving, false) => 90.0,
        (Lifecycle::Active | Lifecycle::Evolving, true) => 55.0,
        (Lifecycle::Staging | Lifecycle::Pending, false) => 70.0,
        (Lifecycle::Staging | Lifecycle::Pending, true) => 45.0,
        (Lifecycle::Decaying | Lifecycle::Deprecated, _) => 35.0,
    }
}

/// How many recipes a dimension should have.
pub(crate) const TARGET: usize = 5;

/// How many more a dimension needs.
pub(crate) const fn gap(healthy: usize, observing: usize) -> usize {
    TARGET.saturating_sub(healthy + observing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(ratio: f64) -> Found {
        Found {
            files: Some(ratio),
            sources: 4,
            ..Found::default()
        }
    }

    #[test]
    fn sources_decide_where_not_everything_can_be_measured() {
        let of = |found: &Found| score(found, Lifecycle::Active);
        for (found, expected) in [
            (
                Found {
                    deleted: 4,
                    ..files(0.0)
                },
                10.0,
            ),
            (
                Found {
                    deleted: 1,
                    ..files(0.75)
                },
                30.0,
            ),
            (
                Found {
                    impact: Some(0.5),
                    ..files(1.0)
                },
                40.0,
            ),
            (
                Found {
                    impact: Some(0.0),
                    ..files(1.0)
                },
                100.0,
            ),
            (files(0.0), 15.0),
            (files(0.25), 40.0),
            (files(0.5), 65.0),
            (files(0.75), 72.5),
            (files(1.0), 100.0),
        ] {
            assert!(
                (of(&found) - expected).abs() < 1e-9,
                "{found:?}: {}",
                of(&found)
            );
        }
    }

    #[test]
    fn without_sources_the_state_decides() {
        let there = Found::default();
        let gone = Found {
            symbols: Some(0.0),
            ..Found::default()
        };
        for (lifecycle, with, without) in [
            (Lifecycle::Active, 90.0, 55.0),
            (Lifecycle::Evolving, 90.0, 55.0),
            (Lifecycle::Staging, 70.0, 45.0),
            (Lifecycle::Decaying, 35.0, 35.0),
        ] {
            assert!((score(&there, lifecycle) - with).abs() < 1e-9);
            assert!((score(&gone, lifecycle) - without).abs() < 1e-9);
        }
    }

    #[test]
    fn all_four_evidences_are_mixed_by_their_weights() {
        let found = Found {
            trigger: Some(1.0),
            symbols: Some(0.5),
            dependencies: Some(0.0),
            files: Some(1.0),
            sources: 2,
            ..Found::default()
        };
        assert!((score(&found, Lifecycle::Active) - 70.0).abs() < 1e-9);
    }

    #[test]
    fn verdicts_have_their_borders() {
        use Verdict::{Dead, Decay, Healthy, Severe, Watch};
        for (score, verdict) in [
            (100.0, Healthy),
            (80.0, Healthy),
            (79.9, Watch),
            (60.0, Watch),
            (59.9, Decay),
            (40.0, Decay),
            (39.9, Severe),
            (20.0, Severe),
            (19.9, Dead),
        ] {
            assert_eq!(Verdict::of(score), verdict, "{score}");
        }
    }

    #[test]
    fn a_dimension_wants_five_recipes() {
        assert_eq!((gap(0, 0), gap(3, 1), gap(9, 0)), (5, 1, 0));
    }
}
