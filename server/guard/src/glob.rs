//! The globs of guards and exclusions. (guard.md §9)

/// A compiled glob: `**` any depth, `*` within a segment, `?` one character,
/// `{a,b}` either. A pattern with a wildcard and no `/` matches base names; one
/// without a wildcard matches a whole segment, a path suffix, or everything
/// below a folder given from the project's root; never a part of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    alternatives: Vec<Alternative>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Alternative {
    Name(Vec<char>),
    Path(Vec<Segment>),
    Plain(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    AnyDepth,
    Name(Vec<char>),
}

impl Glob {
    pub(crate) fn new(pattern: &str) -> Self {
        let pattern = pattern.trim().replace('\\', "/");
        let pattern = pattern.strip_prefix("./").unwrap_or(&pattern);
        let alternatives = with_braces_expanded(pattern)
            .into_iter()
            .map(|pattern| Alternative::new(&pattern))
            .collect();
        Self { alternatives }
    }

    /// Whether a project-relative path with `/` matches.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.alternatives.iter().any(|glob| glob.matches(path))
    }
}

impl Alternative {
    fn new(pattern: &str) -> Self {
        if !pattern.contains(['*', '?']) {
            return Self::Plain(pattern.trim_matches('/').to_owned());
        }
        if !pattern.contains('/') && pattern != "**" {
            return Self::Name(pattern.chars().collect());
        }
        let folder = pattern.ends_with('/');
        let mut segments: Vec<Segment> = pattern
            .trim_matches('/')
            .split('/')
            .map(|segment| match segment {
                "**" => Segment::AnyDepth,
                name => Segment::Name(name.chars().collect()),
            })
            .collect();
        if folder {
            segments.push(Segment::AnyDepth);
        }
        Self::Path(segments)
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Self::Plain(plain) if plain.is_empty() => false,
            Self::Plain(plain) => {
                path == plain
                    || path
                        .strip_suffix(plain.as_str())
                        .is_some_and(|rest| rest.ends_with('/'))
                    || path
                        .strip_prefix(plain.as_str())
                        .is_some_and(|rest| rest.starts_with('/'))
                    || (!plain.contains('/') && path.split('/').any(|segment| segment == plain))
            }
            Self::Name(glob) => name_matches(glob, path.rsplit('/').next().unwrap_or(path)),
            Self::Path(segments) => {
                let path: Vec<&str> = path.split('/').collect();
                path_matches(segments, &path)
            }
        }
    }
}

fn path_matches(glob: &[Segment], path: &[&str]) -> bool {
    match glob.split_first() {
        None => path.is_empty(),
        // At the end it asks for something below, not for the folder itself.
        Some((Segment::AnyDepth, [])) => !path.is_empty(),
        Some((Segment::AnyDepth, rest)) => {
            (0..=path.len()).any(|skipped| path_matches(rest, &path[skipped..]))
        }
        Some((Segment::Name(name), rest)) => path
            .split_first()
            .is_some_and(|(first, below)| name_matches(name, first) && path_matches(rest, below)),
    }
}

/// The classic two-pointer match: on a mismatch the last star takes one more.
pub(crate) fn name_matches(glob: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut g, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, n));
                g += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                g += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    g = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|&c| c == '*')
}

/// `a.{ts,tsx}` as `a.ts` and `a.tsx`. Nested braces are taken as they stand,
/// and no more than 64 patterns come of one.
fn with_braces_expanded(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        let braces = pattern.find('{').and_then(|start| {
            let length = pattern[start..].find('}')?;
            pattern[start..start + length]
                .contains(',')
                .then_some((start, start + length))
        });
        match braces {
            Some((start, end)) if done.len() + open.len() < 64 => {
                for choice in pattern[start + 1..end].split(',').rev() {
                    open.push(format!(
                        "{}{choice}{}",
                        &pattern[..start],
                        &pattern[end + 1..]
                    ));
                }
            }
            _ => done.push(pattern),
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).matches(path)
    }

    #[test]
    fn a_plain_name_is_a_whole_segment() {
        assert!(matches("test", "test/a.js"));
        assert!(matches("test", "src/test/a.js"));
        assert!(!matches("test", "src/contest.js"));
        assert!(!matches("test", "src/test.js"));
        assert!(matches("a.js", "src/a.js"));
        assert!(!matches("a.js", "src/ba.js"));
    }

    #[test]
    fn a_plain_path_is_a_suffix_or_a_folder() {
        assert!(matches("net/http.ts", "src/net/http.ts"));
        assert!(!matches("net/http.ts", "src/internet/http.ts"));
        assert!(matches("src/generated", "src/generated/deep/a.ts"));
        assert!(matches("src/generated/", "src/generated/a.ts"));
        assert!(!matches("src/generated", "lib/src/generated/a.ts"));
    }

    #[test]
    fn a_wildcard_without_a_slash_is_a_base_name() {
        assert!(matches("*.gen.ts", "src/deep/a.gen.ts"));
        assert!(!matches("*.gen.ts", "src/a.gen.ts/b.ts"));
        assert!(matches("?.ts", "src/a.ts"));
        assert!(matches("?.ts", "src/饼.ts"));
        assert!(!matches("?.ts", "src/ab.ts"));
        assert!(matches("*.{ts,tsx}", "a.tsx"));
        assert!(!matches("*.{ts,tsx}", "a.js"));
    }

    #[test]
    fn stars_stay_in_their_segment_and_double_stars_do_not() {
        assert!(matches("src/*.ts", "src/a.ts"));
        assert!(!matches("src/*.ts", "src/net/a.ts"));
        assert!(matches("src/**/*.ts", "src/a.ts"));
        assert!(matches("src/**/*.ts", "src/net/deep/a.ts"));
        assert!(matches("**/mocks/**", "mocks/a.ts"));
        assert!(matches("**/mocks/**", "src/mocks/deep/a.ts"));
        assert!(!matches("**/mocks/**", "src/mocks"));
        assert!(matches("src/**", "src/a/b"));
        assert!(!matches("src/**", "src2/a"));
        assert!(matches("src/*/", "src/a/b.ts"));
        assert!(matches("**", "a/b"));
    }

    #[test]
    fn brackets_are_what_they_are_in_file_names() {
        assert!(matches("app/[id]/page.tsx", "web/app/[id]/page.tsx"));
        assert!(matches("app/[id]/*.tsx", "app/[id]/page.tsx"));
        assert!(!matches("app/[id]/*.tsx", "app/i/page.tsx"));
    }
}
