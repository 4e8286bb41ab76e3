//! Messages, as Anthropic has them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::event::{Decoder, StreamError, check_calls, parse_event, text_at};
use crate::message::{Message, Part, ReplyEvent, Request, Role, StopReason, ToolCall, Usage};

pub(super) fn encode(model: &str, request: &Request) -> Value {
    let messages: Vec<Value> = request.messages.iter().filter_map(encode_message).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("max_tokens".to_owned(), json!(request.max_tokens));
    if !request.system.is_empty() {
        body.insert("system".to_owned(), json!(request.system));
    }
    body.insert("messages".to_owned(), json!(messages));
    body.insert("stream".to_owned(), json!(true));
    if !request.tools.is_empty() {
        let tools = request.tools.iter();
        let tools =
            tools.map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema}));
        body.insert("tools".to_owned(), tools.collect());
    }
    if !request.stops.is_empty() {
        body.insert("stop_sequences".to_owned(), json!(request.stops));
    }
    Value::Object(body)
}

/// Returns a message with the results of tools first, as the server requires. One that says nothing is refused there.
fn encode_message(message: &Message) -> Option<Value> {
    let (results, others): (Vec<&Part>, Vec<&Part>) =
        message.parts.iter().partition(|part| matches!(part, Part::ToolResult(_)));
    let blocks: Vec<Value> = results.into_iter().chain(others).filter_map(encode_part).collect();
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    (!blocks.is_empty()).then(|| json!({"role": role, "content": blocks}))
}

fn encode_part(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text(text) if text.is_empty() => return None,
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::ToolCall(call) => json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input_of(call)}),
        Part::ToolResult(result) => json!({
            "type": "tool_result", "tool_use_id": result.id, "content": result.text, "is_error": result.is_error,
        }),
    })
}

/// Returns the arguments of a call as the object that the format requires. Bad ones stay visible to the model.
fn input_of(call: &ToolCall) -> Value {
    call.parsed().map_or_else(|_| json!({"malformed": call.arguments}), Value::Object)
}

/// Reads the events of one message.
#[derive(Default)]
pub(super) struct MessageDecoder {
    /// Tool calls whose pieces still arrive, by the index of their block.
    calls: BTreeMap<u64, OpenCall>,
    begun: usize,
    gathered: usize,
    usage: UsageSoFar,
    stop: Option<StopReason>,
    done: bool,
}

/// A tool call whose pieces still arrive.
struct OpenCall {
    call: ToolCall,
    /// The arguments that stood at its beginning, where some servers put all of them.
    whole: String,
}

impl OpenCall {
    fn finished(self) -> ReplyEvent {
        let OpenCall { mut call, whole } = self;
        if call.arguments.is_empty() {
            call.arguments = whole;
        }
        ReplyEvent::ToolCallFinished(call)
    }
}

impl Decoder for MessageDecoder {
    fn read(&mut self, data: &str, events: &mut Vec<ReplyEvent>) -> Result<(), StreamError> {
        let event = parse_event(data)?;
        let part = |key: &str| event.get(key).unwrap_or(&Value::Null);
        let index = part("index").as_u64().unwrap_or(0);
        match text_at(&event, "type").unwrap_or_default() {
            "message_start" => self.usage.add(part("message")),
            "content_block_start" => self.begin_block(index, part("content_block"), events)?,
            "content_block_delta" => self.add_delta(index, part("delta"), events),
            "content_block_stop" => events.extend(self.calls.remove(&index).map(OpenCall::finished)),
            "message_delta" => {
                self.usage.add(&event);
                self.stop = text_at(part("delta"), "stop_reason").map(read_stop).or(self.stop.take());
            }
            "message_stop" => self.done = true,
            _ => {}
        }
        Ok(())
    }

    fn gathered(&self) -> usize {
        self.gathered
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn end(&mut self, events: &mut Vec<ReplyEvent>) -> Result<bool, StreamError> {
        if !self.done && self.stop.is_none() {
            return Ok(false);
        }
        events.extend(std::mem::take(&mut self.calls).into_values().map(OpenCall::finished));
        events.extend(self.usage.get().map(ReplyEvent::Usage));
        events.push(ReplyEvent::Stopped(self.stop.take().unwrap_or(StopReason::Finished)));
        Ok(true)
    }
}

impl MessageDecoder {
    fn begin_block(&mut self, index: u64, block: &Value, events: &mut Vec<ReplyEvent>) -> Result<(), StreamError> {
        match text_at(block, "type") {
            Some("text") => events.extend(text_at(block, "text").map(|text| ReplyEvent::Text(text.to_owned()))),
            Some("tool_use") => {
                check_calls(self.begun)?;
                self.begun += 1;
                let text = |key: &str| text_at(block, key).unwrap_or_default().to_owned();
                let whole = block.get("input").filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
                let whole = whole.map(Value::to_string).unwrap_or_default();
                let call = ToolCall { id: text("id"), name: text("name"), arguments: String::new() };
                events.push(ReplyEvent::ToolCallBegun { id: call.id.clone(), name: call.name.clone() });
                self.gathered += whole.len();
                self.calls.insert(index, OpenCall { call, whole });
            }
            _ => {}
        }
        Ok(())
    }

