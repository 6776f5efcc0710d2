//! Which script a text is written in.

/// Whether `c` is a Han, Kana or Hangul character.
#[must_use]
pub(crate) const fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}')
}

/// The scripts whose texts a multilingual model keeps apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Script {
    /// Mostly Latin letters, or no letters at all.
    Latin,
    /// Mostly Han, Kana or Hangul.
    Cjk,
}

/// The script of a text. One character of Chinese says about as much as three
/// letters, and Chinese prose about code is full of Latin names, so a fifth of
/// the characters is enough.
#[must_use]
pub fn script_of(text: &str) -> Script {
    let (mut cjk, mut letters) = (0usize, 0usize);
    for c in text.chars() {
        if is_cjk(c) {
            cjk += 1;
        } else if c.is_alphabetic() {
            letters += 1;
        }
    }
    if cjk > 0 && cjk * 4 >= letters {
        Script::Cjk
    } else {
        Script::Latin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_with_names_from_code_is_chinese() {
        assert_eq!(script_of("使用 RetryQueue 发送网络请求"), Script::Cjk);
        assert_eq!(script_of("Send requests through RetryQueue"), Script::Latin);
        assert_eq!(
            script_of("A long English sentence about the word 缓存 and its use"),
            Script::Latin
        );
        assert_eq!(script_of("42"), Script::Latin);
    }
}
