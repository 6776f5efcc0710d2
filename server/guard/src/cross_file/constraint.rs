//! Which Go files are built together.

/// One condition on a build, with its parts joined.
enum Expr<'c> {
    Tag(&'c str),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Always,
}

/// A system and a processor that programs are built for.
type Platform = (&'static str, &'static str);

/// Enough platforms for every system and every processor to be among them.
const PLATFORMS: &[Platform] = &[
    ("linux", "amd64"),
    ("linux", "arm64"),
    ("linux", "386"),
    ("linux", "arm"),
    ("linux", "riscv64"),
    ("linux", "ppc64le"),
    ("linux", "s390x"),
    ("linux", "mips64le"),
    ("linux", "loong64"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
    ("windows", "amd64"),
    ("windows", "arm64"),
    ("windows", "386"),
    ("freebsd", "amd64"),
    ("netbsd", "amd64"),
    ("openbsd", "amd64"),
    ("dragonfly", "amd64"),
    ("solaris", "amd64"),
    ("illumos", "amd64"),
    ("aix", "ppc64"),
    ("plan9", "amd64"),
    ("android", "arm64"),
    ("ios", "arm64"),
    ("js", "wasm"),
    ("wasip1", "wasm"),
];
/// So many tags of a project's own are tried in all combinations.
const MAX_OWN_TAGS: usize = 5;

/// On which builds a file takes part.
pub(crate) struct Platforms<'c> {
    /// The system and the processor that its name ends with.
    named: Vec<&'c str>,
    expr: Expr<'c>,
}

impl<'c> Platforms<'c> {
    /// What the name of a file and its constraint say.
    pub(crate) fn of(path: &'c str, constraint: Option<&'c str>) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.strip_suffix(".go").unwrap_or(name);
        // The first part is the name itself, also when it is called `linux`.
        let parts: Vec<&str> = name.split('_').skip(1).collect();
        let is_system = |part: &str| PLATFORMS.iter().any(|(system, _)| *system == part);
        let is_processor = |part: &str| PLATFORMS.iter().any(|(_, of)| *of == part);
        let named = match parts.as_slice() {
            [.., system, processor] if is_system(system) && is_processor(processor) => {
                vec![*system, *processor]
            }
            [.., last] if is_system(last) || is_processor(last) => vec![*last],
            _ => Vec::new(),
        };
        Self {
            named,
            expr: constraint.map_or(Expr::Always, parse),
        }
    }

    fn holds(&self, (system, processor): Platform, own: &[&str]) -> bool {
        self.named
            .iter()
            .all(|part| is_system_tag(part, system) || *part == processor)
            && self.expr.holds(&|tag| {
                is_system_tag(tag, system)
                    || tag == processor
                    || (tag == "unix" && !matches!(system, "windows" | "plan9" | "js" | "wasip1"))
                    || matches!(tag, "gc" | "cgo")
                    || tag.starts_with("go1.")
                    || own.contains(&tag)
            })
    }
}

fn is_system_tag(tag: &str, system: &str) -> bool {
    tag == system
        || matches!(
            (tag, system),
            ("linux", "android") | ("darwin", "ios") | ("solaris", "illumos")
        )
}

/// The largest set of files that one build takes together, as indices.
pub(crate) fn largest_build(files: &[Platforms<'_>]) -> Vec<usize> {
    let mut own: Vec<&str> = Vec::new();
    for file in files {
        file.expr.tags(&mut own);
    }
    own.retain(|tag| {
        !matches!(*tag, "unix" | "gc" | "cgo")
            && !tag.starts_with("go1.")
            && !PLATFORMS
                .iter()
                .any(|(system, processor)| tag == system || tag == processor)
    });
    own.sort_unstable();
    own.dedup();
    own.truncate(MAX_OWN_TAGS);
    let mut largest = Vec::new();
    for chosen in 0..1_u32 << own.len() {
        let set: Vec<&str> = own
            .iter()
            .enumerate()
            .filter(|(index, _)| chosen & (1 << index) != 0)
            .map(|(_, tag)| *tag)
            .collect();
        for platform in PLATFORMS {
            let built: Vec<usize> = (0..files.len())
                .filter(|index| files[*index].holds(*platform, &set))
                .collect();
            if built.len() > largest.len() {
                largest = built;
            }
        }
    }
    largest
}

impl<'c> Expr<'c> {
    fn holds(&self, is_set: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Tag(tag) => is_set(tag),
            Self::Not(inner) => !inner.holds(is_set),
            Self::And(a, b) => a.holds(is_set) && b.holds(is_set),
            Self::Or(a, b) => a.holds(is_set) || b.holds(is_set),
            Self::Always => true,
        }
    }

    fn tags(&self, into: &mut Vec<&'c str>) {
        match self {
            Self::Tag(tag) => into.push(tag),
            Self::Not(inner) => inner.tags(into),
            Self::And(a, b) | Self::Or(a, b) => {
                a.tags(into);
                b.tags(into);
            }
            Self::Always => {}
        }
    }
}

