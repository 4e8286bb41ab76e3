//! Dispatches the requests of clients to what answers them.

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::answer::for_client;
use super::client::{info_of, rules_of};
use super::info::{config, instructions};
use super::skills::DIRECTORY;
use super::{Context, McpServer, Result, TTL_MS, after, internal, invalid, resources::templates, shortened};
use crate::connect::ClientRules;

/// The methods of the protocol that this server answers and that need parameters.
const METHODS: [&str; 5] =
    ["completion/complete", "prompts/get", "resources/read", "subscriptions/listen", "tools/call"];

/// Does the work of a request, unless the client cancels it: then the work is dropped, with the commands that it runs.
async fn unless_cancelled<T>(cancelled: CancellationToken, work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        () = cancelled.cancelled() => Err(internal("the client took the request back")),
        done = work => done,
    }
}

impl McpServer {
    /// Returns the instructions for a client's model, nothing if there is no view now, and whether the lists are fixed.
    async fn introduce(&self, rules: ClientRules) -> (Option<String>, bool) {
        let introduced = self.state.work(move |_, view| (instructions(view, rules.limits), view.is_fixed())).await;
        introduced.map_or((None, false), |(text, is_fixed)| (Some(text), is_fixed))
    }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        config(false)
    }

    async fn initialize(&self, request: InitializeRequestParams, context: Context) -> Result<InitializeResult> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        let (instructions, is_fixed) = self.introduce(info_of(&request.client_info)).await;
        (result.instructions, result.capabilities) = (instructions, config(is_fixed).capabilities);
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.notify(context.peer);
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult> {
        let (instructions, is_fixed) = self.introduce(rules_of(&context)).await;
        let mut config = config(is_fixed);
        config.instructions = instructions;
        let versions = self.supported_protocol_versions().into_owned();
        let result = DiscoverResult::from_server_info(versions, config);
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(&self, request: Option<PaginatedRequestParams>, context: Context) -> Result<ListToolsResult> {
        // There are few tools, so one page holds them.
        after("tools", cursor(request).as_deref())?;
        let rules = rules_of(&context);
        let mut listed = self.state.work(move |state, view| state.list_tools(view, rules)).await?;
        let view = self.state.view().await?;
        self.state.name_remote(&view, &mut listed.tools, rules.limits).await;
        Ok(listed)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse> {
        let rules = rules_of(&context);
        let answer = unless_cancelled(context.ct.clone(), Box::pin(self.call(request, &context))).await?;
        Ok(for_client(answer, rules))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult> {
        let (cursor, rules) = (cursor(request), rules_of(&context));
        self.state.work(move |state, view| state.list_prompts(view, cursor.as_deref(), rules)).await?
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, context: Context) -> Result<GetPromptResponse> {
        unless_cancelled(context.ct.clone(), Box::pin(self.prompted(request, &context))).await
    }

    async fn list_resources(&self, request: Option<PaginatedRequestParams>, _: Context) -> Result<ListResourcesResult> {
        let cursor = cursor(request);
        self.state.work(move |state, view| state.list_resources(view, cursor.as_deref())).await?
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult> {
        after("templates", cursor(request).as_deref())?;
        Ok(templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse> {
        unless_cancelled(context.ct.clone(), self.read_file(request, &context)).await
    }

    async fn complete(&self, request: CompleteRequestParams, _: Context) -> Result<CompleteResult> {
        self.state.work(move |state, view| state.complete(view, &request)).await?
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // Single files are not watched; a change is a change of the list.
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<()> {
        self.notify_subscriber(&context).await;
        Ok(())
    }

    async fn on_custom_request(&self, request: CustomRequest, context: Context) -> Result<CustomResult> {
        let params = request.params.unwrap_or(Value::Null);
        match request.method.as_str() {
            "skills/list" => self.state.work(move |state, view| state.list_skills(view, &params)).await?,
            "skills/get" => self.state.work(move |state, view| state.get_skill(view, &params)).await?,
            DIRECTORY => unless_cancelled(context.ct.clone(), self.read_directory(params, &context)).await,
            // A method of the protocol comes here only if its parameters cannot be read.
            method if METHODS.contains(&method) => {
                Err(invalid(format!("the parameters of `{method}` are missing or wrong")))
            }
            method => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, shortened(method), None)),
        }
    }
}
