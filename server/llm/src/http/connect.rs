//! Where connections may go, and how they are made. (spec 5.8)

use std::net::IpAddr;
use std::sync::Once;

use reqwest::Url;

use super::configuration;
use crate::event::{ErrorCode, StreamError};
use crate::settings::ProviderSettings;

/// The base address of a provider, without a slash at its end.
pub(super) fn base(settings: &ProviderSettings) -> Result<Url, StreamError> {
    let name = &settings.name;
    let text = settings
        .base_url
        .clone()
        .or_else(|| settings.kind.default_url(settings.region.as_deref()))
        .ok_or_else(|| {
            configuration(format!(
                "The provider {name} has no address; set `base-url` (or `region`) in your settings."
            ))
        })?;
    let mut text = text.trim().trim_end_matches('/').to_owned();
    if !text.contains("://") {
        text = format!("http://{text}");
    }
    let url = Url::parse(&text).map_err(|error| {
        configuration(format!(
            "`base-url` of the provider {name} is no address: {error}."
        ))
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(configuration(format!(
            "`base-url` of the provider {name} has to begin with http:// or https://."
        )));
    }
    // A local server is named by its host and port; its format lies below /v1.
    let mut url = url;
    if settings.kind == crate::settings::ProviderKind::Local && url.path() == "/" {
        url.set_path("/v1");
    }
    Ok(url)
}

/// Whether an address is of this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Refuses to leave the machine where that is not allowed.
pub(super) fn allow(url: &Url, offline: bool) -> Result<(), StreamError> {
    if offline && !is_loopback(url) {
        return Err(StreamError::new(
            ErrorCode::Offline,
            format!(
                "{} is not on this machine, and `agent.offline` is set; use a local model, or unset it.",
                url.host_str().unwrap_or_default()
            ),
        ));
    }
    Ok(())
}

/// A client that follows no redirect: only the configured address is spoken to.
pub(super) fn client(base: &Url) -> Result<reqwest::Client, StreamError> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Another part of the process may have chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("asd/", env!("CARGO_PKG_VERSION")));
    if is_loopback(base) {
        builder = builder.no_proxy();
    }
    builder
        .build()
        .map_err(|error| configuration(format!("No connection can be made: {error}.")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ProviderKind;

    #[test]
    fn a_local_server_needs_only_its_address() {
        let at = |text: &str| base(&ProviderSettings::local(text)).unwrap().to_string();
        assert_eq!(at("localhost:11434"), "http://localhost:11434/v1");
        assert_eq!(at("http://127.0.0.1:8080/"), "http://127.0.0.1:8080/v1");
        assert_eq!(at("http://gpu.lan/llm/v1/"), "http://gpu.lan/llm/v1");
        assert!(base(&ProviderSettings::of(ProviderKind::Local)).is_err());
        assert!(base(&ProviderSettings::local("ftp://x")).is_err());
    }

    #[test]
    fn without_a_network_only_this_machine_is_reached() {
        for (address, allowed) in [
            ("http://localhost:1", true),
            ("http://127.0.0.9:1", true),
            ("http://[::1]:1", true),
            ("http://localhost.evil.example", false),
            ("http://10.0.0.1", false),
            ("http://127.0.0.1.evil.example", false),
            ("https://api.openai.com", false),
        ] {
            let url = Url::parse(address).unwrap();
            assert_eq!(allow(&url, true).is_ok(), allowed, "{address}");
            assert!(allow(&url, false).is_ok());
        }
    }
}
