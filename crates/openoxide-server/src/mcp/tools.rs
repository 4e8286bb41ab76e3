//! The tools of the host, and calls of them.

use std::sync::Arc;

use openoxide_runtime::{Begun, Firing, HookStep, Reply, Toolbox};
use openoxide_skills::host::ToolDoes;
use rmcp::model::{CacheScope, CallToolRequestParams, CallToolResponse, ListToolsResult, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::McpServer;
use super::answer::tool_result;
use super::audit;
use super::error::{invalid, shortened, unavailable};
use super::held::MadeFor;
use super::seen::{Seen, Shared};
use super::skills::TTL_MS;
use super::talk::{Asking, Spoken, Talk};
use crate::engine::Engine;

impl Shared {
    /// Lists the tools.
    pub(super) fn list_tools(&self, seen: &Seen) -> ListToolsResult {
        let tools = seen.toolbox.tools().iter().map(described).collect();
        ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private)
    }

    /// Finds the tool that a name means: its own, or another that it goes by, unless the client has that itself.
    pub(super) fn tool_named(&self, seen: &Seen, given: &str) -> Option<String> {
        let tools = seen.toolbox.tools();
        if let Some(tool) = tools.iter().find(|tool| tool.name == given) {
            return Some(tool.name.clone());
        }
        let spell = |name: &str| self.options.names.spell(name);
        if self.options.taken.iter().any(|taken| taken == given || spell(taken) == given) {
            return None;
        }
        let goes_by = |name: &String| name == given || spell(name) == given;
        tools.iter().find(|tool| tool.names().iter().any(goes_by)).map(|tool| tool.name.clone())
    }
}

/// Describes a tool.
fn described(tool: &openoxide_runtime::Tool) -> Tool {
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
        let seen = self.shared.seen().await?;
        let unknown = || invalid(format!("no tool is called `{}`", shortened(&request.name)));
        let name = self.shared.tool_named(&seen, &request.name).ok_or_else(unknown)?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let made_for = MadeFor::new("tools/call", &name, arguments.clone());
        let asking = Asking::of(self, context);
        if let Some(answer) = self.read_remote(&asking.engine, &seen, &name, &arguments).await {
            return Ok(tool_result(answer, None, &[]).into());
        }
        let spoken = match &request.request_state {
            Some(state) => self.speak_on(state, request.input_responses.as_ref(), &asking, &made_for).await?,
            None => match self.begin(&asking.engine, &seen, &name, arguments).await? {
                Begun::Answer(answer) => return Ok(tool_result(*answer, None, &[]).into()),
                Begun::Fire(firing) => return self.fire(&asking.engine, *firing).await,
                Begun::Call(call) => {
                    let calling = self.shared.engine.begin(&seen.state, Arc::clone(seen.runtime()), call);
                    let talk = Talk::new(calling, Arc::clone(&self.session));
                    self.speak(talk, &asking, &made_for).await?
                }
            },
        };
        Ok(match spoken {
            Spoken::Later(asked) => asked.into(),
            Spoken::Done(done, unasked) => tool_result(seen.toolbox.finish(&name, &done), Some(&done), &unasked).into(),
        })
    }

    async fn begin(&self, engine: &Engine, seen: &Arc<Seen>, name: &str, arguments: Value) -> Result<Begun, ErrorData> {
        let session = Arc::clone(&self.session).lock_owned().await;
        let (seen, name) = (Arc::clone(seen), name.to_owned());
        let engine = engine.clone();
        let begin = move || {
            let begun = seen.toolbox.begin(&session, &name, &arguments);
            audit::tool(&engine, &seen, &name, &arguments, &begun);
            begun
        };
        self.shared.engine.work().run(begin).await.map_err(unavailable)
    }

    /// Lets hooks run that want to know of the end of a skill.
    async fn fire(&self, engine: &Engine, mut firing: Firing) -> Result<CallToolResponse, ErrorData> {
        let mut reply = Reply::Begin;
        loop {
            let mut session = Arc::clone(&self.session).lock_owned().await;
            let step;
            (firing, step) = engine
                .work()
                .run(move || {
                    let step = firing.resume(&mut session, reply);
                    (firing, step)
                })
                .await
                .map_err(unavailable)?;
            reply = match step {
                HookStep::Run(run) => Reply::Ran(engine.run(run).await.map_err(unavailable)?),
                HookStep::Done(verdict) => return Ok(tool_result(Toolbox::deactivated(&verdict), None, &[]).into()),
            };
        }
    }
}
