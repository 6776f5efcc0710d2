//! English words to their stems, by Porter's algorithm of 1980.

/// The stem of a word in lower case. Words with anything but ASCII letters
/// (names with digits, other languages) come back as they are.
#[must_use]
pub(crate) fn stem(word: &str) -> String {
    if word.len() <= 2 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let mut w = word.as_bytes().to_vec();
    plural(&mut w);
    if KEPT.contains(&w.as_slice()) {
        return String::from_utf8(w).expect("only ASCII letters were put in");
    }
    past_and_progressive(&mut w);
    if w.last() == Some(&b'y') && has_vowel(&w[..w.len() - 1]) {
        let last = w.len() - 1;
        w[last] = b'i';
    }
    replace_first(&mut w, STEP_2, 0);
    replace_first(&mut w, STEP_3, 0);
    remove_suffix(&mut w);
    final_e(&mut w);
    String::from_utf8(w).expect("only ASCII letters were put in")
}

/// Words that the algorithm takes for forms of other words which mean something
/// else in programs: `important` is not `import`, `generic` not `generate`.
const KEPT: &[&[u8]] = &[
    b"general",
    b"generator",
    b"generic",
    b"important",
    b"integer",
    b"objective",
    b"operator",
    b"organization",
    b"relative",
    b"universal",
];

const STEP_2: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const STEP_3: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: &[&str] = &[
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic", "ou",
];

fn is_consonant(w: &[u8], at: usize) -> bool {
    match w[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(w, at - 1),
        _ => true,
    }
}

fn has_vowel(w: &[u8]) -> bool {
    (0..w.len()).any(|at| !is_consonant(w, at))
}

/// How often a vowel is followed by a consonant.
fn measure(w: &[u8]) -> usize {
    (1..w.len())
        .filter(|&at| is_consonant(w, at) && !is_consonant(w, at - 1))
        .count()
}

fn ends_double(w: &[u8]) -> bool {
    let n = w.len();
    n >= 2 && w[n - 1] == w[n - 2] && is_consonant(w, n - 1)
}

/// Consonant, vowel, consonant at the end, the last not `w`, `x` or `y`.
fn ends_cvc(w: &[u8]) -> bool {
    let n = w.len();
    n >= 3
        && is_consonant(w, n - 3)
        && !is_consonant(w, n - 2)
        && is_consonant(w, n - 1)
        && !matches!(w[n - 1], b'w' | b'x' | b'y')
}

fn plural(w: &mut Vec<u8>) {
    if w.ends_with(b"sses") || w.ends_with(b"ies") {
        w.truncate(w.len() - 2);
    } else if w.ends_with(b"s") && !w.ends_with(b"ss") {
        w.pop();
    }
}

fn past_and_progressive(w: &mut Vec<u8>) {
    if w.ends_with(b"eed") {
        if measure(&w[..w.len() - 3]) > 0 {
            w.pop();
        }
        return;
    }
    let cut = if w.ends_with(b"ed") && has_vowel(&w[..w.len() - 2]) {
        2
    } else if w.ends_with(b"ing") && has_vowel(&w[..w.len() - 3]) {
        3
    } else {
        return;
    };
    w.truncate(w.len() - cut);
    let adds_e = w.ends_with(b"at") || w.ends_with(b"bl") || w.ends_with(b"iz");
    if adds_e {
        w.push(b'e');
    } else if ends_double(w) && !matches!(w.last(), Some(b'l' | b's' | b'z')) {
        w.pop();
    } else if measure(w) == 1 && ends_cvc(w) {
        w.push(b'e');
    }
}

fn replace_first(w: &mut Vec<u8>, table: &[(&str, &str)], least: usize) {
    let longest = table
        .iter()
        .filter(|(suffix, _)| w.ends_with(suffix.as_bytes()))
        .max_by_key(|(suffix, _)| suffix.len());
    if let Some((suffix, by)) = longest {
        let root = w.len() - suffix.len();
        if measure(&w[..root]) > least {
            w.truncate(root);
            w.extend_from_slice(by.as_bytes());
        }
    }
}

fn remove_suffix(w: &mut Vec<u8>) {
    let Some(suffix) = STEP_4
        .iter()
        .filter(|suffix| w.ends_with(suffix.as_bytes()))
        .max_by_key(|suffix| suffix.len())
    else {
        return;
    };
    let root = &w[..w.len() - suffix.len()];
    let fits = *suffix != "ion" || root.ends_with(b"s") || root.ends_with(b"t");
    if measure(root) > 1 && fits {
        w.truncate(root.len());
    }
}

fn final_e(w: &mut Vec<u8>) {
    if w.ends_with(b"e") {
        let root = &w[..w.len() - 1];
        if measure(root) > 1 || (measure(root) == 1 && !ends_cvc(root)) {
            w.pop();
        }
    }
    if w.ends_with(b"ll") && measure(w) > 1 {
        w.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["cache", "caches", "cached", "caching"][..],
            &["retry", "retries", "retried"],
            &["validate", "validation", "validates", "validating"],
            &["configure", "configured", "configuring"],
            &["import", "imports", "imported", "importing"],
            &["nested", "nesting", "nest"],
            &["dependency", "dependencies"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn different_words_stay_different() {
        assert_ne!(stem("string"), stem("stream"));
        assert_eq!(stem("class"), "class");
        assert_eq!(stem("this"), "thi");
        assert_eq!(stem("e501"), "e501");
        assert_eq!(stem("is"), "is");
    }

    #[test]
    fn words_of_programs_are_not_mixed_up() {
        assert_ne!(stem("important"), stem("import"));
        assert_ne!(stem("generics"), stem("generate"));
        assert_eq!(stem("operators"), "operator");
    }

    #[test]
    fn the_examples_of_the_algorithm() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("agreed", "agre"),
            ("hopping", "hop"),
            ("filing", "file"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("electrical", "electr"),
            ("adoption", "adopt"),
            ("controll", "control"),
            ("rate", "rate"),
        ] {
            assert_eq!(stem(word), expected);
        }
    }
}
