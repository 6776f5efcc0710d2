//! `asd_wiki`

use std::collections::BTreeMap;
use std::fmt::Write as _;

use asd_store::{Disk, Project, read_text, remove_knowledge_file, write_atomic};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::code::CodeView;
use crate::intelligence::panorama::Panorama;
use crate::intelligence::session::{read_json, write_json};
use crate::intelligence::wiki::{LEAST_ARTICLE, Tongue, Topic, WIKI_DIR, guidelines, topics};
use crate::service::Service;
use crate::service::call::{Call, Reply, missing};
use crate::service::error::{ErrorCode, ServiceError};
use crate::service::ops::bootstrap::name_of;
use crate::service::ops::panorama::panorama_of;

const PLAN: &str = "wiki-plan.json";
const META: &str = "meta.json";

/// A plan with what it was made of.
#[derive(Serialize, Deserialize)]
struct Plan {
    key: String,
    topics: Vec<Topic>,
}

pub(super) fn run(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let tongue = match call.text("language") {
        Some("en") => Tongue::English,
        _ => Tongue::Chinese,
    };
    if call.operation() == "plan" {
        plan(service, tongue)
    } else {
        finalize(service, call)
    }
}

fn plan(service: &Service, tongue: Tongue) -> Result<Reply, ServiceError> {
    let view = service.code()?;
    let held = service.knowledge.all();
    let panorama = panorama_of(&view, &held);
    let name = name_of(service, &view);
    let key = key_of(&name, &view, &panorama, tongue);
    let project = service.project();
    let known = read_json::<Plan>(project, PLAN).filter(|plan| plan.key == key);
    let hit = known.is_some();
    let mut warnings = view.warnings.clone();
    let plan = known.unwrap_or_else(|| {
        let plan = Plan {
            topics: topics(&name, &panorama, tongue),
            key,
        };
        if let Err(error) = write_json(project, PLAN, &plan) {
            warnings.push(format!("The plan was not kept: {error}."));
        }
        plan
    });
    let mut reply = Reply::new(
        format!("{} articles to write.", plan.topics.len()),
        json!({
            "wikiDir": WIKI_DIR,
            "topicCount": plan.topics.len(),
            "topics": plan.topics,
            "writingGuidelines": guidelines(tongue),
            "cacheHit": hit,
        }),
    );
    reply.warnings = warnings;
    Ok(reply)
}

/// A hash of everything that a plan follows from.
fn key_of(name: &str, view: &CodeView, panorama: &Panorama<'_>, tongue: Tongue) -> String {
    let mut hash = Hash::default();
    hash.mix(env!("CARGO_PKG_VERSION").as_bytes());
    hash.mix(name.as_bytes());
    hash.mix(format!("{tongue:?}").as_bytes());
    for file in view.map.files() {
        hash.mix(file.path.as_bytes());
        hash.mix(&file.source.hash.to_le_bytes());
    }
    for target in view.map.targets() {
        hash.mix(target.name.as_bytes());
    }
    for known in &panorama.recipes {
        let recipe = known.recipe;
        for text in [
            known.key,
            &recipe.title,
            &recipe.trigger,
            &recipe.do_clause,
            &recipe.category,
        ] {
            hash.mix(text.as_bytes());
        }
        for source in &recipe.reasoning.sources {
            hash.mix(source.path.as_bytes());
        }
    }
    hash.text()
}

/// An article that was handed in.
struct Article {
    /// Below the wiki's folder.
    path: String,
    rel: String,
    hash: String,
    size: usize,
    letters: usize,
}

