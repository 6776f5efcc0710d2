//! How fast a stream becomes events: a server on this machine sends an answer of
//! many small events, through the whole provider. `cargo xtask bench llm` runs it.

#![expect(clippy::print_stdout, reason = "the figures are for the reader")]

use std::time::Instant;

use anyhow::{Result, ensure};
use asd_llm::{
    CancellationToken, HttpProvider, Item, ModelSettings, Network, Provider, ProviderSettings,
    Request, StreamEvent, ToolMode,
};
use futures::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Bytes of each answer, about.
const SIZE: usize = 64 * 1024 * 1024;
const ROUNDS: usize = 5;

#[tokio::main]
async fn main() -> Result<()> {
    let piece = "The quick brown fox jumps over the lazy dog. ".repeat(20);
    let event = format!(
        "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{piece}\"}},\"finish_reason\":null}}]}}\n\n"
    );
    let count = SIZE / event.len();
    let mut body = event.repeat(count);
    body.push_str(
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    );
    let bytes = body.len();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = [0; 16 * 1024];
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            // A request of this size comes in one read; whoever asked may go.
            let _ = socket.read(&mut request).await;
            let _ = socket.write_all(head.as_bytes()).await;
            let _ = socket.write_all(body.as_bytes()).await;
        }
    });
    let mut settings = ProviderSettings::local(format!("{address}"));
    settings.models.insert(
        "m".into(),
        ModelSettings {
            window: Some(1 << 20),
            tools: Some(ToolMode::None),
            ..ModelSettings::default()
        },
    );
    let provider = HttpProvider::new(settings, Network::default())?;
    provider.capabilities("m").await?;
    let mut speeds = Vec::new();
    for _ in 0..ROUNDS {
        let request = Request {
            model: "m".into(),
            items: vec![Item::user("go")],
            ..Request::default()
        };
        let start = Instant::now();
        let mut stream = provider.stream(request, CancellationToken::new());
        let mut text = 0;
        while let Some(event) = stream.next().await {
            if let StreamEvent::ContentDelta { text: delta, .. } = event {
                text += delta.len();
            }
        }
        ensure!(
            text == piece.len() * count,
            "a part of the answer is missing"
        );
        #[expect(clippy::cast_precision_loss, reason = "a speed needs no exact bytes")]
        speeds.push(bytes as f64 / (1024.0 * 1024.0) / start.elapsed().as_secs_f64());
    }
    speeds.sort_by(f64::total_cmp);
    println!(
        "stream to events: median {:.0} MiB/s of {ROUNDS} rounds",
        speeds[ROUNDS / 2]
    );
    Ok(())
}
