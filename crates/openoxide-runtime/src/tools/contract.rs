//! The contracts of tools: name, description and schema, and the form of an answer.

use openoxide_skills::catalog::{Catalog, View};
use openoxide_skills::host::{Caller, CatalogPlace, ToolArgumentKind, ToolDoes, ToolRule};
use openoxide_skills::render::{Model, render_served};
use openoxide_skills::{envelope::Message, text::RenderError};
use serde_json::{Map, Value, json};

use crate::{ForkPlan, names_for};

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What people call it; may be empty.
    pub title: String,
    /// What it is for, and the catalog where the host shows it here.
    pub description: String,
    /// What it is for, without the catalog.
    pub about: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// What it does.
    pub does: ToolDoes,
    pub(super) rule: ToolRule,
}

impl Tool {
    /// Returns the names that it can have, best first.
    pub fn names(&self) -> &[String] {
        &self.rule.names
    }

    /// Returns the key of the argument that takes the name of a skill.
    pub fn name_key(&self) -> Option<&str> {
        self.rule.argument(ToolArgumentKind::Name).map(|argument| argument.key.as_str())
    }
}

/// Draws the tools of a host for what the model may call now, each under its first name.
pub fn contracts(view: &View, catalog: &Catalog, model: Model) -> Result<Vec<Tool>, RenderError> {
    let rules = &view.host.catalog;
    let here = |rule: &&ToolRule| rules.shown || !rule.with_catalog;
    let mut tools = Vec::new();
    for rule in view.host.tools.iter().filter(here) {
        let has_catalog = rule.does == ToolDoes::Activate && rules.place == CatalogPlace::ToolDescription;
        let shown = if has_catalog { render_served(view, catalog, model)?.text } else { String::new() };
        tools.push(Tool {
            name: rule.names.first().cloned().unwrap_or_default(),
            title: rule.title.clone(),
            description: described(&rule.description, shown.trim_end()),
            about: rule.description.clone(),
            input_schema: schema(rule, &names_for(catalog, Caller::Model)),
            does: rule.does,
            rule: rule.clone(),
        });
    }
    Ok(tools)
}

fn described(description: &str, catalog: &str) -> String {
    match (description, catalog) {
        ("", text) | (text, "") => text.to_owned(),
        (description, catalog) => format!("{description}\n\n{catalog}"),
    }
}

fn schema(rule: &ToolRule, names: &[&str]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for argument in &rule.arguments {
        let mut property = json!({ "type": "string" });
        if let Some(about) = &argument.about {
            property["description"] = json!(about);
        }
        let lists_names = argument.is == ToolArgumentKind::Name && rule.does != ToolDoes::Search;
        if lists_names && !names.is_empty() && names.len() <= rule.names_listed {
            property["enum"] = json!(names);
        }
        properties.insert(argument.key.clone(), property);
        if argument.is != ToolArgumentKind::Arguments {
            required.push(argument.key.clone());
        }
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The answer of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// A heading for people.
    pub title: String,
    /// What the model gets.
    pub output: String,
    /// What the program gets.
    pub metadata: Map<String, Value>,
    /// Whether it is an error to the model.
    pub is_error: bool,
    /// Messages that follow the answer.
    pub follow: Vec<Message>,
    /// The conversation of its own that the skill asks for; its result is the output.
    pub fork: Option<ForkPlan>,
}

impl ToolResult {
    pub(super) fn error(text: String) -> ToolResult {
        ToolResult { output: text, is_error: true, ..ToolResult::default() }
    }
}
