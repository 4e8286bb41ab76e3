//! The tools of the host, and calls of them.

use std::sync::Arc;

use openoxide_app::ToolDoes;
use openoxide_app::activate::{self, ActivateInput};
use openoxide_app::tools::{self, ToolCallStart, Toolbox};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ListToolsResult, MetaObject, Tool, ToolAnnotations,
};
use serde_json::Value;

use super::info::introduction;
use super::skill_list::{PlacedList, followed};
use super::{
    Context, Elicited, Elicitor, McpOptions, McpServer, McpState, McpView, Result, TTL_MS, failed, invalid,
    needs_approval, shortened, tool_result, unavailable,
};
use crate::connect::ClientRules;
use crate::{Nobody, RequestKey};

impl McpState {
    pub(super) fn list_tools(&self, view: &McpView, rules: ClientRules) -> ListToolsResult {
        let list = view.place_list(rules.limits, &introduction(view));
        let nothing = PlacedList::default();
        let list_of = |tool: &tools::Tool| if tool.does == ToolDoes::Activate { &list } else { &nothing };
        let tools = view.toolbox.tools.iter().map(|tool| described(tool, list_of(tool), rules)).collect();
        ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private)
    }

    /// Finds the tool that a name means: its own, or another that it goes by, unless the client has that itself.
    pub(super) fn tool_named(&self, view: &McpView, given: &str) -> Option<String> {
        let McpOptions { taken, names } = &self.options;
        tools::find(&view.toolbox, given, taken, |name| names.spell(name)).map(|tool| tool.name.clone())
    }
}

/// Describes a tool to a client, with what the list of skills says there.
fn described(tool: &tools::Tool, list: &PlacedList, rules: ClientRules) -> Tool {
    let mut schema = match &tool.input_schema {
        Value::Object(schema) => schema.clone(),
        _ => serde_json::Map::new(),
    };
    let mut about = followed(&tool.about, &list.tool);
    if let Some(key) = tool.name_key().filter(|_| !list.argument.is_empty()) {
        add_to_argument(&mut schema, key, &list.argument);
        about += " The skills are listed with its argument `";
        about += key;
        about += "`.";
    }
    let mut described = Tool::new(tool.name.clone(), about, Arc::new(schema));
    described.meta = (!rules.mcp.tool_meta.is_empty()).then(|| MetaObject(rules.mcp.tool_meta.clone()));
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

/// Adds a text to what a schema says of an argument.
pub(super) fn add_to_argument(schema: &mut serde_json::Map<String, Value>, key: &str, text: &str) {
    let property = schema.get_mut("properties").and_then(|properties| properties.get_mut(key));
    let Some(Value::Object(property)) = property else { return };
    let about = property.get("description").and_then(Value::as_str).unwrap_or_default();
    property.insert("description".to_owned(), Value::String(followed(about, text)));
}

impl McpServer {
    pub(super) async fn call(&self, request: CallToolRequestParams, context: &Context) -> Result<CallToolResponse> {
        let view = self.state.view().await?;
        let unknown = || invalid(format!("no tool is called `{}`", shortened(&request.name)));
        let name = self.state.tool_named(&view, &request.name).ok_or_else(unknown)?;
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let key = RequestKey::new("tools/call", &name, &arguments);
        let elicitor = Elicitor::new(self, context, key);
        let engine = &elicitor.engine;
        let elicited = match &request.request_state {
            Some(handle) => elicitor.resume(handle, request.input_responses.as_ref()).await?,
            None => match self.begin(&view, &name, arguments).await? {
                ToolCallStart::Answer(answer) => return Ok(tool_result(*answer, None, &[]).into()),
                // A model is in the middle of a call, so the user is not asked about a file.
                ToolCallStart::Read(reading) => {
                    self.state.reads.wait(context, engine, &view.snapshot, &reading.request).await?;
                    let completed = engine.complete(&view.snapshot, *reading, &self.session, &mut Nobody).await;
                    let (reading, outcome) = completed.map_err(unavailable)?.map_err(failed)?;
                    return Ok(tool_result(view.toolbox.finish_reading(&name, &reading, &outcome), None, &[]).into());
                }
                // The hooks of a skill that is deactivated run.
                ToolCallStart::Fire(firing) => {
                    let completed = engine.complete(&view.snapshot, *firing, &self.session, &mut Nobody).await;
                    let (_, verdict) = completed.map_err(unavailable)?.map_err(failed)?;
                    return Ok(tool_result(Toolbox::deactivated(&verdict), None, &[]).into());
                }
                ToolCallStart::Call(call) => {
                    let operation = activate::activate(&view.snapshot, ActivateInput::Skill(call)).map_err(failed)?;
                    elicitor.begin(&view.snapshot, operation).await?
                }
            },
        };
        Ok(match elicited {
            Elicited::Later(asked) => asked.into(),
            Elicited::OnPage(text) => needs_approval(text).into(),
            Elicited::Done(done, unasked) => {
                tool_result(view.toolbox.finish(&name, &done), Some(&done), &unasked).into()
            }
        })
    }

    async fn begin(&self, view: &Arc<McpView>, name: &str, arguments: Value) -> Result<ToolCallStart> {
        let session = Arc::clone(&self.session).lock_owned().await;
        let (view, name) = (Arc::clone(view), name.to_owned());
        let begin = move || view.toolbox.begin(&session, &name, &arguments);
        self.state.engine.work().run(begin).await.map_err(unavailable)
    }
}