fn finalize(service: &Service, call: &Call<'_>) -> Result<Reply, ServiceError> {
    let written = call.texts("articlesWritten");
    if written.is_empty() {
        return Err(missing(&["articlesWritten"]));
    }
    let project = service.project();
    let mut articles: BTreeMap<String, Article> = BTreeMap::new();
    let mut absent = Vec::new();
    let mut outside = Vec::new();
    for given in &written {
        let Some(path) = below_wiki(project, given) else {
            outside.push(given.clone());
            continue;
        };
        match article(project, &path) {
            Some(article) => {
                articles.insert(path, article);
            }
            None => absent.push(path),
        }
    }
    if !outside.is_empty() {
        return Err(ServiceError::new(
            ErrorCode::ValidationError,
            format!(
                "Articles lie below {WIKI_DIR}/ and nowhere else; these do not: {}.",
                outside.join(", ")
            ),
        )
        .with_data(json!({"outside": outside})));
    }
    let short: Vec<&str> = articles
        .values()
        .filter(|article| article.letters < LEAST_ARTICLE)
        .map(|article| article.path.as_str())
        .collect();
    if !short.is_empty() {
        let warning = format!(
            "Articles of fewer than {LEAST_ARTICLE} characters say too little: {}. Write them out \
             and finalize again.",
            short.join(", ")
        );
        let mut reply = Reply::new(
            warning.clone(),
            json!({
                "filesVerified": 0,
                "missing": absent,
                "tooShort": short,
                "duplicatesRemoved": 0,
                "metaPath": Value::Null,
            }),
        )
        .warn(warning);
        reply.failed = Some(ErrorCode::ValidationError);
        return Ok(reply);
    }
    let (kept, duplicates) = apart(articles);
    for article in &duplicates {
        remove_knowledge_file(project, &article.rel)
            .map_err(|error| ServiceError::new(ErrorCode::WriteError, error.to_string()))?;
    }
    let meta_path = format!("{WIKI_DIR}/{META}");
    let files: Vec<Value> = kept
        .iter()
        .map(|article| {
            json!({
                "path": article.path,
                "hash": article.hash,
                "size": article.size,
                "source": call.caller.role,
            })
        })
        .collect();
    let meta = json!({
        "generatedAt": call.now,
        "language": call.text("language").unwrap_or("zh"),
        "files": files,
    });
    let mut text = serde_json::to_vec_pretty(&meta).unwrap_or_default();
    text.push(b'\n');
    write_atomic(project, &meta_path, &text)
        .map_err(|error| ServiceError::new(ErrorCode::WriteError, error.to_string()))?;
    let mut reply = Reply::new(
        format!("{} articles are in the wiki.", kept.len()),
        json!({
            "filesVerified": kept.len(),
            "missing": absent,
            "duplicatesRemoved": duplicates.len(),
            "duplicates": duplicates.iter().map(|one| &one.path).collect::<Vec<_>>(),
            "metaPath": meta_path,
        }),
    );
    if !absent.is_empty() {
        reply = reply.warn(format!(
            "These articles do not exist: {}.",
            absent.join(", ")
        ));
    }
    Ok(reply)
}

/// A path below the wiki's folder, given relative to it, to the project, or
/// absolute; `None` when it leads out.
fn below_wiki(project: &Project, given: &str) -> Option<String> {
    let given = given.trim().replace('\\', "/");
    let prefix = format!("{WIKI_DIR}/");
    let rel = if std::path::Path::new(&given).is_absolute() {
        project.relative(std::path::Path::new(&given))?
    } else if given.starts_with(&prefix) {
        given
    } else {
        format!("{prefix}{given}")
    };
    project.absolute(&rel).ok()?;
    let path = rel.strip_prefix(&prefix)?;
    let is_plain = path
        .split('/')
        .all(|part| !part.is_empty() && part != "." && part != "..");
    (is_plain && path != META).then(|| path.to_owned())
}

fn article(project: &Project, path: &str) -> Option<Article> {
    let rel = format!("{WIKI_DIR}/{path}");
    let text = read_text(&Disk, &project.absolute(&rel).ok()?).ok()?.text;
    let mut hash = Hash::default();
    hash.mix(text.as_bytes());
    Some(Article {
        path: path.to_owned(),
        rel,
        hash: hash.text(),
        size: text.len(),
        letters: text.trim().chars().count(),
    })
}

/// Articles of which no earlier one has the same text, and the others.
fn apart(articles: BTreeMap<String, Article>) -> (Vec<Article>, Vec<Article>) {
    let mut kept: Vec<Article> = Vec::new();
    let mut duplicates = Vec::new();
    for article in articles.into_values() {
        let is_known = kept
            .iter()
            .any(|one| one.hash == article.hash && one.size == article.size);
        if is_known {
            duplicates.push(article);
        } else {
            kept.push(article);
        }
    }
    (kept, duplicates)
}

/// SHA-256 over parts, as text.
#[derive(Default)]
struct Hash(Sha256);

impl Hash {
    fn mix(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
        self.0.update([0xFF]);
    }

    fn text(self) -> String {
        let bytes = self.0.finalize();
        bytes.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_lie_below_the_wiki_and_nowhere_else() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        let of = |path: &str| below_wiki(&project, path);
        assert_eq!(of("modules/net.md").as_deref(), Some("modules/net.md"));
        assert_eq!(of("Alembic/wiki/index.md").as_deref(), Some("index.md"));
        let absolute = temp.path().join("Alembic/wiki/index.md");
        assert_eq!(of(absolute.to_str().unwrap()).as_deref(), Some("index.md"));
        for outside in [
            "../recipes/a.md",
            "a/../../x.md",
            "/etc/passwd",
            "meta.json",
            "",
            "Alembic/wiki/",
        ] {
            assert_eq!(of(outside), None, "{outside}");
        }
    }
}
