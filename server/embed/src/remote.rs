//! An endpoint that speaks the embeddings protocol of OpenAI, as most servers
//! of models do.

use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use crate::batch::{BATCH_SIZE, cut, to_unit};
use crate::breaker::{Breaker, Clock, Limits, SystemClock};
use crate::embedder::{EmbedError, Embedder};

/// How long one request may take as a whole.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Longer answers are not read: vectors of a batch, written as text, are far
/// shorter.
const MAX_ANSWER: u64 = 64 << 20;

/// So much of what a server says about an error is shown.
const MAX_MESSAGE: usize = 200;

/// An endpoint, and what it needs to be told.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RemoteSettings {
    /// The base of the API, such as `https://host/v1`; `/embeddings` is added
    /// unless it is there.
    pub url: String,
    /// The model by the endpoint's own name.
    pub model: String,
    /// How many numbers a vector shall have, for models that can be asked.
    pub dimensions: Option<usize>,
    /// The key, from the environment. Never shown.
    pub key: Option<String>,
}

impl std::fmt::Debug for RemoteSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteSettings")
            .field("url", &self.url)
            .field("model", &self.model)
            .field("dimensions", &self.dimensions)
            .field("key", &self.key.as_ref().map(|_| "…"))
            .finish()
    }
}

/// Vectors from an endpoint. Texts leave this machine for it.
pub struct RemoteEmbedder {
    settings: RemoteSettings,
    endpoint: String,
    id: String,
    agent: Agent,
    breaker: Breaker,
    dimension: OnceLock<usize>,
}

impl RemoteEmbedder {
    /// An embedder that asks this endpoint. Nothing is sent yet.
    #[must_use]
    pub fn new(settings: RemoteSettings) -> Self {
        Self::with_clock(settings, Box::new(SystemClock::default()))
    }

    /// The same with a clock for its breaker.
    #[must_use]
    pub fn with_clock(settings: RemoteSettings, clock: Box<dyn Clock>) -> Self {
        let base = settings.url.trim_end_matches('/');
        let endpoint = if base.ends_with("/embeddings") {
            base.to_owned()
        } else {
            format!("{base}/embeddings")
        };
        let mut id = format!("remote:{}@{endpoint}", settings.model);
        let dimension = OnceLock::new();
        if let Some(wanted) = settings.dimensions {
            id.push_str(&format!("#{wanted}"));
            dimension.get_or_init(|| wanted);
        }
        // Companies have roots of their own; the system knows them.
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        let agent = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent("asd")
            .tls_config(tls)
            .build()
            .new_agent();
        Self {
            settings,
            endpoint,
            id,
            agent,
            breaker: Breaker::new(Limits::PROVIDER, clock),
            dimension,
        }
    }

    fn ask(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut request = self.agent.post(&self.endpoint);
        if let Some(key) = &self.settings.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let question = Question {
            model: &self.settings.model,
            input: texts.iter().map(|text| sendable(text)).collect(),
            encoding_format: "float",
            dimensions: self.settings.dimensions,
        };
        let mut response = request
            .send_json(&question)
            .map_err(|error| self.failed(&format!("cannot be reached: {error}")))?;
        let status = response.status();
        let body = response
            .body_mut()
            .with_config()
            .limit(MAX_ANSWER)
            .read_to_string()
            .map_err(|error| self.failed(&format!("broke off: {error}")))?;
        if !status.is_success() {
            let advice = match status.as_u16() {
                401 | 403 => "; check the key in the environment",
                404 => "; check `search.remote.url` and `search.remote.model`",
                _ => "",
            };
            let message = message(&body);
            return Err(self.failed(&format!("answered {status}{message}{advice}")));
        }
        let answer: Answer = serde_json::from_str(&body)
            .map_err(|error| self.failed(&format!("gave something else than vectors: {error}")))?;
        self.in_order(answer, texts.len())
    }

    /// The vectors in the order of the texts, each exactly once.
    fn in_order(&self, answer: Answer, count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); count];
        for (position, row) in answer.data.into_iter().enumerate() {
            let place = vectors.get_mut(row.index.unwrap_or(position));
            match place.filter(|place| place.is_empty()) {
                Some(place) => *place = row.embedding,
                None => return Err(self.failed("gave a vector that was not asked for")),
            }
        }
        let length = vectors.first().map_or(0, Vec::len);
        let expected = *self.dimension.get_or_init(|| length);
        for vector in &mut vectors {
            if vector.is_empty() {
                return Err(self.failed("gave too few vectors"));
            }
            if vector.len() != expected {
                let found = vector.len();
                return Err(self.failed(&format!(
                    "gave a vector of {found} numbers, not of {expected}"
                )));
            }
            if vector.iter().any(|value| !value.is_finite()) {
                return Err(self.failed("gave a vector that is not of numbers"));
            }
            to_unit(vector);
        }
        Ok(vectors)
    }

    fn failed(&self, what: &str) -> EmbedError {
        let text = format!("the embedding endpoint {} {what}", self.endpoint);
        // A server may send back what it was given.
        let key = self.settings.key.as_deref().filter(|key| !key.is_empty());
        EmbedError::Failed(match key {
            Some(key) => text.replace(key, "…"),
            None => text,
        })
    }
}

impl Embedder for RemoteEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimension(&self) -> usize {
        self.dimension.get().copied().unwrap_or(0)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH_SIZE) {
            vectors.extend(self.breaker.call(|| self.ask(batch))?);
        }
        Ok(vectors)
    }
}

#[derive(Serialize)]
struct Question<'q> {
    model: &'q str,
    input: Vec<&'q str>,
    encoding_format: &'q str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Endpoints refuse an empty text.
