//! The protocol's handlers over a [`Catalog`].
#![expect(
    deprecated,
    reason = "clients of today use what the next version of the protocol leaves out"
)]

use std::future::ready;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorData, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use crate::catalog::{Call, Catalog, not_known};

/// How many resources stand on a page.
const PAGE: usize = 500;

/// Methods whose name is known; a request with one of them that could not be
/// read has wrong parameters.
const METHODS: &[&str] = &[
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
];

/// One connection.
#[derive(Clone)]
pub struct Server {
    catalog: Arc<Catalog>,
}

impl Server {
    /// A server that offers what is in `catalog`.
    #[must_use]
    pub fn new(catalog: Catalog) -> Self {
        Self {
            catalog: Arc::new(catalog),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.catalog.config.clone()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.catalog.tools.iter().filter(|offered| offered.listed);
        Ok(ListToolsResult::with_all_items(
            tools.map(|offered| offered.tool.clone()).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut tools = self.catalog.tools.iter();
        let Some(offered) = tools.find(|offered| offered.tool.name == request.name) else {
            return Err(unknown("tool", &request.name));
        };
        let call = Call {
            arguments: request.arguments.unwrap_or_default(),
            context,
        };
        match tokio::time::timeout(offered.limit, (offered.run)(call)).await {
            Ok(result) => result.map(CallToolResponse::from),
            Err(_) => Ok((offered.timed_out)(offered.limit).into()),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let start = match request.and_then(|request| request.cursor) {
            Some(cursor) => cursor.parse::<usize>().map_err(|_| {
                ErrorData::invalid_params(format!("There is no page `{cursor}`."), None)
            })?,
            None => 0,
        };
        let all = self.catalog.resources.list().await?;
        let more = all.len() > start.saturating_add(PAGE);
        let page = all.into_iter().skip(start).take(PAGE).collect();
        let mut result = ListResourcesResult::with_all_items(page);
        result.next_cursor = more.then(|| (start + PAGE).to_string());
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            self.catalog.resources.templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.catalog.resources.read(&request.uri).await?;
        Ok(read.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.catalog.prompts.iter();
        Ok(ListPromptsResult::with_all_items(
            prompts.map(|offered| offered.prompt.clone()).collect(),
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut prompts = self.catalog.prompts.iter();
        let Some(offered) = prompts.find(|offered| offered.prompt.name == request.name) else {
            return Err(unknown("prompt", &request.name));
        };
        let arguments = request.arguments.unwrap_or_default();
        for wanted in offered.prompt.arguments.iter().flatten() {
            if wanted.required == Some(true) && !arguments.contains_key(&wanted.name) {
                return Err(ErrorData::invalid_params(
                    format!(
                        "The prompt `{}` needs the argument `{}`.",
                        request.name, wanted.name
                    ),
                    None,
                ));
            }
        }
        (offered.get)(arguments).await.map(GetPromptResponse::from)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match &self.catalog.complete {
            Some(complete) => complete(request).await,
            None => Err(not_known("completion/complete")),
        }
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let set_level = self.catalog.set_level.as_ref();
        let set_level = set_level.ok_or_else(|| not_known("logging/setLevel"))?;
        let level = serde_json::to_value(request.level).unwrap_or_default();
        set_level(level.as_str().unwrap_or_default());
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.catalog.resources.subscribe(&request.uri).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.catalog.resources.unsubscribe(&request.uri).await
    }

    /// A method that the library does not know, or could not read.
    fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CustomResult, ErrorData>> + Send + '_ {
        ready(match request.method.as_str() {
            // Not of this protocol, but some clients end like this.
            "shutdown" => Ok(CustomResult::new(json!({}))),
            method if METHODS.contains(&method) => Err(ErrorData::invalid_params(
                format!("The parameters of `{method}` are not as the protocol has them."),
                None,
            )),
            method => Err(not_known(method)),
        })
    }
}

fn unknown(what: &str, name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("There is no {what} `{name}`."), None)
}
