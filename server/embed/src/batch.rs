//! Embedding many texts. (search.md §10)

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::embedder::{EmbedError, Embedder};

/// How many texts are given to an embedder at a time.
pub const BATCH_SIZE: usize = 32;

/// How many batches are under way at a time.
pub const BATCHES_AT_A_TIME: usize = 2;

/// A text is cut after this many characters.
pub const MAX_CHARS: usize = 8000;

/// What became of many texts.
#[derive(Debug, Default)]
pub struct Embedded {
    /// For each text its vector, unless it has failed.
    pub vectors: Vec<Option<Vec<f32>>>,
    /// The texts without a vector, by their index, and why.
    pub failures: Vec<(usize, EmbedError)>,
}

/// Embeds any number of texts in batches, two at a time. When a batch fails, its
/// texts are tried one by one; those that fail alone are listed, and the rest
/// is embedded. Stops between batches when `cancel` becomes true; what is left
/// then is neither embedded nor a failure.
pub fn embed_all(embedder: &dyn Embedder, texts: &[&str], cancel: &AtomicBool) -> Embedded {
    let mut all = Embedded {
        vectors: vec![None; texts.len()],
        failures: Vec::new(),
    };
    let next = AtomicUsize::new(0);
    let done = Mutex::new(&mut all);
    let work = || {
        while !cancel.load(Ordering::Relaxed) {
            let start = next.fetch_add(BATCH_SIZE, Ordering::Relaxed);
            if start >= texts.len() {
                return;
            }
            let end = texts.len().min(start + BATCH_SIZE);
            let results = embed_batch(embedder, &texts[start..end]);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            for (index, result) in (start..).zip(results) {
                match result {
                    Ok(vector) => done.vectors[index] = Some(vector),
                    Err(error) => done.failures.push((index, error)),
                }
            }
        }
    };
    if texts.len() <= BATCH_SIZE {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..BATCHES_AT_A_TIME {
                scope.spawn(work);
            }
        });
    }
    all.failures.sort_by_key(|(index, _)| *index);
    all
}

fn embed_batch(embedder: &dyn Embedder, texts: &[&str]) -> Vec<Result<Vec<f32>, EmbedError>> {
    let texts: Vec<&str> = texts.iter().map(|text| cut(text)).collect();
    match embed(embedder, &texts) {
        Ok(vectors) => vectors.into_iter().map(Ok).collect(),
        // What cannot be loaded, or may not be asked, is so for each text.
        Err(error @ (EmbedError::Model(_) | EmbedError::Resting { .. })) => {
            vec![Err(error); texts.len()]
        }
        Err(error) if texts.len() == 1 => vec![Err(error)],
        Err(_) => texts
            .iter()
            .map(|text| embed(embedder, &[text]).map(|mut vectors| vectors.remove(0)))
            .collect(),
    }
}

/// One vector for each text and not more or less, whatever the embedder.
fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
    let vectors = embedder.embed(texts)?;
    if vectors.len() == texts.len() {
        Ok(vectors)
    } else {
        Err(EmbedError::Failed(format!(
            "{} gave {} vectors for {} texts",
            embedder.id(),
            vectors.len(),
            texts.len()
        )))
    }
}

/// The beginning of a text that is embedded.
#[must_use]
pub fn cut(text: &str) -> &str {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Brings a vector to length one; one without a direction stays as it is.
pub(crate) fn to_unit(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 && length.is_finite() {
        for value in vector {
            *value /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails for every batch with a poisoned text in it.
    struct Picky {
        calls: Mutex<Vec<usize>>,
    }

    impl Embedder for Picky {
        fn id(&self) -> &str {
            "picky"
        }

        fn dimension(&self) -> usize {
            1
        }

        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.calls.lock().unwrap().push(texts.len());
            if texts.contains(&"poison") {
                return Err(EmbedError::Failed("poisoned".to_owned()));
            }
            Ok(texts.iter().map(|text| vec![text.len() as f32]).collect())
        }
    }

    fn picky() -> Picky {
        Picky {
            calls: Mutex::default(),
        }
    }

    #[test]
    fn texts_are_embedded_thirty_two_at_a_time_and_keep_their_order() {
        let texts: Vec<String> = (0..70).map(|i| "x".repeat(i)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let picky = picky();
        let all = embed_all(&picky, &texts, &AtomicBool::new(false));
        let mut calls = picky.calls.into_inner().unwrap();
        calls.sort_unstable();
        assert_eq!(calls, [6, 32, 32]);
        assert!(all.failures.is_empty());
        for (index, vector) in all.vectors.iter().enumerate() {
            assert_eq!(vector.as_deref(), Some(&[index as f32][..]));
        }
    }

    #[test]
    fn a_text_that_fails_takes_no_other_down() {
        let mut texts = vec!["a"; 40];
        texts[3] = "poison";
        let all = embed_all(&picky(), &texts, &AtomicBool::new(false));
        assert_eq!(
            all.failures,
            [(3, EmbedError::Failed("poisoned".to_owned()))]
        );
        assert_eq!(all.vectors.iter().flatten().count(), 39);
        assert_eq!(all.vectors[3], None);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = "重".repeat(MAX_CHARS + 1);
        let all = embed_all(&picky(), &[&text], &AtomicBool::new(false));
        assert_eq!(all.vectors[0], Some(vec![(MAX_CHARS * 3) as f32]));
    }

    #[test]
    fn nothing_is_begun_after_it_was_cancelled() {
        let picky = picky();
        let all = embed_all(&picky, &["a"], &AtomicBool::new(true));
        assert_eq!(all.vectors, [None]);
        assert!(all.failures.is_empty());
        assert!(picky.calls.into_inner().unwrap().is_empty());
    }
}
