//! The result of a call of a tool.

use openoxide_skills::envelope::Message;
use serde_json::{Map, Value};

use crate::activation::ForkPlan;

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