/// Deeper than this no constraint is nested.
const MAX_DEPTH: u32 = 64;

/// Reads a constraint; one that cannot be read holds always.
fn parse(text: &str) -> Expr<'_> {
    let mut rest = text;
    match either(&mut rest, 0) {
        Some(expr) if rest.trim().is_empty() => expr,
        _ => Expr::Always,
    }
}

fn either<'c>(rest: &mut &'c str, depth: u32) -> Option<Expr<'c>> {
    let mut expr = both(rest, depth)?;
    while eat(rest, "||") {
        expr = Expr::Or(Box::new(expr), Box::new(both(rest, depth)?));
    }
    Some(expr)
}

fn both<'c>(rest: &mut &'c str, depth: u32) -> Option<Expr<'c>> {
    let mut expr = one(rest, depth)?;
    while eat(rest, "&&") {
        expr = Expr::And(Box::new(expr), Box::new(one(rest, depth)?));
    }
    Some(expr)
}

fn one<'c>(rest: &mut &'c str, depth: u32) -> Option<Expr<'c>> {
    if depth > MAX_DEPTH {
        return None;
    }
    if eat(rest, "!") {
        return Some(Expr::Not(Box::new(one(rest, depth + 1)?)));
    }
    if eat(rest, "(") {
        let inner = either(rest, depth + 1)?;
        return eat(rest, ")").then_some(inner);
    }
    let text = rest.trim_start();
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
        .unwrap_or(text.len());
    *rest = &text[end..];
    (end > 0).then(|| Expr::Tag(&text[..end]))
}

fn eat(rest: &mut &str, sign: &str) -> bool {
    let after = rest.trim_start().strip_prefix(sign);
    if let Some(after) = after {
        *rest = after;
    }
    after.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn together(files: &[(&str, Option<&str>)]) -> usize {
        let files: Vec<Platforms<'_>> = files
            .iter()
            .map(|(path, constraint)| Platforms::of(path, *constraint))
            .collect();
        largest_build(&files).len()
    }

    #[test]
    fn files_for_different_systems_are_never_built_together() {
        assert_eq!(together(&[("a.go", None), ("b.go", None)]), 2);
        assert_eq!(together(&[("a_linux.go", None), ("a_windows.go", None)]), 1);
        assert_eq!(
            together(&[("a_linux_amd64.go", None), ("b_linux.go", None)]),
            2
        );
        // A file that is only called after a system is for all.
        assert_eq!(together(&[("linux.go", None), ("windows.go", None)]), 2);
        assert_eq!(
            together(&[("a.go", Some("unix")), ("b.go", Some("windows"))]),
            1
        );
    }

    #[test]
    fn tags_of_the_project_are_tried_both_ways() {
        assert_eq!(
            together(&[
                ("a.go", Some("integration")),
                ("b.go", Some("!integration"))
            ]),
            1
        );
        assert_eq!(
            together(&[
                ("a.go", Some("integration && (linux || darwin)")),
                ("b.go", Some("!windows"))
            ]),
            2
        );
    }

    #[test]
    fn what_cannot_be_read_holds_always() {
        assert_eq!(together(&[("a.go", Some("&& (")), ("b.go", None)]), 2);
    }
}