    fn add_delta(&mut self, index: u64, delta: &Value, events: &mut Vec<ReplyEvent>) {
        match text_at(delta, "type") {
            Some("text_delta") => events.extend(text_at(delta, "text").map(|text| ReplyEvent::Text(text.to_owned()))),
            Some("input_json_delta") => {
                let more = text_at(delta, "partial_json").unwrap_or_default();
                if let Some(open) = self.calls.get_mut(&index) {
                    open.call.arguments.push_str(more);
                    self.gathered += more.len();
                }
            }
            _ => {}
        }
    }
}

/// The numbers of a message. They come in two events, and the later one wins.
#[derive(Default)]
struct UsageSoFar {
    input: Option<u64>,
    cache_read: u64,
    cache_written: u64,
    output: u64,
}

impl UsageSoFar {
    fn add(&mut self, holder: &Value) {
        let number = |key: &str| holder.get("usage").and_then(|usage| usage.get(key)).and_then(Value::as_u64);
        self.input = number("input_tokens").or(self.input);
        self.cache_read = number("cache_read_input_tokens").unwrap_or(self.cache_read);
        self.cache_written = number("cache_creation_input_tokens").unwrap_or(self.cache_written);
        self.output = number("output_tokens").unwrap_or(self.output);
    }

    fn get(&self) -> Option<Usage> {
        let input_tokens = self.input?.saturating_add(self.cache_read).saturating_add(self.cache_written);
        Some(Usage { input_tokens, cached_tokens: self.cache_read, output_tokens: self.output })
    }
}

fn read_stop(word: &str) -> StopReason {
    match word {
        "end_turn" => StopReason::Finished,
        "max_tokens" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::Stop,
        "tool_use" => StopReason::ToolCalls,
        "refusal" => StopReason::Withheld,
        other => StopReason::Other(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::ServerError;
    use super::super::testing::{begun, finished, read, text};
    use super::*;
    use crate::message::{Tool, ToolResult};

    #[test]
    fn a_conversation_is_written() {
        let call = |id: &str, arguments: &str| {
            Part::ToolCall(ToolCall { id: id.to_owned(), name: "read".to_owned(), arguments: arguments.to_owned() })
        };
        let result = ToolResult { id: "a".to_owned(), text: "no file".to_owned(), is_error: true };
        let request = Request {
            system: "Be brief.".to_owned(),
            messages: vec![
                Message::text(Role::User, "Hi"),
                Message::text(Role::Assistant, ""),
                Message { role: Role::Assistant, parts: vec![call("a", "{\"p\": 1}"), call("b", "{bad")] },
                Message { role: Role::User, parts: vec![Part::Text("go on".to_owned()), Part::ToolResult(result)] },
            ],
            tools: vec![Tool {
                name: "read".to_owned(),
                description: "Reads".to_owned(),
                schema: json!({"type": "object"}),
            }],
            max_tokens: 16,
            stops: vec!["END".to_owned()],
        };
        let expected = json!({
            "model": "big-1",
            "max_tokens": 16,
            "system": "Be brief.",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "a", "name": "read", "input": {"p": 1}},
                    {"type": "tool_use", "id": "b", "name": "read", "input": {"malformed": "{bad"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "no file", "is_error": true},
                    {"type": "text", "text": "go on"},
                ]},
            ],
            "stream": true,
            "tools": [{"name": "read", "description": "Reads", "input_schema": {"type": "object"}}],
            "stop_sequences": ["END"],
        });
        assert_eq!(encode("big-1", &request), expected);
    }

    #[test]
    fn text_calls_and_usage_arrive() {
        let transcript = r#"
            {"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":9,"cache_read_input_tokens":4,"output_tokens":1}}}
            {"type":"ping"}
            {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}
            {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}
            {"type":"content_block_stop","index":0}
            {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}
            {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I look"}}
            {"type":"content_block_stop","index":1}
            {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"a","name":"read","input":{}}}
            {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}
            {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"b","name":"list","input":{}}}
            {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"p\":"}}
            {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"1}"}}
            {"type":"content_block_stop","index":2}
            {"type":"content_block_stop","index":3}
            {"type":"a_new_event","index":3}
            {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":7}}
            {"type":"message_stop"}
        "#;
        let usage = Usage { input_tokens: 13, cached_tokens: 4, output_tokens: 7 };
        let expected = vec![
            text("I look"),
            begun("a", "read"),
            begun("b", "list"),
            finished("a", "read", "{\"p\":1}"),
            finished("b", "list", ""),
            ReplyEvent::Usage(usage),
            ReplyEvent::Stopped(StopReason::ToolCalls),
        ];
        assert_eq!(read(&mut MessageDecoder::default(), transcript), Ok((expected, true)));
    }

    #[test]
    fn arguments_at_the_beginning_are_taken_once() {
        let start = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"read","input":{"p":1}}}"#;
        let delta = r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"p\":1}"}}"#;
        for pieces in [start.to_owned(), format!("{start}\n{delta}")] {
            let transcript = format!("{pieces}\n{{\"type\":\"message_stop\"}}");
            let (events, _) = read(&mut MessageDecoder::default(), &transcript).unwrap();
            assert_eq!(events[1], finished("a", "read", "{\"p\":1}"));
        }
    }

    #[test]
    fn what_ends_early_is_not_whole() {
        let cut = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"re"}}"#;
        assert_eq!(read(&mut MessageDecoder::default(), cut), Ok((vec![text("re")], false)));
        assert!(matches!(read(&mut MessageDecoder::default(), "{"), Err(StreamError::Malformed(_))));
        for odd in [
            "[]",
            "1",
            "{}",
            "{\"type\":7}",
            "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\"}}",
        ] {
            assert_eq!(read(&mut MessageDecoder::default(), odd), Ok((Vec::new(), false)), "{odd}");
        }
    }

    #[test]
    fn an_error_in_the_stream_is_one() {
        let said = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
        let expected = ServerError { kind: "overloaded_error".to_owned(), message: "Overloaded".to_owned() };
        assert_eq!(read(&mut MessageDecoder::default(), said), Err(StreamError::Server(expected)));
    }
}