fn sendable(text: &str) -> &str {
    let text = cut(text);
    if text.is_empty() { " " } else { text }
}

/// What the server says is wrong, for people.
fn message(body: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let error = &value["error"];
    let text = [
        &error["message"],
        error,
        &value["message"],
        &value["detail"],
    ]
    .into_iter()
    .find_map(serde_json::Value::as_str)
    .unwrap_or(body);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_MESSAGE) {
        _ if text.is_empty() => text,
        Some((end, _)) => format!(" ({}…)", &text[..end]),
        None => format!(" ({text})"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::breaker::tests::HandClock;

    /// What the server was sent.
    struct Request {
        head: String,
        body: serde_json::Value,
    }

    /// A server that gives these answers, one a connection, and then is gone.
    fn server(answers: Vec<(u16, String)>) -> (String, Receiver<Request>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for (status, answer) in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    assert!(reader.read_line(&mut head).unwrap() > 0, "cut off: {head}");
                }
                let length = head
                    .lines()
                    .find_map(|line| {
                        line.to_lowercase()
                            .strip_prefix("content-length: ")?
                            .parse()
                            .ok()
                    })
                    .unwrap();
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                let _ = sender.send(Request {
                    head,
                    body: serde_json::from_slice(&body).unwrap(),
                });
                write!(
                    stream,
                    "HTTP/1.1 {status} Whatever\r\nContent-Type: application/json\r\n\
                     Content-Length: {}\r\nConnection: close\r\n\r\n{answer}",
                    answer.len()
                )
                .unwrap();
            }
        });
        (url, receiver)
    }

    fn embedder(url: &str) -> RemoteEmbedder {
        RemoteEmbedder::new(RemoteSettings {
            url: url.to_owned(),
            model: "small".to_owned(),
            dimensions: None,
            key: Some("sk-secret".to_owned()),
        })
    }

    fn error(answer: (u16, &str)) -> String {
        let (url, _requests) = server(vec![(answer.0, answer.1.to_owned())]);
        let text = embedder(&url).embed(&["a"]).unwrap_err().to_string();
        text.replace(url.trim_end_matches('/'), "URL")
    }

    #[test]
    fn vectors_come_back_in_the_order_of_the_texts_and_of_unit_length() {
        let answer = r#"{"object":"list","data":[
            {"object":"embedding","index":1,"embedding":[0,2]},
            {"object":"embedding","index":0,"embedding":[3,4]}],
            "model":"small","usage":{"prompt_tokens":2,"total_tokens":2}}"#;
        let (url, requests) = server(vec![(200, answer.to_owned())]);
        let embedder = embedder(&url);
        assert_eq!(embedder.dimension(), 0, "not known before the first answer");
        let vectors = embedder.embed(&["one", ""]).unwrap();
        assert_eq!(vectors, [[0.6, 0.8], [0.0, 1.0]]);
        assert_eq!(embedder.dimension(), 2);
        let request = requests.recv().unwrap();
        assert!(request.head.starts_with("POST /v1/embeddings HTTP/1.1\r\n"));
        assert!(
            request
                .head
                .to_lowercase()
                .contains("authorization: bearer sk-secret\r\n")
        );
        assert_eq!(
            request.body,
            serde_json::json!({"model": "small", "input": ["one", " "], "encoding_format": "float"})
        );
    }

    #[test]
    fn an_error_says_what_the_server_says_and_never_the_key() {
        assert_eq!(
            error((401, r#"{"error":{"message":"bad key sk-secret"}}"#)),
            "the embedding endpoint URL/embeddings answered 401 Unauthorized (bad key …); \
             check the key in the environment"
        );
        assert_eq!(
            error((500, "<html>\n  oops")),
            "the embedding endpoint URL/embeddings answered 500 Internal Server Error (<html> oops)"
        );
        assert_eq!(
            error((302, "")),
            "the embedding endpoint URL/embeddings answered 302 Found",
            "the key must not be carried elsewhere"
        );
    }

    #[test]
    fn an_answer_that_does_not_fit_is_refused() {
        let fits = |body: &str| error((200, body));
        assert!(fits("{}").contains("something else than vectors"));
        assert!(fits(r#"{"data":[]}"#).contains("too few vectors"));
        assert!(fits(r#"{"data":[{"index":4,"embedding":[1]}]}"#).contains("not asked for"));
        assert!(
            fits(r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#)
                .contains("not asked for")
        );
        assert!(fits(r#"{"data":[{"index":0,"embedding":[1e999]}]}"#).contains("vector"));
    }

    #[test]
    fn after_five_failures_it_is_left_alone_for_thirty_seconds() {
        let good = r#"{"data":[{"index":0,"embedding":[1,0]}]}"#.to_owned();
        let mut answers = vec![(503, String::new()); 5];
        answers.push((200, good));
        let (url, requests) = server(answers);
        let clock = HandClock::default();
        let settings = RemoteSettings {
            url,
            model: "small".to_owned(),
            dimensions: Some(2),
            key: None,
        };
        let embedder = RemoteEmbedder::with_clock(settings, Box::new(clock.clone()));
        for _ in 0..5 {
            let error = embedder.embed(&["a"]).unwrap_err();
            assert!(matches!(error, EmbedError::Failed(_)), "{error}");
        }
        let error = embedder.embed(&["a"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "embeddings failed 5 times; the next try is in 30 s"
        );
        assert_eq!(requests.try_iter().count(), 5, "the sixth was not sent");
        clock.set(30);
        assert_eq!(embedder.embed(&["a"]).unwrap(), [[1.0, 0.0]]);
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        let (url, _) = server(Vec::new());
        let error = embedder(&url).embed(&["a"]).unwrap_err().to_string();
        assert!(error.contains("cannot be reached"), "{error}");
    }
}
