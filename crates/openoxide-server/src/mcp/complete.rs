//! Completions: names of skills and paths of their files. What the model may not see is in none.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::{McpState, McpView, Result, invalid, resources::TEMPLATE};

impl McpState {
    /// Completes an argument of a prompt or a part of an address.
    pub(super) fn complete(&self, view: &McpView, request: &CompleteRequestParams) -> Result<CompleteResult> {
        let all = match &request.r#ref {
            Reference::Prompt(prompt) => {
                // What a skill's arguments may be, nobody says.
                view.skills.prompt(&prompt.name).ok_or_else(|| invalid("there is no such prompt"))?;
                Vec::new()
            }
            Reference::Resource(resource) if resource.uri == TEMPLATE => self.parts(view, request),
            _ => return Err(invalid("there is no such resource template")),
        };
        let typed = request.argument.value.as_str();
        let mut values: Vec<String> = all.into_iter().filter(|value| value.starts_with(typed)).collect();
        let total = values.len();
        values.truncate(CompletionInfo::MAX_VALUES);
        let has_more = total > values.len();
        let total = u32::try_from(total).ok();
        let info = CompletionInfo::with_pagination(values, total, has_more).map_err(invalid)?;
        Ok(CompleteResult::new(info))
    }

    fn parts(&self, view: &McpView, request: &CompleteRequestParams) -> Vec<String> {
        let name_of = |root: &str| root.trim_start_matches("skill://").to_owned();
        match request.argument.name.as_str() {
            "skill" => view.skills.addresses.roots().map(|(root, _)| name_of(root)).collect(),
            "path" => {
                let given = request.context.as_ref().and_then(|context| context.arguments.as_ref());
                let skill = given.and_then(|given| given.get("skill"));
                skill.and_then(|skill| view.skills.paths(&self.cache, skill)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}
