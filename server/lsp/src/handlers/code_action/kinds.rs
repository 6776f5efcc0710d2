//! Kinds of actions are a tree whose levels are written with dots.

use tower_lsp_server::ls_types::CodeActionKind;

/// Whether a client that asks for `only` these kinds, or for everything, wants
/// an action of `kind`.
pub(super) fn wanted(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    only.is_none_or(|only| {
        only.iter()
            .any(|asked| is_below(kind.as_str(), asked.as_str()))
    })
}

fn is_below(kind: &str, asked: &str) -> bool {
    asked.is_empty()
        || kind
            .strip_prefix(asked)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_stands_for_all_below_it() {
        assert!(is_below("source.fixAll.asd", "source.fixAll"));
        assert!(is_below("source.fixAll.asd", "source"));
        assert!(is_below("source.fixAll.asd", "source.fixAll.asd"));
        assert!(is_below("quickfix", ""));
        assert!(!is_below("source.fixAll.asd", "source.fixAll.eslint"));
        assert!(!is_below("source.fixAll.asd", "source.fix"));
        assert!(!is_below("refactor", "refactor.extract"));
    }
}
