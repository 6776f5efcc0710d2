//! Budgets: which items of a file are kept.

use asd_recipe::token_estimate;

/// What was kept of a list of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    /// The indices of the kept items, in their order.
    pub kept: Vec<usize>,
    /// How many were left out.
    pub dropped: usize,
    /// What the kept ones cost together, in tokens.
    pub used: usize,
}

/// Keeps items in their order while they fit, at most `most` of them. One that
/// does not fit is skipped, and smaller ones behind it may still be kept.
pub(crate) fn fit(costs: &[usize], budget: usize, most: usize) -> Fit {
    let mut kept = Vec::new();
    let mut used = 0;
    for (index, cost) in costs.iter().enumerate() {
        if kept.len() < most && used + cost <= budget {
            used += cost;
            kept.push(index);
        }
    }
    Fit {
        dropped: costs.len() - kept.len(),
        kept,
        used,
    }
}

/// Chooses items for a file: the fixed text, measured without any item, comes
/// off the budget; then the whole file is measured, and while it is too large
/// the last kept item is removed.
pub(crate) fn fit_file(
    items: &[String],
    budget: usize,
    most: usize,
    file: impl Fn(&[&str]) -> String,
) -> (String, Vec<usize>) {
    let fixed = token_estimate(&file(&[]));
    let costs: Vec<usize> = items.iter().map(|item| token_estimate(item)).collect();
    let mut kept = fit(&costs, budget.saturating_sub(fixed), most).kept;
    loop {
        let chosen: Vec<&str> = kept.iter().map(|index| items[*index].as_str()).collect();
        let text = file(&chosen);
        if token_estimate(&text) <= budget || kept.pop().is_none() {
            return (text, kept);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_that_does_not_fit_is_skipped_and_later_ones_are_tried() {
        let fit = fit(&[6, 5, 4], 10, 9);
        assert_eq!(fit.kept, [0, 2]);
        assert_eq!((fit.dropped, fit.used), (1, 10));
    }

    #[test]
    fn costs_are_counted_by_script() {
        for (text, tokens) in [
            ("Use cache", 3),
            ("使用缓存", 6),
            ("abcd", 1),
            ("缓存", 3),
            ("", 0),
        ] {
            assert_eq!(token_estimate(text), tokens, "{text}");
        }
    }

    #[test]
    fn the_whole_file_is_measured_with_its_fixed_text() {
        let items: Vec<String> = (0..10).map(|_| "x".repeat(40)).collect();
        let (text, kept) = fit_file(&items, 50, 99, |items| {
            format!("{}{}", "h".repeat(80), items.join(&"-".repeat(8)))
        });
        assert!(token_estimate(&text) <= 50, "{}", token_estimate(&text));
        assert_eq!(kept, [0, 1]);
    }
}
