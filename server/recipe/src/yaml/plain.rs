use serde_json::Number;

/// What a plain scalar stands for in the core schema of YAML 1.2, when it is
/// not text.
///
/// Digits with a leading zero (`007`) and whole numbers beyond 64 bits stay
/// text, because a number would not give back what was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plain {
    Null,
    Bool(bool),
    Int(Number),
    Float(f64),
}

impl Plain {
    pub(crate) fn of(text: &str) -> Option<Self> {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Some(Self::Null),
            "true" | "True" | "TRUE" => return Some(Self::Bool(true)),
            "false" | "False" | "FALSE" => return Some(Self::Bool(false)),
            _ => {}
        }
        let first = text.as_bytes()[0];
        if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
            return None;
        }
        integer(text)
            .map(Self::Int)
            .or_else(|| float(text).map(Self::Float))
    }
}

fn integer(text: &str) -> Option<Number> {
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let canonical = digits == "0" || !digits.starts_with('0');
    if !canonical || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    if text.starts_with('-') {
        text.parse::<i64>().ok().map(Number::from)
    } else {
        digits.parse::<u64>().ok().map(Number::from)
    }
}

fn float(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let looks_like_float = digits.contains(['.', 'e', 'E'])
        && mantissa.bytes().any(|b| b.is_ascii_digit())
        && digits
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !looks_like_float {
        return None;
    }
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_have_the_types_of_the_core_schema() {
        assert_eq!(Plain::of("~"), Some(Plain::Null));
        assert_eq!(Plain::of("True"), Some(Plain::Bool(true)));
        assert_eq!(Plain::of("-12"), Some(Plain::Int(Number::from(-12))));
        assert_eq!(Plain::of("0x1f"), Some(Plain::Int(Number::from(31))));
        assert_eq!(Plain::of("0.5"), Some(Plain::Float(0.5)));
        assert_eq!(Plain::of("1e3"), Some(Plain::Float(1000.0)));
        for text in [
            "yes",
            "007",
            "1.2.3",
            "-",
            "1-2",
            "3f9a",
            "+",
            ".",
            "e5",
            "2024-01-01",
            "1e999",
        ] {
            assert_eq!(Plain::of(text), None, "{text}");
        }
    }
}
