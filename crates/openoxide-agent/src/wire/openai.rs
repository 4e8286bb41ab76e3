//! Chat completions, as `OpenAI` and most other servers have them.

use serde_json::{Map, Value, json};

use super::event::{Decoder, StreamError, TokenLimit, check_calls, malformed, parse_event, text_at};
use crate::message::{Message, Part, ReplyEvent, Request, Role, StopReason, Tool, ToolCall, ToolResult, Usage};

pub(super) fn encode(model: &str, request: &Request, limit: TokenLimit) -> Value {
    let system = (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
    let messages: Vec<Value> = system.into_iter().chain(request.messages.iter().flat_map(encode_message)).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("messages".to_owned(), json!(messages));
    body.insert("stream".to_owned(), json!(true));
    body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    let most = match limit {
        TokenLimit::Tokens => "max_tokens",
        TokenLimit::CompletionTokens => "max_completion_tokens",
    };
    body.insert(most.to_owned(), json!(request.max_tokens));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(encode_tool).collect());
    }
    if !request.stops.is_empty() {
        body.insert("stop".to_owned(), json!(request.stops));
    }
    Value::Object(body)
}

fn encode_tool(tool: &Tool) -> Value {
    let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.schema});
    json!({"type": "function", "function": function})
}

/// Returns the messages that one is here: each result of a tool has its own, and they come before what else is said.
fn encode_message(message: &Message) -> Vec<Value> {
    let mut messages = Vec::new();
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in &message.parts {
        match part {
            Part::Text(more) => text.push_str(more),
            Part::ToolCall(call) => calls.push(encode_call(call)),
            Part::ToolResult(result) => messages.push(encode_result(result)),
        }
    }
    match message.role {
        Role::User if text.is_empty() => {}
        Role::User => messages.push(json!({"role": "user", "content": text})),
        // Some servers fail on a content that is null.
        Role::Assistant if calls.is_empty() => messages.push(json!({"role": "assistant", "content": text})),
        Role::Assistant => messages.push(json!({"role": "assistant", "content": text, "tool_calls": calls})),
    }
    messages
}

fn encode_call(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    json!({"id": call.id, "type": "function", "function": function})
}

/// The format has no field for a failure, so the text says it.
fn encode_result(result: &ToolResult) -> Value {
    let text = if result.is_error { format!("error: {}", result.text) } else { result.text.clone() };
    json!({"role": "tool", "tool_call_id": result.id, "content": text})
}

/// Reads the chunks of one completion.
#[derive(Default)]
pub(super) struct ChatDecoder {
    calls: Vec<OpenCall>,
    gathered: usize,
    usage: Option<Usage>,
    stop: Option<StopReason>,
    done: bool,
}

/// A tool call whose pieces still arrive.
struct OpenCall {
    index: Option<u64>,
    /// Whether the id is the server's, and not made here.
    has_id: bool,
    is_reported: bool,
    call: ToolCall,
}

impl Decoder for ChatDecoder {
    fn read(&mut self, data: &str, events: &mut Vec<ReplyEvent>) -> Result<(), StreamError> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk = parse_event(data)?;
        self.usage = chunk.get("usage").and_then(read_usage).or(self.usage);
        let choices = chunk.get("choices").and_then(Value::as_array).into_iter().flatten();
        // One completion was asked for.
        for choice in choices.filter(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0) {
            if let Some(delta) = choice.get("delta") {
                events.extend(text_at(delta, "content").map(|text| ReplyEvent::Text(text.to_owned())));
                let pieces = delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
                for piece in pieces {
                    self.read_call(piece, events)?;
                }
            }
            self.stop = text_at(choice, "finish_reason").map(read_stop).or(self.stop.take());
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
        let calls = std::mem::take(&mut self.calls);
        let has_calls = !calls.is_empty();
        for open in calls {
            if open.call.name.is_empty() {
                return Err(malformed("a tool call names no tool"));
            }
            events.push(ReplyEvent::ToolCallFinished(open.call));
        }
        events.extend(self.usage.map(ReplyEvent::Usage));
        let stop = match self.stop.take().unwrap_or(StopReason::Finished) {
            // Servers say either of calls.
            StopReason::Finished | StopReason::Other(_) if has_calls => StopReason::ToolCalls,
            stop => stop,
        };
        events.push(ReplyEvent::Stopped(stop));
        Ok(true)
    }
}

