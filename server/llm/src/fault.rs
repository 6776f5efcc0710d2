//! What an answer that is no success means, and whether to ask again.
//! (spec 5.2)

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::event::{ErrorCode, StreamError};

/// The longest wait that a provider may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// How often a request is repeated.
pub(crate) const MAX_RETRIES: u32 = 5;

/// A request that brought nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub error: StreamError,
    pub retry: Retry,
}

/// Whether to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    Never,
    /// After our own wait.
    Later,
    /// After the wait that the provider asked for.
    After(Duration),
}

impl Fault {
    /// Of a request without an answer, or an error inside of a stream.
    pub fn of(error: StreamError) -> Self {
        let retry = match error.code {
            ErrorCode::Connect
            | ErrorCode::Timeout
            | ErrorCode::Interrupted
            | ErrorCode::Overloaded
            | ErrorCode::RateLimit
            | ErrorCode::Server => Retry::Later,
            _ => Retry::Never,
        };
        Self { error, retry }
    }
}

/// What says how an answer with an error status is to be taken.
pub(crate) struct Refusal<'a> {
    pub provider: &'a str,
    pub status: u16,
    pub retry_after: Option<&'a str>,
    /// Whether the provider marks the answer as worth asking again.
    pub marked: bool,
    pub body: &'a str,
    pub now: SystemTime,
}

impl Refusal<'_> {
    pub fn judge(&self) -> Fault {
        let said = message(self.body);
        let lower = self.body.to_lowercase();
        let wait = self.retry_after.and_then(|value| wait(value, self.now));
        let code = match self.status {
            429 if lower.contains("quota") || lower.contains("billing") => ErrorCode::Quota,
            402 => ErrorCode::Quota,
            400 | 413 | 422 if says_too_long(&lower) => ErrorCode::ContextOverflow,
            413 => ErrorCode::ContextOverflow,
            _ if says_no_tools(&lower) => ErrorCode::ToolsUnsupported,
            401 | 403 => ErrorCode::Auth,
            404 => ErrorCode::NotFound,
            408 => ErrorCode::Timeout,
            425 | 429 => ErrorCode::RateLimit,
            503 | 529 => ErrorCode::Overloaded,
            500..=599 => ErrorCode::Server,
            _ => ErrorCode::BadRequest,
        };
        // llama.cpp says it with a 500.
        let code = match code {
            ErrorCode::Server if says_too_long(&lower) => ErrorCode::ContextOverflow,
            code => code,
        };
        let retryable = match (self.status, code) {
            (_, ErrorCode::Quota | ErrorCode::ContextOverflow | ErrorCode::ToolsUnsupported) => {
                false
            }
            (408 | 425 | 429 | 500 | 502 | 503 | 504 | 529, _) => true,
            (409, _) => self.marked,
            _ => false,
        };
        let too_long = retryable && wait.is_some_and(|wait| wait > LONGEST_WAIT);
        let code = if too_long { ErrorCode::Quota } else { code };
        let advice = match code {
            ErrorCode::Auth => " Check the key and what it is allowed to do.",
            ErrorCode::NotFound => " Check the base address and the name of the model.",
            ErrorCode::Quota if too_long => " It asks for a wait of more than two minutes.",
            _ => "",
        };
        let mut error = StreamError::new(
            code,
            format!(
                "{} answered with status {}{}{said}.{advice}",
                self.provider,
                self.status,
                if said.is_empty() { "" } else { ": " },
            ),
        )
        .with_status(self.status);
        error.retryable = retryable && !too_long;
        let retry = match wait {
            _ if !error.retryable => Retry::Never,
            Some(wait) => Retry::After(wait),
            None => Retry::Later,
        };
        Fault { error, retry }
    }
}

