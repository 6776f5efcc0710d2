//! Serving clients over streamable HTTP, on this machine only and with a token.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::Server;

/// The path at which the protocol is served.
pub const PATH: &str = "/mcp";

/// A server that listens but does not answer yet.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
}

impl HttpServer {
    /// Listens on the loopback address; port 0 takes one that is free.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn bind(port: u16) -> std::io::Result<Self> {
        let listener =
            TcpListener::bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where clients find it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves until `stop` is ready. Each connection gets a server of its own
    /// from `connect`. A request without `Authorization: Bearer <token>` is
    /// refused, when a token is given.
    ///
    /// # Errors
    /// What the system says of the socket.
    pub async fn serve(
        self,
        token: Option<String>,
        connect: impl Fn() -> Server + Send + Sync + 'static,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        let mut config = StreamableHttpServerConfig::default();
        config.allowed_origins = vec![
            "http://localhost:*".to_owned(),
            "http://127.0.0.1:*".to_owned(),
            "http://[::1]:*".to_owned(),
        ];
        let ended = config.cancellation_token.clone();
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(connect()), sessions, config);
        let mut router = Router::new().nest_service(PATH, service);
        if let Some(token) = token {
            router = router.layer(from_fn_with_state(Arc::<str>::from(token), with_token));
        }
        axum::serve(self.listener, router)
            .with_graceful_shutdown(async move {
                stop.await;
                // Open streams would keep the server up.
                ended.cancel();
            })
            .await
    }
}

async fn with_token(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let given = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    if given.is_some_and(|given| same(given.as_bytes(), token.as_bytes())) {
        next.run(request).await
    } else {
        (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, "Bearer")],
            "Send the token that `asd mcp --http` printed as `Authorization: Bearer <token>`.\n",
        )
            .into_response()
    }
}

/// Compares without telling by the time taken how much was right.
fn same(left: &[u8], right: &[u8]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .fold(0, |differing, (a, b)| differing | (a ^ b))
            == 0
}
