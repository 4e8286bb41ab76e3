//! The tools of the host, and calls of them.

use std::sync::Arc;

use openoxide_app::activate::{self, Activate, ActivateInput};
use openoxide_app::tools::{self, ToolCallStart, Toolbox};
use openoxide_app::{Firing, Reading, ToolDoes};
use rmcp::model::{CacheScope, CallToolRequestParams, CallToolResponse, ListToolsResult, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::answer::tool_result;
use super::elicit::{Elicited, Elicitor};
use super::error::{failed, invalid, shortened, unavailable};
use super::options::McpOptions;
use super::server::McpServer;
use super::skills::TTL_MS;
use super::view::{McpView, Shared};
use crate::drive::Nobody;
use crate::engine::Engine;
use crate::pending_operation::RequestKey;

impl Shared {
    /// Lists the tools.
    pub(super) fn list_tools(&self, view: &McpView) -> ListToolsResult {
        let tools = view.toolbox.tools().iter().map(described).collect();
        ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private)
    }

    /// Finds the tool that a name means: its own, or another that it goes by, unless the client has that itself.
    pub(super) fn tool_named(&self, view: &McpView, given: &str) -> Option<String> {
        let McpOptions { taken, names } = &self.options;
        tools::find(&view.toolbox, given, taken, |name| names.spell(name)).map(|tool| tool.name.clone())
    }
}

/// Describes a tool.
fn described(tool: &tools::Tool) -> Tool {
    let schema = match &tool.input_schema {
        Value::Object(schema) => schema.clone(),
        _ => serde_json::Map::new(),
    };
    let mut described = Tool::new(tool.name.clone(), tool.description.clone(), Arc::new(schema));
    let mut hints = ToolAnnotations::new();
    // What a skill would run is asked for by itself, and looking is no more than that.
    hints.read_only_hint = Some(matches!(tool.does, ToolDoes::Read | ToolDoes::Search));
    hints.destructive_hint = Some(false);
    hints.open_world_hint = Some(false);
    hints.idempotent_hint = Some(true);
    if !tool.title.is_empty() {
        described.title = Some(tool.title.clone());
        hints.title = Some(tool.title.clone());
    }
    described.with_annotations(hints)
}

impl McpServer {
    /// Answers a call of a tool.
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let view = self.shared.view().await?;
        let unknown = || invalid(format!("no tool is called `{}`", shortened(&request.name)));
        let name = self.shared.tool_named(&view, &request.name).ok_or_else(unknown)?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let key = RequestKey::new("tools/call", &name, arguments.clone());
        let elicitor = Elicitor::of(self, context);
        let elicited = match &request.request_state {
            Some(handle) => {
                self.resume_eliciting::<Activate>(handle, request.input_responses.as_ref(), &elicitor, &key).await?
            }
            None => match self.begin(&view, &name, arguments).await? {
                ToolCallStart::Answer(answer) => return Ok(tool_result(*answer, None, &[]).into()),
                ToolCallStart::Read(reading) => return self.read(&elicitor.engine, &view, &name, *reading).await,
                ToolCallStart::Fire(firing) => return self.fire(&elicitor.engine, &view, *firing).await,
                ToolCallStart::Call(call) => {
                    let operation =
                        activate::activate(&view.state, ActivateInput::Skill(call)).map_err(|error| failed(&error))?;
                    self.begin_eliciting(&view.state, operation, &elicitor, &key).await?
                }
            },
        };
        Ok(match elicited {
            Elicited::Later(asked) => asked.into(),
            Elicited::Done(done, unasked) => {
                tool_result(view.toolbox.finish(&name, &done), Some(&done), &unasked).into()
            }
        })
    }

    async fn begin(&self, view: &Arc<McpView>, name: &str, arguments: Value) -> Result<ToolCallStart, ErrorData> {
        let session = Arc::clone(&self.session).lock_owned().await;
        let (view, name) = (Arc::clone(view), name.to_owned());
        let begin = move || view.toolbox.begin(&session, &name, &arguments);
        self.shared.engine.work().run(begin).await.map_err(unavailable)
    }

    /// Reads a file. A model is in the middle of a call, so the user is not asked.
    async fn read(
        &self,
        engine: &Engine,
        view: &McpView,
        name: &str,
        reading: Reading,
    ) -> Result<CallToolResponse, ErrorData> {
        let completed = engine.complete(&view.state, reading, &self.session, &mut Nobody).await;
        let (reading, outcome) = completed.map_err(unavailable)?;
        Ok(tool_result(view.toolbox.finish_reading(name, &reading, &outcome), None, &[]).into())
    }

    /// Runs the hooks of a skill that is deactivated.
    async fn fire(&self, engine: &Engine, view: &McpView, firing: Firing) -> Result<CallToolResponse, ErrorData> {
        let completed = engine.complete(&view.state, firing, &self.session, &mut Nobody).await;
        let (_, verdict) = completed.map_err(unavailable)?;
        Ok(tool_result(Toolbox::deactivated(&verdict), None, &[]).into())
    }
}
