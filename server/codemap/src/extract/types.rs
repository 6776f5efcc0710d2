//! Type expressions made simple: the name whose members a value has.

/// Types whose members are, for most calls, those of their first argument.
const WRAPPERS: &[&str] = &[
    "Option",
    "Box",
    "Rc",
    "Arc",
    "Ref",
    "RefMut",
    "Pin",
    "Optional",
    "Final",
    "ClassVar",
    "Annotated",
    "Promise",
    "Readonly",
    "Partial",
    "Required",
    "Awaitable",
    "Future",
    "FutureOr",
    "Result",
    "unique_ptr",
    "shared_ptr",
    "weak_ptr",
    "Lazy",
    "Provider",
    "Type",
    "NonNullable",
    "Cow",
    "MutexGuard",
    "Classvar",
];

/// The name of a type without references, wrappers, generic arguments and
/// package; `None` when no single name is left. A qualified name keeps its
/// qualifiers, joined by dots.
pub(super) fn simplify(text: &str) -> Option<String> {
    let mut rest = text.trim().trim_start_matches(':').trim();
    if rest.contains("=>") {
        return None;
    }
    for _ in 0..8 {
        rest = rest
            .trim_start_matches(['&', '*', '?', '"', '\'', '('])
            .trim_end_matches(['?', '!', '*', '&', '"', '\'', ')', ';', ' '])
            .trim();
        let (first, after) = word(rest);
        if matches!(
            first,
            "mut"
                | "const"
                | "dyn"
                | "impl"
                | "struct"
                | "class"
                | "enum"
                | "unsafe"
                | "ref"
                | "final"
                | "volatile"
                | "some"
                | "any"
                | "inout"
                | "static"
                | "late"
                | "var"
                | "a"
                | "_"
                | "__strong"
                | "__weak"
                | "readonly"
                | "signed"
                | "unsigned"
        ) && !after.is_empty()
            && after.starts_with(' ')
        {
            rest = after.trim_start();
            continue;
        }
        break;
    }
    if let Some((one, other)) = rest.split_once('|')
        && !rest.contains(['<', '['])
    {
        let (one, other) = (one.trim(), other.trim());
        return match (is_nothing(one), is_nothing(other)) {
            (false, true) => simplify(one),
            (true, false) => simplify(other),
            _ => None,
        };
    }
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$')))
        .unwrap_or(rest.len());
    let (name, arguments) = rest.split_at(end);
    let name = name.replace("::", ".");
    let name = name.trim_matches(['.', ':']);
    let last = name.rsplit('.').next().unwrap_or(name);
    if last.is_empty() || last.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let arguments = arguments.trim_start();
    if WRAPPERS.contains(&last) && arguments.starts_with(['<', '[']) {
        return simplify(&first_argument(arguments));
    }
    // A list or a function is not its element.
    if arguments.starts_with('[') || name == "fn" {
        return None;
    }
    Some(name.to_owned())
}

fn is_nothing(name: &str) -> bool {
    matches!(name, "None" | "null" | "undefined")
}

fn word(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    text.split_at(end)
}

/// What stands in brackets before the first comma of their level.
fn first_argument(text: &str) -> String {
    let mut depth = 0_usize;
    let mut result = String::new();
    for c in text.chars() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => break,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        let opens = depth == 1 && matches!(c, '<' | '[') && result.is_empty();
        if !opens {
            result.push(c);
        }
    }
    // Lifetimes are no types.
    if result.starts_with('\'') {
        return text.split_once(',').map_or_else(String::new, |(_, rest)| {
            rest.trim_end_matches('>').to_owned()
        });
    }
    result
}

/// A name without generic arguments and qualifiers' arguments: what stands in a
/// list of supertypes.
pub(super) fn bare(text: &str) -> String {
    let end = text.find(['<', '[', '(']).unwrap_or(text.len());
    text[..end].trim().replace("::", ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_reduced_to_the_name_that_has_its_members() {
        for (text, name) in [
            ("&'a mut Foo<T>", "Foo"),
            ("Option<Arc<Foo>>", "Foo"),
            ("Optional[Foo]", "Foo"),
            ("Foo | None", "Foo"),
            (": Promise<Foo>", "Foo"),
            ("std::unique_ptr<ns::Foo>", "ns.Foo"),
            ("const Foo *", "Foo"),
            ("Foo?", "Foo"),
            ("crate::a::Foo", "crate.a.Foo"),
            ("dyn Foo + Send", "Foo"),
            ("'Foo'", "Foo"),
            ("*x.Bar", "x.Bar"),
            ("Box<dyn Foo>", "Foo"),
            ("Cow<'a, Foo>", "Foo"),
        ] {
            assert_eq!(simplify(text).as_deref(), Some(name), "{text}");
        }
        for text in ["Foo | Bar", "[]Foo", "(a: number) => Foo", "Foo[]", "3"] {
            assert_eq!(simplify(text), None, "{text}");
        }
    }

    #[test]
    fn a_supertype_is_bare() {
        assert_eq!(bare("Base<T>"), "Base");
        assert_eq!(bare("ns::Base(1)"), "ns.Base");
    }
}
