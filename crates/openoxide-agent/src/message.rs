//! What is said to a model and by it, whatever the format of its server.

use serde_json::{Map, Value};

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user, or the agent on the user's behalf: results of tools are among its messages.
    User,
    /// The model.
    Assistant,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// Makes a message of one text.
    pub fn text(role: Role, text: impl Into<String>) -> Message {
        Message { role, parts: vec![Part::Text(text.into())] }
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// The model calls a tool.
    ToolCall(ToolCall),
    /// What a tool answered.
    ToolResult(ToolResult),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// What the result refers to.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them, which should be a JSON object.
    pub arguments: String,
}

/// Arguments that are no JSON object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the arguments of `{name}` are no JSON object: {why}")]
pub struct BadArguments {
    /// The tool.
    pub name: String,
    /// What is wrong with them.
    pub why: String,
}

impl ToolCall {
    /// Reads the arguments. None at all are an empty object, as models write them for a tool without parameters.
    pub fn parsed(&self) -> Result<Map<String, Value>, BadArguments> {
        let text = self.arguments.trim();
        let bad = |why: String| BadArguments { name: self.name.clone(), why };
        match serde_json::from_str(if text.is_empty() { "{}" } else { text }) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) => Err(bad("it is another value".to_owned())),
            Err(error) => Err(bad(error.to_string())),
        }
    }
}

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call that it answers.
    pub id: String,
    /// What the model reads.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The instructions above the conversation; empty for none.
    pub system: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools that may be called.
    pub tools: Vec<Tool>,
    /// The most tokens of the reply.
    pub max_tokens: u64,
    /// Texts that end the reply.
    pub stops: Vec<String>,
}

/// How many tokens a request and its reply took, as the server counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Those that the model read, cached ones included.
    pub input_tokens: u64,
    /// Those of them that were cached.
    pub cached_tokens: u64,
    /// Those that it wrote.
    pub output_tokens: u64,
}

/// Why a reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The model had nothing more to say.
    Finished,
    /// It waits for the results of its tool calls.
    ToolCalls,
    /// It reached the most tokens.
    MaxTokens,
    /// One of the texts that end the reply came.
    Stop,
    /// The server withheld the rest.
    Withheld,
    /// Anything else, in the server's word.
    Other(String),
}

/// A piece of a reply, as it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyEvent {
    /// More text.
    Text(String),
    /// A tool call begins; its arguments are still to come.
    ToolCallBegun {
        /// The id of the call.
        id: String,
        /// The tool.
        name: String,
    },
    /// A tool call is whole.
    ToolCallFinished(ToolCall),
    /// What the reply took.
    Usage(Usage),
    /// The reply is whole.
    Stopped(StopReason),
}

/// A whole reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What the model says.
    pub message: Message,
    /// What it took, if the server said so.
    pub usage: Option<Usage>,
    /// Why it ended.
    pub stop: StopReason,
}

impl Reply {
    /// Makes the reply that whole events add up to.
    pub(crate) fn collect(events: impl IntoIterator<Item = ReplyEvent>) -> Reply {
        let message = Message { role: Role::Assistant, parts: Vec::new() };
        let mut reply = Reply { message, usage: None, stop: StopReason::Finished };
        events.into_iter().for_each(|event| reply.add(event));
        reply
    }

    pub(crate) fn add(&mut self, event: ReplyEvent) {
        let parts = &mut self.message.parts;
        match event {
            ReplyEvent::Text(more) => match parts.last_mut() {
                Some(Part::Text(text)) => text.push_str(&more),
                _ => parts.push(Part::Text(more)),
            },
            ReplyEvent::ToolCallBegun { .. } => {}
            ReplyEvent::ToolCallFinished(call) => parts.push(Part::ToolCall(call)),
            ReplyEvent::Usage(usage) => self.usage = Some(usage),
            ReplyEvent::Stopped(stop) => self.stop = stop,
        }
    }

    /// Returns the text, without the tool calls.
    pub fn text(&self) -> String {
        let text = |part: &Part| if let Part::Text(text) = part { Some(text.clone()) } else { None };
        self.message.parts.iter().filter_map(text).collect()
    }

    /// Returns the tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.message.parts.iter().filter_map(|part| if let Part::ToolCall(call) = part { Some(call) } else { None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_an_object_or_say_what_is_wrong() {
        let parsed = |arguments: &str| {
            let call = ToolCall { id: "1".to_owned(), name: "read".to_owned(), arguments: arguments.to_owned() };
            call.parsed().map(|object| Value::Object(object).to_string()).map_err(|error| error.to_string())
        };
        assert_eq!(parsed(" {\"a\": 1}\n"), Ok("{\"a\":1}".to_owned()));
        assert_eq!(parsed(""), Ok("{}".to_owned()));
        assert!(parsed("[1]").unwrap_err().contains("`read` are no JSON object: it is another value"));
        assert!(parsed("{\"a\": ").unwrap_err().contains("EOF"));
        assert!(parsed(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn a_reply_is_the_sum_of_its_events() {
        let call = ToolCall { id: "1".to_owned(), name: "read".to_owned(), arguments: String::new() };
        let usage = Usage { input_tokens: 1, ..Usage::default() };
        let reply = Reply::collect([
            ReplyEvent::Text("a".to_owned()),
            ReplyEvent::Text("b".to_owned()),
            ReplyEvent::ToolCallBegun { id: "1".to_owned(), name: "read".to_owned() },
            ReplyEvent::ToolCallFinished(call.clone()),
            ReplyEvent::Text("c".to_owned()),
            ReplyEvent::Usage(usage),
            ReplyEvent::Stopped(StopReason::ToolCalls),
        ]);
        let text = |text: &str| Part::Text(text.to_owned());
        assert_eq!(reply.message.parts, [text("ab"), Part::ToolCall(call.clone()), text("c")]);
        assert_eq!(
            (reply.text().as_str(), reply.usage, reply.stop.clone()),
            ("abc", Some(usage), StopReason::ToolCalls)
        );
        assert_eq!(reply.tool_calls().collect::<Vec<_>>(), [&call]);
    }
}