/// Seconds or a date.
fn wait(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Our own wait before a repetition, from 1.
pub(crate) fn backoff(attempt: u32, random: u64) -> Duration {
    let seconds = 2_u32.saturating_pow(attempt.saturating_sub(1)).min(30);
    // 0.8 to 1.2, in thousandths.
    let share = 800 + ((u128::from(random) * 401) >> 64) as u64;
    Duration::from_millis(u64::from(seconds) * share)
}

/// The sentence in a body, at most 500 chars and without its last full stop.
fn message(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let json = json.map(|json| match json {
        // Gemini sends a list.
        Value::Array(mut list) if !list.is_empty() => list.swap_remove(0),
        json => json,
    });
    let found = json.as_ref().and_then(|json| {
        [
            "/error/message",
            "/message",
            "/error",
            "/detail",
            "/Message",
        ]
        .iter()
        .find_map(|at| json.pointer(at).and_then(Value::as_str))
    });
    let text = found.unwrap_or(body);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().take(500).collect();
    text.trim_end_matches('.').to_owned()
}

/// Whether a text, in lower case, says that the request is larger than the window.
pub(crate) fn says_too_long(text: &str) -> bool {
    [
        "context_length_exceeded",
        "context length",
        "context window",
        "context size",
        "context_window",
        "exceed_context_size",
        "prompt is too long",
        "input is too long",
        "too many tokens",
        "too many total text bytes",
        "input token count",
        "maximum number of tokens",
        "model_max_prompt_tokens_exceeded",
        "request_too_large",
        "tokens exceed",
    ]
    .iter()
    .any(|words| text.contains(words))
}

fn says_no_tools(text: &str) -> bool {
    let about = text.contains("tool") || text.contains("function call");
    about
        && [
            "does not support tools",
            "not support tool",
            "not support function",
            "doesn't support tool",
            "tools are not supported",
            "tools is not supported",
            "no endpoints found that support tool",
            "requires --jinja",
            "--enable-auto-tool-choice",
            "unsupported parameter: 'tools'",
            "unrecognized request argument supplied: tools",
        ]
        .iter()
        .any(|words| text.contains(words))
}

/// Leaves a provider alone that fails all the time.
#[derive(Debug, Default)]
pub(crate) struct Circuit {
    in_a_row: u32,
    opened: u32,
    until: Option<Duration>,
}

/// Failed requests in a row that open it.
const OPENS_AT: u32 = 3;

impl Circuit {
    /// How long it stays open.
    pub fn is_open(&self, now: Duration) -> Option<Duration> {
        self.until?.checked_sub(now).filter(|rest| !rest.is_zero())
    }

    /// A request was repeated until nothing was left to try.
    pub fn exhausted(&mut self, now: Duration) {
        self.in_a_row += 1;
        if self.in_a_row >= OPENS_AT {
            let seconds = 30_u64.saturating_mul(1 << self.opened.min(4)).min(300);
            self.until = Some(now + Duration::from_secs(seconds));
            self.opened += 1;
        }
    }

    /// An answer came.
    pub fn succeeded(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(status: u16, retry_after: Option<&str>, body: &str) -> Fault {
        Refusal {
            provider: "p",
            status,
            retry_after,
            marked: false,
            body,
            now: SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777),
        }
        .judge()
    }

    #[test]
    fn what_may_pass_is_asked_again() {
        for status in [408, 425, 429, 500, 502, 503, 504, 529] {
            assert_eq!(judge(status, None, "").retry, Retry::Later, "{status}");
        }
        for status in [400, 401, 403, 404, 409, 413, 422] {
            assert_eq!(judge(status, None, "").retry, Retry::Never, "{status}");
        }
        let refusal = Refusal {
            provider: "p",
            status: 409,
            retry_after: None,
            marked: true,
            body: "",
            now: SystemTime::UNIX_EPOCH,
        };
        assert_eq!(refusal.judge().retry, Retry::Later);
    }

    #[test]
    fn the_provider_says_how_long_to_wait() {
        assert_eq!(
            judge(429, Some("2"), "").retry,
            Retry::After(Duration::from_secs(2))
        );
        assert_eq!(
            judge(503, Some("Sun, 06 Nov 1994 08:49:47 GMT"), "").retry,
            Retry::After(Duration::from_secs(10))
        );
        let long = judge(429, Some("3600"), "");
        assert_eq!(
            (long.error.code, long.retry),
            (ErrorCode::Quota, Retry::Never)
        );
        assert_eq!(judge(429, Some("soon"), "").retry, Retry::Later);
    }

    #[test]
    fn a_quota_that_is_used_up_is_not_asked_again() {
        let fault = judge(
            429,
            Some("1"),
            r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota."}}"#,
        );
        assert_eq!(
            (fault.error.code, fault.retry),
            (ErrorCode::Quota, Retry::Never)
        );
        assert_eq!(
            fault.error.message,
            "p answered with status 429: You exceeded your current quota."
        );
    }

    #[test]
    fn requests_that_are_too_long_are_told_apart() {
        for (status, body) in [
            (
                400,
                r#"{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens."}}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
            ),
            (
                400,
                r#"{"message":"Input is too long for requested model."}"#,
            ),
            (
                500,
                r#"{"error":{"message":"the request exceeds the available context size"}}"#,
            ),
            (413, ""),
        ] {
            let fault = judge(status, None, body);
            assert_eq!(fault.error.code, ErrorCode::ContextOverflow, "{body}");
            assert_eq!(fault.retry, Retry::Never);
        }
    }

    #[test]
    fn servers_that_take_no_tools_say_so_in_their_own_words() {
        for (status, body) in [
            (
                400,
                r#"{"error":{"message":"registry/gemma:2b does not support tools"}}"#,
            ),
            (
                500,
                r#"{"error":{"message":"tools param requires --jinja flag"}}"#,
            ),
            (
                400,
                r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}"#,
            ),
        ] {
            assert_eq!(
                judge(status, None, body).error.code,
                ErrorCode::ToolsUnsupported
            );
        }
    }

    #[test]
    fn waits_double_up_to_half_a_minute_and_vary_by_a_fifth() {
        let waits: Vec<u128> = (1..=7)
            .map(|n| backoff(n, u64::MAX / 2).as_millis())
            .collect();
        assert_eq!(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
        assert_eq!(backoff(1, 0).as_millis(), 800);
        assert_eq!(backoff(1, u64::MAX).as_millis(), 1_200);
    }

    #[test]
    fn three_failures_in_a_row_open_the_circuit_for_ever_longer() {
        let mut circuit = Circuit::default();
        let mut now = Duration::ZERO;
        circuit.exhausted(now);
        circuit.exhausted(now);
        assert_eq!(circuit.is_open(now), None);
        for seconds in [30, 60, 120, 240, 300, 300] {
            circuit.exhausted(now);
            assert_eq!(circuit.is_open(now), Some(Duration::from_secs(seconds)));
            now += Duration::from_secs(seconds);
            assert_eq!(circuit.is_open(now), None);
        }
        circuit.succeeded();
        circuit.exhausted(now);
        assert_eq!(circuit.is_open(now), None);
    }
}
