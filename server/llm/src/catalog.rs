//! What is known about models of the large providers: `data/models.json`. The
//! settings may say otherwise.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::capabilities::Capabilities;
use crate::settings::{ModelSettings, ProviderKind};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// What the names of such models contain.
    model: String,
    /// Whose they are.
    kinds: Vec<ProviderKind>,
    #[serde(rename = "is")]
    settings: ModelSettings,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/models.json"))
        .expect("the table is checked by a test")
});

/// Sets what the longest entry says that the model's name contains.
pub(crate) fn apply(kind: ProviderKind, model: &str, capabilities: &mut Capabilities) {
    let name = model.to_lowercase();
    let entry = ENTRIES
        .iter()
        .filter(|entry| entry.kinds.contains(&kind) && name.contains(&entry.model))
        .max_by_key(|entry| entry.model.len());
    if let Some(entry) = entry {
        entry.settings.apply(capabilities);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capabilities::{CacheMode, ThinkingMode};
    use crate::settings::ProviderSettings;

    #[test]
    fn the_longest_name_decides() {
        let of = |kind, model: &str| ProviderSettings::of(kind).known(model);
        let mini = of(ProviderKind::OpenAi, "gpt-5-mini-2025-08-07");
        assert_eq!(mini.price.unwrap().input.to_string(), "0.25");
        let large = of(ProviderKind::OpenAi, "gpt-5");
        assert_eq!(large.price.unwrap().input.to_string(), "1.25");
        assert_eq!(large.thinking, ThinkingMode::Effort);
        let bedrock = of(
            ProviderKind::Bedrock,
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        );
        assert_eq!(bedrock.cache, CacheMode::Explicit);
        assert_eq!(of(ProviderKind::OpenAi, "unheard-of").price, None);
    }

    #[test]
    fn every_entry_is_lower_case_and_has_room_for_an_answer() {
        for entry in ENTRIES.iter() {
            assert_eq!(entry.model, entry.model.to_lowercase());
            if let (Some(window), Some(output)) = (entry.settings.window, entry.settings.max_output)
            {
                assert!(output <= window, "{}", entry.model);
            }
        }
    }
}
