//! A scripted model that uses the tools named in its script.

use serde_json::{Value, json};

use crate::fidelity::http::{Reply, Request};

/// Answers in the words of the Messages API: uses a tool, or is done.
pub(super) fn answer(request: &Request, tool: Option<(&str, Value)>) -> Reply {
    if request.path.contains("count_tokens") {
        return Reply::Json(json!({ "input_tokens": 1000 }));
    }
    let (block, stop) = match tool {
        Some((name, input)) => (using(request, name, &input), "tool_use"),
        None => (json!({ "type": "text", "text": "{}" }), "end_turn"),
    };
    let turn = request.body["messages"].as_array().map_or(0, Vec::len);
    let message = json!({
        // Answers with one id are taken for parts of one answer.
        "id": format!("msg_{turn}"), "type": "message", "role": "assistant", "model": request.body["model"], "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 10, "output_tokens": 5 },
    });
    if request.body["stream"] == true {
        Reply::Events(events(&message, block, stop))
    } else {
        Reply::Json(whole(message, block, stop))
    }
}

fn using(request: &Request, name: &str, input: &Value) -> Value {
    let id = format!("toolu_{}", request.body["messages"].as_array().map_or(0, Vec::len));
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn whole(mut message: Value, block: Value, stop: &str) -> Value {
    message["content"] = Value::Array(vec![block]);
    message["stop_reason"] = Value::from(stop);
    message
}

fn events(message: &Value, mut block: Value, stop: &str) -> Vec<(String, Value)> {
    let delta = match block.get_mut("input") {
        Some(input) => {
            json!({ "type": "input_json_delta", "partial_json": std::mem::replace(input, json!({})).to_string() })
        }
        None => json!({ "type": "text_delta", "text": std::mem::take(&mut block["text"]) }),
    };
    if block["type"] == "text" {
        block["text"] = Value::from("");
    }
    let events = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": { "output_tokens": 5 } }),
        json!({ "type": "message_stop" }),
    ];
    let named = |event: Value| (event["type"].as_str().unwrap_or_default().to_owned(), event);
    events.into_iter().map(named).collect()
}
