//! The arguments of the commands about recipes. What is wrong with them is said
//! in the answer.

use serde::Deserialize;
use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{Location, Range, Uri};

/// `asd.showRecipe`: which recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShowRecipe {
    /// By its trigger.
    Trigger(String),
    /// By its file, which need not have been read yet.
    File(Uri),
}

impl ShowRecipe {
    /// Takes `["@trigger"]`, `[{"trigger": "@trigger"}]` or `[{"uri": "file:…"}]`.
    pub(crate) fn read(arguments: &[Value]) -> Result<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Named {
            trigger: Option<String>,
            uri: Option<Uri>,
        }
        let wrong = |why: &str| {
            Err(Error::invalid_params(format!(
                "asd.showRecipe takes a trigger such as \"@name\", or an object with `trigger` \
                 or `uri`{why}"
            )))
        };
        match arguments {
            [Value::String(trigger)] if !trigger.trim().is_empty() => {
                Ok(Self::Trigger(trigger.trim().to_owned()))
            }
            [object @ Value::Object(_)] => match Named::deserialize(object) {
                Ok(Named {
                    uri: Some(uri),
                    trigger: None,
                }) => Ok(Self::File(uri)),
                Ok(Named {
                    uri: None,
                    trigger: Some(trigger),
                }) => Ok(Self::Trigger(trigger)),
                Ok(_) => wrong(", one of the two"),
                Err(error) => wrong(&format!(": {error}")),
            },
            _ => wrong(" as its only argument"),
        }
    }
}

/// `asd.search`: what is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    /// Free text.
    pub query: String,
    /// How many recipes at most.
    #[serde(default = "Search::usual_limit")]
    pub limit: usize,
}

impl Search {
    const fn usual_limit() -> usize {
        20
    }

    /// Takes `["text"]`, `[{"query": "text", "limit": 5}]`.
    pub(crate) fn read(arguments: &[Value]) -> Result<Self> {
        let expected =
            "asd.search takes a text, or an object with `query` and, if you like, `limit`";
        let search = match arguments {
            [Value::String(query)] => Self {
                query: query.clone(),
                limit: Self::usual_limit(),
            },
            [object @ Value::Object(_)] => Self::deserialize(object)
                .map_err(|error| Error::invalid_params(format!("{expected}: {error}")))?,
            _ => return Err(Error::invalid_params(expected)),
        };
        if !(1..=200).contains(&search.limit) {
            return Err(Error::invalid_params(format!(
                "asd.search: `limit` is {}, and must be 1 to 200",
                search.limit
            )));
        }
        Ok(search)
    }
}

/// `asd.dismissFinding`: which finding is none.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DismissFinding {
    /// The file.
    pub uri: Uri,
    /// The rule.
    pub rule_id: String,
    /// What the verdict is kept under.
    pub fingerprint: String,
}

impl DismissFinding {
    /// Takes `[{"uri": "file:…", "ruleId": "…", "fingerprint": "…"}]`.
    pub(crate) fn read(arguments: &[Value]) -> Result<Self> {
        let expected = "asd.dismissFinding takes an object with `uri`, `ruleId` and `fingerprint`";
        match arguments {
            [object @ Value::Object(_)] => Self::deserialize(object)
                .map_err(|error| Error::invalid_params(format!("{expected}: {error}"))),
            _ => Err(Error::invalid_params(expected)),
        }
    }
}

/// `asd.markForReview`: which recipe, and why.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MarkForReview {
    /// The recipe's file.
    pub uri: Uri,
    /// Its id or trigger.
    pub recipe: String,
    /// What seems wrong with it.
    pub reason: String,
}

impl MarkForReview {
    /// Takes `[{"uri": "file:…", "recipe": "@…", "reason": "…"}]`.
    pub(crate) fn read(arguments: &[Value]) -> Result<Self> {
        let expected = "asd.markForReview takes an object with `uri`, `recipe` and `reason`";
        match arguments {
            [object @ Value::Object(_)] => Self::deserialize(object)
                .map_err(|error| Error::invalid_params(format!("{expected}: {error}"))),
            _ => Err(Error::invalid_params(expected)),
        }
    }
}

/// `asd.createCandidate`: of which code.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateCandidate {
    /// An open document.
    pub uri: Uri,
    /// The part of it; the whole when there is none.
    pub range: Option<Range>,
}

impl CreateCandidate {
    /// Takes `[{"uri": "file:…", "range": {…}}]`.
    pub(crate) fn read(arguments: &[Value]) -> Result<Self> {
        let expected = "asd.createCandidate takes an object with the `uri` of an open document \
                        and, if you like, a `range` in it";
        match arguments {
            [object @ Value::Object(_)] => Self::deserialize(object)
                .map_err(|error| Error::invalid_params(format!("{expected}: {error}"))),
            _ => Err(Error::invalid_params(expected)),
        }
    }
}

/// `asd.showPlaces`: where.
pub(crate) fn places(arguments: &[Value]) -> Result<Vec<Location>> {
    let expected = "asd.showPlaces takes a list of locations";
    match arguments {
        [list @ Value::Array(_)] => Vec::deserialize(list)
            .map_err(|error| Error::invalid_params(format!("{expected}: {error}"))),
        _ => Err(Error::invalid_params(expected)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_recipe_is_named_in_one_way() {
        let read = |value: Value| ShowRecipe::read(&[value]);
        assert_eq!(read(json!("@a")).unwrap(), ShowRecipe::Trigger("@a".into()));
        assert_eq!(
            read(json!({"uri": "file:///w/a.md"})).unwrap(),
            ShowRecipe::File("file:///w/a.md".parse().unwrap())
        );
        for wrong in [
            json!(""),
            json!(7),
            json!({}),
            json!({"uri": 1}),
            json!({"x": 1}),
        ] {
            let error = read(wrong).unwrap_err();
            assert_eq!(
                error.code,
                tower_lsp_server::jsonrpc::ErrorCode::InvalidParams
            );
        }
        assert!(ShowRecipe::read(&[]).is_err());
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = Search::read(&[json!({"query": "a", "limit": 0})]).unwrap_err();
        assert_eq!(
            error.message,
            "asd.search: `limit` is 0, and must be 1 to 200"
        );
        let error = CreateCandidate::read(&[json!({"range": null})]).unwrap_err();
        assert!(
            error.message.contains("missing field `uri`"),
            "{}",
            error.message
        );
        assert!(places(&[json!([{"uri": "file:///a"}])]).is_err());
    }
}
