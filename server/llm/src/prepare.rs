//! What every provider does with a request before it is written.

use crate::capabilities::{Capabilities, ToolMode};
use crate::conversation::{Turn, turns};
use crate::item::ModelRef;
use crate::normalise::Expectation;
use crate::request::{Request, ToolChoice, ToolSpec};
use crate::schema::ToolNames;
use crate::text_calls::{CallScanner, describe_tools};
use crate::usage::Estimator;

/// A request in the words of a provider.
pub(crate) struct Ready {
    pub system: String,
    pub turns: Vec<Turn>,
    pub names: ToolNames,
}

pub(crate) fn ready(request: &Request, provider: &str, capabilities: &Capabilities) -> Ready {
    let (names, errors) = ToolNames::new(&request.tools, capabilities.name_rule);
    for error in errors {
        tracing::warn!("{error}");
    }
    let model = ModelRef {
        provider: provider.to_owned(),
        model: request.model.clone(),
    };
    let turns = turns(&request.items, &model, capabilities, &names);
    let mut system = request.system.clone();
    if capabilities.tools == ToolMode::Text
        && request.tool_choice != ToolChoice::None
        && !names.tools().is_empty()
    {
        let tools: Vec<(String, &ToolSpec)> = names
            .tools()
            .iter()
            .map(|(name, tool)| (name.clone(), tool))
            .collect();
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(&describe_tools(&tools));
        match &request.tool_choice {
            ToolChoice::Required => system.push_str("\nYou have to call a tool now.\n"),
            ToolChoice::Tool(name) => {
                let name = names.exposed(name);
                system.push_str(&format!("\nYou have to call {name} now.\n"));
            }
            ToolChoice::Auto | ToolChoice::None => {}
        }
    }
    Ready {
        system,
        turns,
        names,
    }
}

/// What may come back.
pub(crate) fn expectation(
    request: &Request,
    ready: &Ready,
    capabilities: &Capabilities,
    cumulative: bool,
) -> Expectation {
    let estimator = Estimator::default();
    let tools: u64 = ready
        .names
        .tools()
        .iter()
        .map(|(_, tool)| {
            estimator.text(&tool.description) + estimator.text(&tool.parameters.to_string())
        })
        .sum();
    let may_call = capabilities.tools != ToolMode::None
        && request.tool_choice != ToolChoice::None
        && !ready.names.tools().is_empty();
    let scanner = may_call.then(|| {
        let tools = ready.names.tools().iter();
        CallScanner::new(tools.map(|(name, tool)| (name.clone(), tool.parameters.clone())))
    });
    Expectation {
        cumulative,
        input_estimate: estimator.text(&request.system) + estimator.items(&request.items) + tools,
        scanner,
        text_calls_agreed: capabilities.tools == ToolMode::Text,
    }
}
