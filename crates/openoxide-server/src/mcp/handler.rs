//! Requests of clients, one by one, to what answers them.

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::error::{internal, invalid, shortened};
use super::info::{config, instructions};
use super::resources::templates;
use super::server::McpServer;
use super::skills::TTL_MS;

type Context = RequestContext<RoleServer>;

/// What the protocol has and this server answers, where something must be said with the request.
const METHODS: [&str; 5] =
    ["completion/complete", "prompts/get", "resources/read", "subscriptions/listen", "tools/call"];

/// Does something unless the client takes it back: then it ends, with whatever runs for it.
async fn unless_cancelled<T>(
    cancelled: CancellationToken,
    work: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    tokio::select! {
        () = cancelled.cancelled() => Err(internal("the client took the request back")),
        done = work => done,
    }
}

impl McpServer {
    /// Returns how the model is to use the server; nothing if that cannot be told now.
    async fn instructions(&self) -> Option<String> {
        self.shared.work(|_, view| instructions(view)).await.ok()
    }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        config()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = self.instructions().await;
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.tell(context.peer);
    }

    async fn discover(&self, _: Context) -> Result<DiscoverResult, ErrorData> {
        let mut config = config();
        config.instructions = self.instructions().await;
        let versions = self.supported_protocol_versions().into_owned();
        let result = DiscoverResult::from_server_info(versions, config);
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        // There are few, on one page.
        super::pagination::after("tools", cursor(request).as_deref())?;
        let mut listed = self.shared.work(super::view::Shared::list_tools).await?;
        let view = self.shared.view().await?;
        self.shared.name_remote(&view, &mut listed.tools).await;
        Ok(listed)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        unless_cancelled(context.ct.clone(), Box::pin(self.call(request, &context))).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = cursor(request);
        self.shared.work(move |shared, view| shared.list_prompts(view, cursor.as_deref())).await?
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        unless_cancelled(context.ct.clone(), Box::pin(self.prompted(request, &context))).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = cursor(request);
        self.shared.work(move |shared, view| shared.list_resources(view, cursor.as_deref())).await?
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        super::pagination::after("templates", cursor(request).as_deref())?;
        Ok(templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        unless_cancelled(context.ct.clone(), self.read_file(request, &context)).await
    }

    async fn complete(&self, request: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        self.shared.work(move |shared, view| shared.complete(view, &request)).await?
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // Files are told by the list as a whole.
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.tell_subscriber(&context).await;
        Ok(())
    }

    async fn on_custom_request(&self, request: CustomRequest, _: Context) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or(Value::Null);
        match request.method.as_str() {
            "skills/list" => self.shared.work(move |shared, view| shared.list_skills(view, &params)).await?,
            "skills/get" => self.shared.work(move |shared, view| shared.get_skill(view, &params)).await?,
            "resources/directory/read" => {
                self.shared.work(move |shared, view| shared.read_directory(view, &params)).await?
            }
            // What the protocol has comes here only if it is not called as the protocol says.
            method if METHODS.contains(&method) => {
                Err(invalid(format!("the parameters of `{method}` are missing or wrong")))
            }
            method => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, shortened(method), None)),
        }
    }
}
