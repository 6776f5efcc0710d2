use crate::{Recipe, SourceRef};

/// The form under which triggers are looked up: case, `@`, `-` and `_` do not
/// count. (knowledge.md §2.1)
#[must_use]
pub fn trigger_key(trigger: &str) -> String {
    trigger
        .chars()
        .filter(|c| !matches!(c, '@' | '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The longest permitted trigger with its `@`, in characters.
pub(crate) const MAX_TRIGGER: usize = 60;

/// Whether `trigger` is `@` and kebab-case and 2 to 60 characters long.
#[must_use]
pub fn is_canonical_trigger(trigger: &str) -> bool {
    let Some(name) = trigger.strip_prefix('@') else {
        return false;
    };
    (2..=MAX_TRIGGER).contains(&trigger.len())
        && name.split('-').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// `text` as a trigger: `RetryQueue Backoff` becomes `@retry-queue-backoff`.
/// `None` when no letter or digit of ASCII is left to make one of.
#[must_use]
pub fn normalise_trigger(text: &str) -> Option<String> {
    let chars: Vec<char> = text.trim().chars().collect();
    let mut name = String::new();
    for (index, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !name.is_empty() && !name.ends_with('-') {
                name.push('-');
            }
            continue;
        }
        // A capital begins a word behind a small letter, and as the last of a
        // run of capitals: `URLSession` is `url-session`.
        let before = index.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(index + 1);
        let begins_word = c.is_ascii_uppercase()
            && before.is_some_and(|b| {
                b.is_ascii_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if begins_word && !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name.truncate(MAX_TRIGGER - 1);
    let name = name.trim_matches('-');
    (!name.is_empty()).then(|| format!("@{name}"))
}

/// The file name of a recipe without its `.md`: from the trigger, else the
/// title, else the id. (knowledge.md §4)
#[must_use]
pub fn file_stem(recipe: &Recipe) -> String {
    const MAX: usize = 60;
    let trigger: String = recipe
        .trigger
        .trim_start_matches('@')
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
                c
            } else {
                '_'
            }
        })
        .take(MAX)
        .collect();
    if trigger.len() >= 2 && trigger.contains(|c: char| c.is_ascii_alphanumeric()) {
        return trigger;
    }
    let mut slug = String::new();
    for c in recipe.title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() || is_cjk(c) {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug: String = slug.chars().take(MAX).collect();
    let slug = slug.trim_matches('-');
    if slug.chars().count() >= 3 {
        return slug.to_owned();
    }
    recipe
        .id
        .as_deref()
        .map(short_id)
        .filter(|id| !id.is_empty())
        .unwrap_or_else(|| "recipe".into())
}

/// The first eight letters and digits of an id, which tell apart files whose
/// stems would be equal.
#[must_use]
pub fn short_id(id: &str) -> String {
    id.chars()
        .filter(char::is_ascii_alphanumeric)
        .take(8)
        .collect()
}

/// The folder of a recipe below `recipes/` or `candidates/`. (knowledge.md §1)
#[must_use]
pub fn bucket(recipe: &Recipe) -> String {
    let name = recipe
        .dimension_id
        .as_deref()
        .filter(|id| !id.is_empty())
        .or(Some(recipe.category.as_str()).filter(|category| !category.is_empty()))
        .unwrap_or("general");
    let folder: String = name
        .to_lowercase()
        .chars()
        .map(|c| {
            if c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-') {
                c
            } else {
                '-'
            }
        })
        .collect();
    folder
}

/// Whether `c` is a Han, Kana or Hangul character.
#[must_use]
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}')
}

/// `token` is 1.3 beyond U+2E80 and 0.25 below. (delivery.md §4)
#[must_use]
pub fn token_estimate(text: &str) -> usize {
    // In hundredths, so that the sum is exact.
    let hundredths: usize = text
        .chars()
        .map(|c| if c > '\u{2e80}' { 130 } else { 25 })
        .sum();
    hundredths.div_ceil(100)
}

impl SourceRef {
    /// Reads `path`, `path:10` or `path:10-48`. `\` becomes `/` and a leading
    /// `./` goes. The span is left empty.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (path, lines) = match text.rsplit_once(':') {
            Some((path, lines)) if !path.is_empty() => match parse_lines(lines) {
                Some(lines) => (path, Some(lines)),
                None => (text, None),
            },
            _ => (text, None),
        };
        let mut path = path.replace('\\', "/");
        while let Some(rest) = path.strip_prefix("./") {
            path = rest.to_owned();
        }
        Self {
            path,
            lines,
            span: asd_text::Span::default(),
        }
    }

    /// Whether the path stays below the project: not absolute, no `..`.
    #[must_use]
    pub fn stays_inside(&self) -> bool {
        let drive = self
            .path
            .split('/')
            .next()
            .is_some_and(|first| first.len() == 2 && first.ends_with(':'));
        !self.path.starts_with(['/', '~'])
            && !drive
            && !self.path.split('/').any(|part| part == "..")
    }
}

