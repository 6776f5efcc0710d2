use asd_text::Span;

/// The `@trigger` tokens of a text that `is_known` takes, with the place of the
/// whole token. `@` inside a word, as in an e-mail address, starts none; whether
/// a decorator such as `@override` is a mention is decided by whether a recipe
/// has that name.
#[must_use]
pub fn mentions(text: &str, is_known: &dyn Fn(&str) -> bool) -> Vec<(Span, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| joins_address(c) || c == '@') {
            continue;
        }
        let rest = &text[at + 1..];
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
            .unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches(['-', '_']);
        if word.is_empty() {
            continue;
        }
        // `@scope/package` and `@a.b` name something else.
        let after = rest[word.len()..].chars().next();
        let second = rest[word.len()..].chars().nth(1);
        let goes_on = match after {
            Some('/' | '@') => true,
            Some('.') => second.is_some_and(char::is_alphanumeric),
            _ => false,
        };
        let span = Span::new(at, at + 1 + word.len());
        if !goes_on && is_known(span.of(text)) {
            found.push((span, span.of(text).to_owned()));
        }
    }
    found
}

/// Whether a character in front of `@` makes it part of an address. Chinese
/// text is written without blanks, so its characters do not.
fn joins_address(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '/')
}

impl crate::ProjectState {
    /// The mentions of this project's recipes in a text.
    #[must_use]
    pub fn mentions(&self, text: &str) -> Vec<(Span, String)> {
        mentions(text, &|trigger| self.recipe_by_trigger(trigger).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        mentions(text, &|trigger| trigger != "@override")
            .into_iter()
            .map(|(_, trigger)| trigger)
            .collect()
    }

    #[test]
    fn triggers_stand_alone() {
        assert_eq!(found("# see @cookie-di, please"), ["@cookie-di"]);
        assert_eq!(found("中文说明@cookie-di。"), ["@cookie-di"]);
        assert_eq!(found("(@a-b) \"@c\" @d."), ["@a-b", "@c", "@d"]);
        assert_eq!(found("@a-b-"), ["@a-b"]);
    }

    #[test]
    fn addresses_packages_and_decorators_are_none() {
        assert_eq!(found("mail ann@example.com"), [""; 0]);
        assert_eq!(found("import x from '@scope/pkg'"), [""; 0]);
        assert_eq!(found("@override void f() {}"), [""; 0]);
        assert_eq!(found("@app.route @@x @"), [""; 0]);
    }
}
