//! Completions: names of skills and paths of their files. What the model may not see is in none.

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

use super::error::invalid;
use super::prompts::prompt_entry;
use super::resources::TEMPLATE;
use super::seen::{Seen, Shared};

impl Shared {
    /// Completes an argument of a prompt or a part of an address.
    pub(super) fn complete(&self, seen: &Seen, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        let all = match &request.r#ref {
            Reference::Prompt(prompt) => {
                // What a skill's arguments may be, nobody says.
                prompt_entry(seen, &prompt.name).ok_or_else(|| invalid("there is no such prompt"))?;
                Vec::new()
            }
            Reference::Resource(resource) if resource.uri == TEMPLATE => self.parts(seen, request),
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

    fn parts(&self, seen: &Seen, request: &CompleteRequestParams) -> Vec<String> {
        let name_of = |root: &str| root.trim_start_matches("skill://").to_owned();
        match request.argument.name.as_str() {
            "skill" => seen.addresses.roots().map(|(root, _)| name_of(root)).collect(),
            "path" => {
                let given = request.context.as_ref().and_then(|context| context.arguments.as_ref());
                let skill = given.and_then(|given| given.get("skill"));
                skill.and_then(|skill| self.paths(seen, skill)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn paths(&self, seen: &Seen, skill: &str) -> Option<Vec<String>> {
        let (_, at) = seen.addresses.roots().find(|(root, _)| root.strip_prefix("skill://") == Some(skill))?;
        let served = self.memory.look(seen.catalog(), seen.entry(at)?)?;
        let files = served.files.as_ref()?.files.iter();
        Some(files.map(|file| super::address::address("", &file.path).trim_start_matches('/').to_owned()).collect())
    }
}