impl std::fmt::Display for SourceRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.path)?;
        match self.lines {
            Some((first, last)) if first == last => write!(f, ":{first}"),
            Some((first, last)) => write!(f, ":{first}-{last}"),
            None => Ok(()),
        }
    }
}

fn parse_lines(text: &str) -> Option<(u32, u32)> {
    let number = |text: &str| {
        text.trim_start_matches('L')
            .parse::<u32>()
            .ok()
            .filter(|n| *n > 0)
    };
    match text.split_once('-') {
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            Some((first.min(last), first.max(last)))
        }
        None => number(text).map(|line| (line, line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_are_normalised() {
        for (from, to) in [
            ("@NetMonitor", Some("@net-monitor")),
            ("RetryQueue Backoff", Some("@retry-queue-backoff")),
            ("URLSession_wrapper", Some("@url-session-wrapper")),
            ("@ok-1", Some("@ok-1")),
            ("--x--", Some("@x")),
            ("缓存", None),
        ] {
            assert_eq!(normalise_trigger(from).as_deref(), to, "{from}");
        }
        assert!(is_canonical_trigger("@net-monitor2"));
        for bad in ["net", "@", "@Net", "@a--b", "@-a", "@a-", "@a_b"] {
            assert!(!is_canonical_trigger(bad), "{bad}");
        }
        assert_eq!(trigger_key("@Net_Monitor-X"), "netmonitorx");
    }

    #[test]
    fn file_names_follow_the_trigger_then_the_title_then_the_id() {
        let mut recipe = Recipe {
            trigger: "@net/mon".into(),
            title: "Hello, 世界!".into(),
            id: Some("5b0c4d1e-7a55".into()),
            ..Recipe::default()
        };
        assert_eq!(file_stem(&recipe), "net_mon");
        recipe.trigger = "@".into();
        assert_eq!(file_stem(&recipe), "hello-世界");
        recipe.title = "!!".into();
        assert_eq!(file_stem(&recipe), "5b0c4d1e");
        assert_eq!(bucket(&recipe), "general");
        recipe.category = "UI & more".into();
        assert_eq!(bucket(&recipe), "ui---more");
    }

    #[test]
    fn sources_name_a_path_and_lines() {
        let source = |text: &str| {
            let source = SourceRef::parse(text);
            (source.path.clone(), source.lines, source.to_string())
        };
        assert_eq!(
            source("src/a.rs"),
            ("src/a.rs".into(), None, "src/a.rs".into())
        );
        assert_eq!(
            source("src/a.rs:10"),
            ("src/a.rs".into(), Some((10, 10)), "src/a.rs:10".into())
        );
        assert_eq!(
            source("./src\\a.rs:10-48"),
            ("src/a.rs".into(), Some((10, 48)), "src/a.rs:10-48".into())
        );
        assert_eq!(source("src/a.rs:L3-L1").1, Some((1, 3)));
        assert_eq!(source("odd:name").0, "odd:name");
        for outside in ["../x", "/etc/passwd", "C:\\x", "a/../../b", "~/x"] {
            assert!(!SourceRef::parse(outside).stays_inside(), "{outside}");
        }
        assert!(SourceRef::parse("a/b..c/x").stays_inside());
    }

    #[test]
    fn tokens_are_counted_by_script() {
        assert_eq!(token_estimate("abcd"), 1);
        assert_eq!(token_estimate("缓存"), 3);
        assert_eq!(token_estimate(""), 0);
    }
}