impl ChatDecoder {
    /// Adds a piece of a tool call. Some servers repeat id and name in each.
    fn read_call(&mut self, piece: &Value, events: &mut Vec<ReplyEvent>) -> Result<(), StreamError> {
        let function = piece.get("function").unwrap_or(&Value::Null);
        let (index, id) = (piece.get("index").and_then(Value::as_u64), text_at(piece, "id"));
        let name = text_at(function, "name");
        let place = match self.place(index, id, name) {
            Some(place) => place,
            None => self.begin_call(index, id)?,
        };
        let open = &mut self.calls[place];
        let length_before = open.call.arguments.len();
        if open.call.name.is_empty() {
            name.unwrap_or_default().clone_into(&mut open.call.name);
        }
        match function.get("arguments") {
            Some(Value::String(more)) => open.call.arguments.push_str(more),
            // Some servers write the object itself.
            Some(object @ Value::Object(_)) => open.call.arguments.push_str(&object.to_string()),
            _ => {}
        }
        self.gathered += open.call.arguments.len() - length_before;
        if !open.is_reported && !open.call.name.is_empty() {
            open.is_reported = true;
            events.push(ReplyEvent::ToolCallBegun { id: open.call.id.clone(), name: open.call.name.clone() });
        }
        Ok(())
    }

    fn begin_call(&mut self, index: Option<u64>, id: Option<&str>) -> Result<usize, StreamError> {
        let place = self.calls.len();
        check_calls(place)?;
        let call_id = id.map_or_else(|| format!("call_{place}"), str::to_owned);
        let call = ToolCall { id: call_id, name: String::new(), arguments: String::new() };
        self.calls.push(OpenCall { index, has_id: id.is_some(), is_reported: false, call });
        Ok(place)
    }

    /// Returns which call a piece belongs to; `None` if it begins one.
    fn place(&self, index: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let is_whole = index.is_none() && id.is_none() && name.is_some();
        let place = self.calls.iter().rposition(|open| index.is_none() || open.index == index)?;
        let open = &self.calls[place];
        // Some servers give every call the index 0, and tell them apart by their ids.
        let is_other = open.has_id && id.is_some_and(|id| id != open.call.id);
        (!is_whole && !is_other).then_some(place)
    }
}

fn read_usage(usage: &Value) -> Option<Usage> {
    let number = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
    Some(Usage {
        input_tokens: number("/prompt_tokens")?,
        cached_tokens: number("/prompt_tokens_details/cached_tokens").unwrap_or(0),
        output_tokens: number("/completion_tokens").unwrap_or(0),
    })
}

