//! What a search finds, in which order, and what it leaves out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use asd_embed::{Breaker, EmbedError, Embedder, Limits, Rested, SystemClock};
use asd_recipe::{Kind, Lifecycle, Recipe};
use asd_search::{
    Answer, Asked, Change, Confidence, Document, Intent, Mode, Ordered, Query, SearchIndex,
    Semantics, Stats, Synonyms, VectorSet,
};

fn recipe(trigger: &str, title: &str) -> Recipe {
    Recipe {
        trigger: trigger.into(),
        title: title.into(),
        lifecycle: Lifecycle::Active,
        ..Recipe::default()
    }
}

fn document(recipe: Recipe) -> Document {
    Document::new("recipes/x.md", Arc::new(recipe), Stats::default())
}

fn index(recipes: impl IntoIterator<Item = Recipe>) -> SearchIndex {
    SearchIndex::build(
        recipes.into_iter().map(document).collect(),
        Synonyms::built_in(),
    )
}

fn base() -> Vec<Recipe> {
    let mut recipes = vec![
        Recipe {
            description: "All outbound calls go through RetryQueue".into(),
            kind: Kind::Rule,
            language: "rust".into(),
            tags: vec!["network".into()],
            ..recipe("@retry-queue-backoff", "Retry queue with backoff")
        },
        Recipe {
            description: "失败的请求按指数退避重试".into(),
            kind: Kind::Pattern,
            ..recipe("@qing-qiu", "网络请求重试")
        },
        Recipe {
            kind: Kind::Fact,
            language: "Swift".into(),
            ..recipe("@catalog-layout", "Layout of the catalog")
        },
        Recipe {
            kind: Kind::Pattern,
            language: "swift".into(),
            ..recipe("@log-levels", "Choose a log level")
        },
        Recipe {
            description: "Discounts of 100% are free orders".into(),
            ..recipe("@discounts", "Discounts")
        },
        Recipe {
            description: "Discounts of 1000 or 100 points".into(),
            ..recipe("@points", "Points")
        },
    ];
    for n in 0..40 {
        recipes.push(Recipe {
            description: format!("Screen {n} shows a picture of the garden"),
            kind: Kind::Pattern,
            ..recipe(&format!("@garden-{n:02}"), &format!("Garden screen {n}"))
        });
    }
    recipes
}

fn ask(index: &SearchIndex, query: &Query) -> Answer {
    index.search(query).expect("the query is within its limits")
}

fn triggers(answer: &Answer) -> Vec<&str> {
    answer
        .items
        .iter()
        .map(|row| row.trigger.as_str())
        .collect()
}

fn found(index: &SearchIndex, text: &str) -> Vec<String> {
    let answer = ask(index, &Query::new(text));
    triggers(&answer).into_iter().map(str::to_owned).collect()
}

/// Counts in words: a vector has one number for each of these, and texts about
/// the same thing in two languages have the same. All vectors lean to a side by
/// their language, as those of real models do.
struct Toy {
    calls: AtomicUsize,
    fails: AtomicBool,
}

const TOY: &[&[&str]] = &[
    &["retry", "retried", "重试", "again"],
    &["queue", "队列"],
    &["request", "请求", "calls"],
    &["log", "日志"],
    &["garden", "花园", "flowers"],
    &["layout", "布局"],
    &["discount", "优惠"],
];

impl Toy {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            calls: AtomicUsize::new(0),
            fails: AtomicBool::new(false),
        })
    }
}

impl Embedder for Toy {
    fn id(&self) -> &str {
        "toy"
    }

