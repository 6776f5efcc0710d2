//! Required literals of patterns that only the backtracking engine knows.

use fancy_regex::Expr;

use super::literals::{self, Blanks, Literal, better, union};

/// See [`literals::required`]. Look-around and references say nothing here;
/// what stands beside them does.
pub(crate) fn required(expr: &Expr, blanks: Blanks) -> Option<Vec<Literal>> {
    match expr {
        Expr::Literal { val, casei } => {
            let mut pattern = regex_syntax::escape(val);
            if *casei {
                pattern.insert_str(0, "(?i)");
            }
            literals::required(&regex_syntax::parse(&pattern).ok()?, blanks)
        }
        Expr::Concat(parts) => {
            // Neighbouring letters come as literals of one character each.
            let mut best = None;
            let mut run: Option<(String, bool)> = None;
            for part in parts {
                match (part, &mut run) {
                    (Expr::Literal { val, casei }, Some((text, fold))) if casei == fold => {
                        text.push_str(val);
                    }
                    _ => {
                        best = better(best, take(&mut run, blanks));
                        if let Expr::Literal { val, casei } = part {
                            run = Some((val.clone(), *casei));
                        } else {
                            best = better(best, required(part, blanks));
                        }
                    }
                }
            }
            better(best, take(&mut run, blanks))
        }
        Expr::Alt(branches) => union(branches.iter().map(|branch| required(branch, blanks))),
        Expr::Group(inner) => required(inner, blanks),
        Expr::AtomicGroup(inner) => required(inner, blanks),
        Expr::Repeat { child, lo, .. } if *lo > 0 => required(child, blanks),
        _ => None,
    }
}

fn take(run: &mut Option<(String, bool)>, blanks: Blanks) -> Option<Vec<Literal>> {
    let (val, casei) = run.take()?;
    required(&Expr::Literal { val, casei }, blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: &str) -> Vec<String> {
        let tree = Expr::parse_tree(pattern).unwrap();
        required(&tree.expr, Blanks::OfTheText)
            .unwrap_or_default()
            .into_iter()
            .map(|literal| literal.text)
            .collect()
    }

    #[test]
    fn what_stands_beside_look_around_is_required() {
        assert_eq!(of(r"print\((?!debug)"), ["print("]);
        assert_eq!(of(r"(?<=x)(foo|bars)\1"), ["bars", "foo"]);
        assert_eq!(of(r"(?=abc)\w+"), Vec::<String>::new());
        assert_eq!(of(r"(?i)Foo(?!x)"), ["foo"]);
    }
}