fn read_stop(word: &str) -> StopReason {
    match word {
        "stop" => StopReason::Finished,
        "length" => StopReason::MaxTokens,
        "tool_calls" => StopReason::ToolCalls,
        "content_filter" => StopReason::Withheld,
        other => StopReason::Other(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::ServerError;
    use super::super::testing::{begun, finished, read, text};
    use super::*;

    fn events(transcript: &str) -> Vec<ReplyEvent> {
        let (events, is_whole) = read(&mut ChatDecoder::default(), transcript).unwrap();
        assert!(is_whole, "{events:?}");
        events
    }

    #[test]
    fn a_conversation_is_written() {
        let call = |id: &str, arguments: &str| {
            Part::ToolCall(ToolCall { id: id.to_owned(), name: "read".to_owned(), arguments: arguments.to_owned() })
        };
        let result = |id: &str, is_error| {
            Part::ToolResult(ToolResult { id: id.to_owned(), text: "no file".to_owned(), is_error })
        };
        let request = Request {
            system: "Be brief.".to_owned(),
            messages: vec![
                Message::text(Role::User, "Hi"),
                Message { role: Role::Assistant, parts: vec![call("a", "{\"p\": 1}"), call("b", "{bad")] },
                Message {
                    role: Role::User,
                    parts: vec![Part::Text("go on".to_owned()), result("a", false), result("b", true)],
                },
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
            "model": "small",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{\"p\": 1}"}},
                    {"id": "b", "type": "function", "function": {"name": "read", "arguments": "{bad"}},
                ]},
                {"role": "tool", "tool_call_id": "a", "content": "no file"},
                {"role": "tool", "tool_call_id": "b", "content": "error: no file"},
                {"role": "user", "content": "go on"},
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
            "max_tokens": 16,
            "tools": [{"type": "function", "function": {
                "name": "read", "description": "Reads", "parameters": {"type": "object"},
            }}],
            "stop": ["END"],
        });
        assert_eq!(encode("small", &request, TokenLimit::Tokens), expected);
        let plain = Request { max_tokens: 1, ..Request::default() };
        let body = encode("small", &plain, TokenLimit::CompletionTokens);
        assert_eq!(body["max_completion_tokens"], 1);
        for absent in ["max_tokens", "tools", "stop"] {
            assert_eq!(body.get(absent), None, "{absent}");
        }
    }

    #[test]
    fn text_and_usage_arrive() {
        let transcript = r#"
            {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}
            {"choices":[{"index":0,"delta":{"content":"rea"},"finish_reason":null}],"x_unknown":[1]}
            {"choices":[{"index":0,"delta":{"content":"dy"},"finish_reason":null},{"index":1,"delta":{"content":"other"}}]}
            {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
            {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}
            [DONE]
        "#;
        let usage = Usage { input_tokens: 9, cached_tokens: 4, output_tokens: 2 };
        let expected = [text("rea"), text("dy"), ReplyEvent::Usage(usage), ReplyEvent::Stopped(StopReason::Finished)];
        assert_eq!(events(transcript), expected);
    }

    #[test]
    fn parallel_calls_are_told_apart_by_index() {
        let transcript = r#"
            {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}]}}]}
            {"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"list","arguments":"{"}}]}}]}
            {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\""}}]}}]}
            {"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":":1}"}}]}}]}
            {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}
        "#;
        let expected = [
            begun("a", "read"),
            begun("b", "list"),
            finished("a", "read", "{\"p\":1}"),
            finished("b", "list", "{}"),
            ReplyEvent::Stopped(StopReason::ToolCalls),
        ];
        assert_eq!(events(transcript), expected);
    }

    /// As llama-cpp-python streams a call: id and name in each piece, and the older form beside it.
    #[test]
    fn repeated_names_are_one_name_and_the_older_form_is_ignored() {
        let transcript = r#"
            {"choices":[{"delta":{"role":"assistant","content":null,"function_call":null,"tool_calls":null},"finish_reason":null}]}
            {"choices":[{"delta":{"content":null,"function_call":{"name":"read","arguments":"{\"p\""},"tool_calls":[{"index":0,"id":"call__0_read","type":"function","function":{"name":"read","arguments":"{\"p\""}}]}}]}
            {"choices":[{"delta":{"content":null,"function_call":{"name":"read","arguments":":1}"},"tool_calls":[{"index":0,"id":"call__0_read","type":"function","function":{"name":"read","arguments":":1}"}}]}}]}
            {"choices":[{"delta":{"content":null,"function_call":null,"tool_calls":null},"finish_reason":"tool_calls"}]}
            [DONE]
        "#;
        let expected = [
            begun("call__0_read", "read"),
            finished("call__0_read", "read", "{\"p\":1}"),
            ReplyEvent::Stopped(StopReason::ToolCalls),
        ];
        assert_eq!(events(transcript), expected);
    }

    #[test]
    fn servers_that_number_no_calls_are_understood() {
        let same_index = r#"
            {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}
            {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":"{}"}}]},"finish_reason":"stop"}]}
        "#;
        let nothing = r#"
            {"choices":[{"delta":{"tool_calls":[{"function":{"name":"x","arguments":{"p":1}}},{"function":{"name":"y"}}]}}]}
            [DONE]
        "#;
        let stopped = ReplyEvent::Stopped(StopReason::ToolCalls);
        let [a, b] = [finished("a", "x", "{}"), finished("b", "y", "{}")];
        assert_eq!(events(same_index), [begun("a", "x"), begun("b", "y"), a, b, stopped.clone()]);
        let [first, second] = [finished("call_0", "x", "{\"p\":1}"), finished("call_1", "y", "")];
        assert_eq!(events(nothing), [begun("call_0", "x"), begun("call_1", "y"), first, second, stopped]);
    }

    #[test]
    fn what_ends_early_is_not_whole() {
        let cut = r#"{"choices":[{"delta":{"content":"re"}}]}"#;
        assert_eq!(read(&mut ChatDecoder::default(), cut), Ok((vec![text("re")], false)));
        let unnamed = "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\"}]}}]}\n[DONE]";
        assert!(matches!(read(&mut ChatDecoder::default(), unnamed), Err(StreamError::Malformed(_))));
        for bad in ["{", "nonsense", "\"", "{\"choices\": [[[["] {
            assert!(matches!(read(&mut ChatDecoder::default(), bad), Err(StreamError::Malformed(_))), "{bad}");
        }
        for odd in ["[]", "1", "{\"choices\":{}}", "{\"choices\":[{\"delta\":7}]}"] {
            assert_eq!(read(&mut ChatDecoder::default(), odd), Ok((Vec::new(), false)), "{odd}");
        }
    }

    #[test]
    fn an_error_in_the_stream_is_one() {
        let error = read(&mut ChatDecoder::default(), r#"{"error":{"message":"full","code":503}}"#);
        let expected = ServerError { kind: "503".to_owned(), message: "full".to_owned() };
        assert_eq!(error, Err(StreamError::Server(expected)));
    }
}
