//! Speaks to a real model on a local server and checks the protocol, never what
//! the model says: a streamed answer, a forced call, and a cancellation in the
//! middle. `cargo xtask test model` starts the server.

#![expect(clippy::print_stdout, reason = "what was seen is for the reader")]

use anyhow::{Context, Result, ensure};
use asd_llm::{
    Accumulator, CancellationToken, CompleteReason, ErrorCode, HttpProvider, Item, Network,
    Outcome, Provider, ProviderSettings, Request, StreamEvent, ToolChoice, ToolGroup, ToolSpec,
};
use futures::StreamExt;

#[tokio::main]
async fn main() -> Result<()> {
    let address = std::env::args()
        .nth(1)
        .context("say the server's address")?;
    let network = Network {
        offline: true,
        ..Network::default()
    };
    let provider = HttpProvider::new(ProviderSettings::local(address), network)?;
    let model = provider
        .models()
        .await?
        .pop()
        .context("the server has no model")?;
    let capabilities = provider.capabilities(&model).await?;
    println!(
        "window {}, tools {:?}",
        capabilities.window, capabilities.tools
    );
    let request = |text: &str, max_output| Request {
        model: model.clone(),
        items: vec![Item::user(text)],
        max_output: Some(max_output),
        temperature: Some(0.0),
        ..Request::default()
    };

    let mut deltas = 0;
    let mut answer = Accumulator::default();
    let mut stream = provider.stream(request("Say hello.", 24), CancellationToken::new());
    while let Some(event) = stream.next().await {
        deltas += u32::from(matches!(event, StreamEvent::ContentDelta { .. }));
        answer.push(event);
    }
    let answer = answer.finish();
    ensure!(
        matches!(
            answer.outcome,
            Outcome::Complete(CompleteReason::End | CompleteReason::MaxTokens)
        ),
        "the answer ended with {:?}",
        answer.outcome
    );
    ensure!(
        deltas > 1 && !answer.text().is_empty(),
        "nothing was streamed"
    );
    println!("streamed: {deltas} pieces, {:?}", answer.usage);

    let mut forced = request("Read the file src/main.rs.", 128);
    forced.tools = vec![ToolSpec {
        name: "read_file".into(),
        description: "Reads a file.".into(),
        parameters: serde_json::json!({
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        }),
        group: ToolGroup::BuiltIn,
    }];
    forced.tool_choice = ToolChoice::Tool("read_file".into());
    let mut answer = Accumulator::default();
    let mut stream = provider.stream(forced, CancellationToken::new());
    while let Some(event) = stream.next().await {
        answer.push(event);
    }
    let answer = answer.finish();
    ensure!(
        answer.outcome == Outcome::Complete(CompleteReason::ToolUse),
        "the forced call ended with {:?}: {:?}",
        answer.outcome,
        answer.blocks
    );
    let calls: Vec<&str> = answer
        .ready_calls()
        .map(|(call, _)| call.name.as_str())
        .collect();
    ensure!(calls == ["read_file"], "the calls are {calls:?}");
    println!("forced: one call of read_file");

    let cancel = CancellationToken::new();
    let mut stream = provider.stream(request("Count to one hundred.", 400), cancel.clone());
    let mut last = None;
    while let Some(event) = stream.next().await {
        if matches!(event, StreamEvent::ContentDelta { .. }) {
            cancel.cancel();
        }
        last = Some(event);
    }
    ensure!(
        matches!(&last, Some(StreamEvent::Error(error)) if error.code == ErrorCode::Cancelled),
        "the cancelled answer ended with {last:?}"
    );
    println!("cancelled in the middle");
    Ok(())
}
