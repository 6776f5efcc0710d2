//! A hook that checks what is about to be committed.

use super::gitignore::{with_block_of, without_block};

pub(crate) const NAME: &str = "pre-commit";

/// Without the program a commit is not held up: not everybody has it.
const LINES: &str = "if command -v asd >/dev/null 2>&1; then\n  asd guard staged || exit $?\nfi\n";

/// The hook with our lines. They go to the front, since a script may end before
/// its last line.
pub(crate) fn with_hook(text: Option<&str>) -> Result<String, &'static str> {
    let text = text.unwrap_or_default();
    if text.trim().is_empty() {
        return with_block_of("#!/bin/sh\n", LINES).map(|text| text.replacen("\n\n", "\n", 1));
    }
    let Some((first, rest)) = text.split_once('\n').filter(|(first, _)| is_shell(first)) else {
        return Err("not-a-shell-script");
    };
    if without_block(text)?.is_some() {
        return with_block_of(text, LINES);
    }
    let block = with_block_of("", LINES)?;
    Ok(format!("{first}\n{block}{rest}"))
}

/// The hook without our lines; `None` when it has none, empty when nothing is
/// left.
pub(crate) fn without_hook(text: &str) -> Result<Option<String>, &'static str> {
    Ok(without_block(text)?.map(|rest| {
        let only_first = rest.trim().lines().count() <= 1 && rest.starts_with("#!");
        if only_first { String::new() } else { rest }
    }))
}

fn is_shell(first: &str) -> bool {
    let Some(program) = first.trim_end().strip_prefix("#!") else {
        return false;
    };
    program
        .split(['/', ' '])
        .any(|part| matches!(part, "sh" | "bash" | "dash" | "zsh" | "ksh"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_hook_is_a_whole_script() {
        let hook = with_hook(None).unwrap();
        assert!(hook.starts_with("#!/bin/sh\n# >>> Alembic"), "{hook}");
        assert_eq!(with_hook(Some(&hook)), Ok(hook.clone()));
        assert_eq!(without_hook(&hook), Ok(Some(String::new())));
    }

    #[test]
    fn a_hook_that_is_there_runs_behind_ours() {
        let text = "#!/usr/bin/env bash\nmake check\nexit 0\n";
        let hook = with_hook(Some(text)).unwrap();
        assert!(hook.starts_with("#!/usr/bin/env bash\n# >>>"), "{hook}");
        assert!(
            hook.ends_with("# <<< Alembic <<<\nmake check\nexit 0\n"),
            "{hook}"
        );
        assert_eq!(with_hook(Some(&hook)), Ok(hook.clone()));
        assert_eq!(without_hook(&hook), Ok(Some(text.to_owned())));
    }

    #[test]
    fn a_hook_in_another_language_is_left_alone() {
        assert!(with_hook(Some("#!/usr/bin/env python3\nprint()\n")).is_err());
        assert!(with_hook(Some("no first line\n")).is_err());
    }
}
