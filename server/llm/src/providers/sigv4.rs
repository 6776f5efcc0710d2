//! Signature version 4 of AWS, for requests with a body and without odd spaces in
//! their headers.

use std::collections::BTreeMap;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// The keys of an account.
pub(crate) struct AwsKeys {
    pub access: String,
    pub secret: String,
    pub session: Option<String>,
}

/// What is signed.
pub(crate) struct Signed<'a> {
    pub host: &'a str,
    /// As it is sent.
    pub path: &'a str,
    pub region: &'a str,
    pub service: &'a str,
    pub body: &'a [u8],
}

/// The headers that prove who sent a POST at this time.
pub(crate) fn sign(
    keys: &AwsKeys,
    request: &Signed<'_>,
    now: SystemTime,
    extra: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let stamp = stamp(now);
    let day = &stamp[..8];
    let mut headers: BTreeMap<String, String> = extra.clone();
    headers.insert("host".into(), request.host.into());
    headers.insert("x-amz-date".into(), stamp.clone());
    if let Some(session) = &keys.session {
        headers.insert("x-amz-security-token".into(), session.clone());
    }
    let names: Vec<&str> = headers.keys().map(String::as_str).collect();
    let names = names.join(";");
    let lines: String = headers
        .iter()
        .map(|(name, value)| format!("{name}:{}\n", value.trim()))
        .collect();
    // Every segment is encoded once more than it is sent.
    let path: Vec<String> = request.path.split('/').map(encode).collect();
    let canonical = format!(
        "POST\n{}\n\n{lines}\n{names}\n{}",
        path.join("/"),
        hex(&Sha256::digest(request.body))
    );
    let scope = format!("{day}/{}/{}/aws4_request", request.region, request.service);
    let text = format!(
        "AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{}",
        hex(&Sha256::digest(canonical.as_bytes()))
    );
    let mut key = hmac(format!("AWS4{}", keys.secret).as_bytes(), day.as_bytes());
    for part in [request.region, request.service, "aws4_request"] {
        key = hmac(&key, part.as_bytes());
    }
    let signature = hex(&hmac(&key, text.as_bytes()));
    headers.insert(
        "authorization".into(),
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
            keys.access
        ),
    );
    headers.remove("host");
    headers
}

/// Percent-encodes everything but letters, digits and `-._~`.
pub(super) fn encode(segment: &str) -> String {
    segment
        .bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut inner = Sha256::new();
    inner.update(block.map(|byte| byte ^ 0x36));
    inner.update(message);
    let mut outer = Sha256::new();
    outer.update(block.map(|byte| byte ^ 0x5c));
    outer.update(inner.finalize());
    outer.finalize().into()
}

/// `20260102T030405Z`.
fn stamp(now: SystemTime) -> String {
    let seconds = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let (mut days, time) = (seconds / 86_400, seconds % 86_400);
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!(
        "{year:04}{month:02}{:02}T{:02}{:02}{:02}Z",
        days + 1,
        time / 3_600,
        time / 60 % 60,
        time % 60
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_time_is_written_without_marks() {
        let at = |seconds| stamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(1_440_938_160), "20150830T123600Z");
        assert_eq!(at(1_709_164_799), "20240228T235959Z");
        assert_eq!(at(1_709_164_800), "20240229T000000Z");
        assert_eq!(at(1_767_225_599), "20251231T235959Z");
    }

    #[test]
    fn the_keyed_hash_is_that_of_its_standard() {
        assert_eq!(
            hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hex(&hmac(
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First"
            )),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn a_request_of_the_published_suite_has_its_published_signature() {
        // post-vanilla of the test suite that AWS publishes.
        let keys = AwsKeys {
            access: "AKIDEXAMPLE".into(),
            secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            session: None,
        };
        let request = Signed {
            host: "example.amazonaws.com",
            path: "/",
            region: "us-east-1",
            service: "service",
            body: b"",
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_440_938_160);
        let headers = sign(&keys, &request, now, &BTreeMap::new());
        assert_eq!(
            headers["authorization"],
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=host;x-amz-date, \
             Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        );
    }

    #[test]
    fn the_model_in_the_path_is_encoded_twice_for_the_signature() {
        assert_eq!(encode("anthropic.claude-v1:0"), "anthropic.claude-v1%3A0");
        assert_eq!(encode(&encode("v1:0")), "v1%253A0");
    }
}