    fn dimension(&self) -> usize {
        TOY.len() + 2
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if self.fails.load(Ordering::SeqCst) {
            return Err(EmbedError::Failed("no".into()));
        }
        let vector = |text: &&str| {
            let lower = text.to_lowercase();
            let has = |words: &&[&str]| words.iter().any(|word| lower.contains(word));
            let mut vector: Vec<f32> = TOY.iter().map(|w| f32::from(u8::from(has(w)))).collect();
            let chinese = lower
                .chars()
                .any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
            vector.extend(if chinese { [2.0, 0.0] } else { [0.0, 2.0] });
            let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
            vector.iter().map(|v| v / length).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn with_toy(index: &SearchIndex, toy: &Arc<Toy>) -> SearchIndex {
    let documents: Vec<Document> = index.documents().cloned().collect();
    let never = AtomicBool::new(false);
    let vectors = VectorSet::default().updated(&documents, toy.as_ref(), &never);
    index.with_semantics(Semantics::new(toy.clone(), Arc::new(vectors)))
}

#[test]
fn a_trigger_comes_first_and_asks_for_no_meaning() {
    let toy = Toy::new();
    let index = with_toy(&index(base()), &toy);
    let before = toy.calls.load(Ordering::SeqCst);
    for query in [
        "@retry-queue-backoff",
        "RetryQueueBackoff",
        "retry_queue_backoff",
    ] {
        assert_eq!(found(&index, query)[0], "@retry-queue-backoff", "{query}");
    }
    assert_eq!(toy.calls.load(Ordering::SeqCst), before);
    found(&index, "如何重试请求");
    assert_eq!(toy.calls.load(Ordering::SeqCst), before + 1);
}

#[test]
fn the_two_languages_find_each_other_by_words_alone() {
    let index = index(base());
    let english = found(&index, "retry a failed request");
    assert!(english.iter().any(|t| t == "@qing-qiu"), "{english:?}");
    let chinese = found(&index, "重试队列");
    assert_eq!(chinese[0], "@retry-queue-backoff");
}

#[test]
fn meaning_finds_what_has_no_word_of_the_query() {
    let words = index(base());
    let query = Query {
        keep_weak: true,
        ..Query::new("flowers")
    };
    assert_eq!(triggers(&ask(&words, &query)), [""; 0]);
    let both = with_toy(&words, &Toy::new());
    let answer = ask(&both, &query);
    assert!(answer.items[0].trigger.starts_with("@garden"));
}

#[test]
fn meaning_is_not_drawn_to_the_language_of_the_query() {
    let mut recipes = base();
    recipes.extend((0..60).map(|n| recipe(&format!("@fruit-{n}"), &format!("第{n}种水果"))));
    let both = with_toy(&index(recipes), &Toy::new());
    let query = Query {
        mode: Mode::Semantic,
        keep_weak: true,
        limit: Some(3),
        ..Query::new("日志")
    };
    // The only recipe about logs is in English, and all Chinese texts are
    // nearer to the query by their language.
    assert_eq!(ask(&both, &query).items[0].trigger, "@log-levels");
}

#[test]
fn keyword_mode_takes_every_character_as_it_is() {
    let index = index(base());
    let literal = |text: &str| {
        let query = Query {
            mode: Mode::Keyword,
            ..Query::new(text)
        };
        let answer = ask(&index, &query);
        triggers(&answer)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(literal("100%"), ["@discounts"]);
    assert_eq!(literal("n_t_a_w_o_r_d"), [""; 0]);
    assert_eq!(literal("@log-"), ["@log-levels"]);
    // Nothing holds this literally, so words are asked.
    assert_eq!(literal("levels of a log")[0], "@log-levels");
}

#[test]
fn a_query_of_function_words_is_looked_for_literally() {
    let index = index([
        recipe("@a", "The beauty of the of operator"),
        recipe("@b", "Other"),
    ]);
    assert_eq!(found(&index, "the of"), ["@a"]);
    assert_eq!(found(&index, "of the they"), [""; 0]);
}

#[test]
fn filters_come_before_the_limit() {
    let mut recipes = base();
    recipes.push(Recipe {
        kind: Kind::Rule,
        content: asd_recipe::Content {
            markdown: "Only one picture of the garden may be shown".into(),
            ..Default::default()
        },
        ..recipe("@one-picture", "Pictures")
    });
    let index = index(recipes);
    let query = Query {
        kind: Some(Ordered(Kind::Rule)),
        limit: Some(1),
        ..Query::new("garden picture")
    };
    assert_eq!(triggers(&ask(&index, &query)), ["@one-picture"]);
}

#[test]
fn the_language_is_a_filter_in_every_mode() {
    let index = with_toy(&index(base()), &Toy::new());
    for mode in [
        Mode::Auto,
        Mode::Keyword,
        Mode::Weighted,
        Mode::Semantic,
        Mode::Context,
    ] {
        let query = Query {
            mode,
            language: Some("Swift".into()),
            keep_weak: true,
            limit: Some(100),
            ..Query::new("log")
        };
        let answer = ask(&index, &query);
        assert!(
            answer.items.iter().any(|row| row.trigger == "@log-levels"),
            "{mode:?}"
        );
        assert!(
            answer
                .items
                .iter()
                .all(|row| row.language.to_lowercase() != "rust"),
            "{mode:?}"
        );
    }
}

#[test]
fn states_that_are_not_searched_do_not_come_back_through_vectors() {
    let mut recipes = base();
    for lifecycle in [
        Lifecycle::Pending,
        Lifecycle::Decaying,
        Lifecycle::Deprecated,
    ] {
        recipes.push(Recipe {
            lifecycle,
            ..recipe(&format!("@old-{}", lifecycle.name()), "Retry queue of old")
        });
    }
    let index = with_toy(&index(recipes), &Toy::new());
    for mode in [Mode::Auto, Mode::Semantic, Mode::Weighted, Mode::Keyword] {
        let mut query = Query {
            mode,
            keep_weak: true,
            limit: Some(100),
            ..Query::new("retry queue")
        };
        let answer = ask(&index, &query);
        assert!(
            !triggers(&answer).iter().any(|t| t.starts_with("@old")),
            "{mode:?}"
        );
        query.lifecycles = vec![Ordered(Lifecycle::Deprecated)];
        assert_eq!(
            triggers(&ask(&index, &query)),
            ["@old-deprecated"],
            "{mode:?}"
        );
    }
}

#[test]
fn a_name_is_not_found_inside_of_a_word() {
    let index = index(base());
    assert_eq!(found(&index, "log"), ["@log-levels"]);
}

#[test]
fn joined_names_and_their_parts_find_each_other() {
    let index = index(base());
    for query in ["retryqueue", "retry_queue", "RetryQueue", "retry queue"] {
        assert_eq!(found(&index, query)[0], "@retry-queue-backoff", "{query}");
    }
}

#[test]
fn equal_scores_are_ordered_by_id() {
    let names = ["@c", "@a", "@b", "@d"];
    let twins = names.map(|trigger| recipe(trigger, "Equal twins of it"));
    let index = index(twins);
    for _ in 0..3 {
        assert_eq!(found(&index, "equal twins"), ["@a", "@b", "@c", "@d"]);
    }
}

#[test]
fn recipes_with_one_name_are_both_found() {
    let index = index([
        recipe("@same", "First cache"),
        recipe("@same", "Second cache"),
    ]);
    let ids: Vec<String> = ask(&index, &Query::new("cache"))
        .items
        .into_iter()
        .map(|row| row.id)
        .collect();
    assert_eq!(ids, ["@same", "@same~2"]);
}

#[test]
fn what_nothing_answers_finds_nothing_unless_asked() {
    let index = index(base());
    let mut query = Query::new("bake sourdough bread with a screen of flour overnight");
    let answer = ask(&index, &query);
    assert_eq!(answer.confidence, Confidence::None);
    assert_eq!(answer.items, []);
    query.keep_weak = true;
    let answer = ask(&index, &query);
    assert_eq!(answer.confidence, Confidence::None);
    assert!(!answer.items.is_empty() && answer.items.iter().all(|row| row.weak));
}

#[test]
fn confidence_falls_as_a_query_fits_less() {
    let index = index(base());
    let sure = |text: &str| ask(&index, &Query::new(text)).certainty;
    let falling = [
        sure("retry queue with backoff"),
        sure("retry queue for uploads"),
        sure("queue for airport parking permits"),
    ];
    assert!(falling.is_sorted_by(|a, b| a > b), "{falling:?}");
}

#[test]
fn failing_embeddings_leave_words_and_say_so() {
    let toy = Toy::new();
    let words = index(base());
    let documents: Vec<Document> = words.documents().cloned().collect();
    let never = AtomicBool::new(false);
    let vectors = VectorSet::default().updated(&documents, toy.as_ref(), &never);
    let breaker = Breaker::new(Limits::EMBEDDING, Box::new(SystemClock::default()));
    let rested = Arc::new(Rested::new(Shared(toy.clone()), breaker));
    let both = words.with_semantics(Semantics::new(rested, Arc::new(vectors)));
    let query = Query {
        mode: Mode::Semantic,
        ..Query::new("retry queue")
    };
    assert!(!ask(&both, &query).degraded);
    toy.fails.store(true, Ordering::SeqCst);
    let before = toy.calls.load(Ordering::SeqCst);
    for n in 0..6 {
        let query = Query {
            limit: Some(20 + n),
            ..query.clone()
        };
        let answer = ask(&both, &query);
        assert!(answer.degraded);
        assert_eq!(answer.items[0].trigger, "@retry-queue-backoff");
    }
    let tried = toy.calls.load(Ordering::SeqCst) - before;
    assert_eq!(tried, 3, "after three failures nothing is tried");
}

struct Shared(Arc<Toy>);

impl Embedder for Shared {
    fn id(&self) -> &str {
        self.0.id()
    }
    fn dimension(&self) -> usize {
        self.0.dimension()
    }
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed(texts)
    }
}

#[test]
fn without_a_model_semantic_mode_is_degraded() {
    let query = Query {
        mode: Mode::Semantic,
        ..Query::new("retry queue")
    };
    let answer = ask(&index(base()), &query);
    assert!(answer.degraded);
    assert_eq!(answer.items[0].trigger, "@retry-queue-backoff");
}

#[test]
fn a_changed_document_is_found_by_its_new_words_only() {
    let before = index(base());
    let changed = before.apply(vec![
        Change::Put(document(recipe("@log-levels", "Name your telescopes"))),
        Change::Remove("@discounts".into()),
    ]);
    assert_eq!(found(&changed, "telescopes"), ["@log-levels"]);
    assert_eq!(found(&before, "choose"), ["@log-levels"]);
    assert_eq!(found(&changed, "choose"), [""; 0]);
    assert_eq!(changed.len(), before.len() - 1);
    assert!(changed.generation() > before.generation());
    // Whoever holds the old index sees nothing of it.
    assert_eq!(found(&before, "telescopes"), [""; 0]);
}

#[test]
fn an_incremental_index_answers_as_one_built_anew() {
    let recipes = base();
    let half = recipes.len() / 2;
    let step = index(recipes[..half].to_vec()).apply(
        recipes[half..]
            .iter()
            .map(|recipe| Change::Put(document(recipe.clone())))
            .collect(),
    );
    let whole = index(recipes);
    for text in [
        "retry queue",
        "garden 7",
        "网络请求",
        "log level",
        "picture",
    ] {
        assert_eq!(
            ask(&step, &Query::new(text)),
            ask(&whole, &Query::new(text))
        );
    }
}

#[test]
fn only_what_changed_is_embedded_again() {
    let toy = Toy::new();
    let never = AtomicBool::new(false);
    let mut documents: Vec<Document> = base().into_iter().map(document).collect();
    let first = VectorSet::default().updated(&documents, toy.as_ref(), &never);
    let calls = toy.calls.load(Ordering::SeqCst);
    let same = first.updated(&documents, toy.as_ref(), &never);
    assert_eq!(toy.calls.load(Ordering::SeqCst), calls);
    assert_eq!(same.len(), first.len());

    documents[0] = document(recipe("@retry-queue-backoff", "Another title"));
    let gone = documents.pop().unwrap();
    let next = first.updated(&documents, toy.as_ref(), &never);
    assert_eq!(toy.calls.load(Ordering::SeqCst), calls + 1);
    assert_eq!(gone.recipe.trigger, "@garden-39");
    // One had a title and a description less, the other is gone with both.
    assert_eq!(next.len(), first.len() - 3);
}

#[test]
fn vectors_survive_a_file_and_damage_is_noticed() {
    let toy = Toy::new();
    let never = AtomicBool::new(false);
    let documents: Vec<Document> = base().into_iter().map(document).collect();
    let set = VectorSet::default().updated(&documents, toy.as_ref(), &never);
    let bytes = set.to_bytes();
    let read = VectorSet::from_bytes(&bytes).unwrap();
    assert!(read.is_same_as(&set));
    let calls = toy.calls.load(Ordering::SeqCst);
    let again = read.updated(&documents, toy.as_ref(), &never);
    assert_eq!(
        toy.calls.load(Ordering::SeqCst),
        calls,
        "nothing is embedded again"
    );
    assert_eq!(again.to_bytes(), bytes);
    for cut in [0, 7, 20, bytes.len() / 2, bytes.len() - 1] {
        assert!(VectorSet::from_bytes(&bytes[..cut]).is_err());
    }
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    assert!(VectorSet::from_bytes(&flipped).is_err());
}

#[test]
fn vectors_of_another_model_are_not_used() {
    struct Other(Arc<Toy>);
    impl Embedder for Other {
        fn id(&self) -> &str {
            "other"
        }
        fn dimension(&self) -> usize {
            self.0.dimension()
        }
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.0.embed(texts)
        }
    }
    let toy = Toy::new();
    let never = AtomicBool::new(false);
    let documents: Vec<Document> = base().into_iter().map(document).collect();
    let set = Arc::new(VectorSet::default().updated(&documents, toy.as_ref(), &never));
    assert!(Semantics::new(Arc::new(Other(toy.clone())), set.clone()).is_none());
    let before = toy.calls.load(Ordering::SeqCst);
    let other = Other(toy.clone());
    let moved = set.updated(&documents, &other, &never);
    assert_eq!(moved.model(), "other");
    assert!(toy.calls.load(Ordering::SeqCst) > before);
}

#[test]
fn the_session_moves_what_it_was_about() {
    let recipes = ["@a-topic", "@b-topic"].map(|trigger| Recipe {
        tags: vec![
            if trigger.starts_with("@b") {
                "payment"
            } else {
                "garden"
            }
            .into(),
        ],
        ..recipe(trigger, "How to name a topic")
    });
    let index = index(recipes);
    let mut query = Query {
        mode: Mode::Context,
        ..Query::new("name topic")
    };
    assert_eq!(triggers(&ask(&index, &query)), ["@a-topic", "@b-topic"]);
    query.session_history = vec!["payment form".into()];
    assert_eq!(triggers(&ask(&index, &query)), ["@b-topic", "@a-topic"]);
}

#[test]
fn use_and_age_move_equals_only() {
    let documents = [("@a-cache", 0), ("@b-cache", 500)].map(|(trigger, uses)| {
        Document::new(
            "x.md",
            Arc::new(recipe(trigger, "Cache of responses")),
            Stats {
                uses,
                ..Stats::default()
            },
        )
    });
    let mut documents = documents.to_vec();
    documents.push(document(recipe(
        "@c",
        "Cache of responses and much more of that kind",
    )));
    let index = SearchIndex::build(documents, Synonyms::built_in());
    assert_eq!(
        found(&index, "cache of responses"),
        ["@b-cache", "@a-cache", "@c"]
    );
    let query = Query {
        rank: false,
        ..Query::new("cache of responses")
    };
    assert_eq!(
        triggers(&ask(&index, &query)),
        ["@a-cache", "@b-cache", "@c"]
    );
}

#[test]
fn a_row_says_what_it_is_about() {
    let index = index([Recipe {
        description: "x".repeat(200),
        when_clause: "Adding a call".into(),
        do_clause: "Use the queue".into(),
        knowledge_type: "code-pattern".into(),
        ..recipe("@telescopes", "Telescopes")
    }]);
    let answer = ask(&index, &Query::new("telescopes"));
    let row = &answer.items[0];
    assert_eq!(row.description.chars().count(), 120);
    assert_eq!(row.action_hint, "Adding a call → Use the queue");
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["mode"], "auto");
    assert_eq!(json["items"][0]["knowledgeType"], "code-pattern");
    assert_eq!(json["items"][0]["sourceRefs"], serde_json::json!([]));
    assert!(json.get("degraded").is_none());
}

fn prime(index: &SearchIndex, query: &str) -> asd_search::Primed {
    let asked = Asked {
        query,
        active_file: None,
        language: None,
        root: std::path::Path::new("/p"),
    };
    index.prime(&Intent::extract(&asked, &Synonyms::built_in()))
}

#[test]
fn a_task_gets_the_recipe_that_it_is_about_and_nothing_else() {
    let mut recipes = base();
    recipes.truncate(30);
    recipes.push(Recipe {
        tags: vec!["cache".into(), "middleware".into()],
        kind: Kind::Pattern,
        ..recipe("@cache-middleware", "缓存中间件规范")
    });
    let index = index(recipes);
    let primed = prime(&index, "帮我加个缓存中间件");
    let rows = &primed.related_knowledge;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0].row.trigger, "@cache-middleware");
    assert!(rows[0].row.score >= 0.30);
    assert_eq!(primed.guard_rules, []);
    assert_eq!(primed.search_meta.filtered_count, 1);
    assert!(!primed.search_meta.degraded);
}

#[test]
fn rules_and_the_rest_are_apart_in_a_task() {
    let recipes = (0..12).map(|n| Recipe {
        kind: if n % 2 == 0 {
            Kind::Rule
        } else {
            Kind::Pattern
        },
        ..recipe(&format!("@telescope-{n:02}"), "Point the telescope")
    });
    let primed = prime(&index(recipes), "point the telescope");
    assert_eq!(primed.guard_rules.len(), 3);
    assert!((1..=5).contains(&primed.related_knowledge.len()));
    assert!(
        primed
            .guard_rules
            .iter()
            .all(|row| row.row.kind == Kind::Rule)
    );
}

#[test]
fn a_blank_task_searches_nothing() {
    let primed = prime(&index(base()), " ");
    assert_eq!(primed.related_knowledge, []);
    assert_eq!(primed.search_meta.queries, [""; 0]);
}
