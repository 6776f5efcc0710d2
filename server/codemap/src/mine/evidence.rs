//! When counts are enough.

/// The fewest places that must agree, unless told otherwise.
pub const MIN_SUPPORT: usize = 12;

/// The confidence below which nothing is said: what twelve places that agree and
/// none that does not give, a hair less.
pub const MIN_CONFIDENCE: f64 = 0.75;

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The lower end of Wilson's 95 % interval for the share of places that agree:
/// with this certainty, the habit behind the counts is at least so strong.
#[must_use]
pub fn wilson_lower_bound(kept: usize, broken: usize) -> f64 {
    let n = (kept + broken) as f64;
    if n == 0.0 {
        return 0.0;
    }
    let share = kept as f64 / n;
    let z2 = Z * Z;
    let centre = share + z2 / (2.0 * n);
    let spread = Z * ((share * (1.0 - share) + z2 / (4.0 * n)) / n).sqrt();
    ((centre - spread) / (1.0 + z2 / n)).max(0.0)
}

/// Whether counts say enough. A smaller support that was asked for lowers the
/// confidence that is needed to what it can give at best.
pub(super) fn is_enough(kept: usize, broken: usize, min_support: usize) -> bool {
    let needed = MIN_CONFIDENCE.min(wilson_lower_bound(min_support, 0));
    kept >= min_support.max(1) && wilson_lower_bound(kept, broken) >= needed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_grows_with_the_counts_and_falls_with_outliers() {
        let rounded = |kept, broken| (wilson_lower_bound(kept, broken) * 1000.0).round() / 1000.0;
        assert_eq!(rounded(46, 2), 0.86);
        assert_eq!(rounded(12, 0), 0.758);
        assert_eq!(rounded(0, 0), 0.0);
        assert!(rounded(46, 2) > rounded(23, 1));
        assert!(rounded(46, 2) > rounded(46, 3));
    }

    #[test]
    fn few_places_say_nothing_unless_fewer_were_asked_for() {
        assert!(is_enough(12, 0, MIN_SUPPORT));
        assert!(!is_enough(11, 0, MIN_SUPPORT));
        assert!(!is_enough(12, 1, MIN_SUPPORT));
        assert!(is_enough(5, 0, 5));
        assert!(!is_enough(5, 1, 5));
    }
}
