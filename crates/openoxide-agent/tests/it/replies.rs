//! Replies as they should be, and the requests for them.

use openoxide_agent::{Part, ReplyEvent, StopReason, USUAL_PORTS, Usage, local_servers};
use openoxide_config::ModelApi;
use openoxide_testkit::model::{Answer, ModelServer, anthropic, openai};

use crate::{APIS, ask, quick, scripted, spec, with_key};

fn whole(api: ModelApi, text: &str) -> Answer {
    Answer::Stream(match api {
        ModelApi::OpenAi => openai::reply(text),
        ModelApi::Anthropic => anthropic::reply(text),
    })
}

#[tokio::test]
async fn a_text_arrives_with_its_usage() {
    for api in APIS {
        let (_server, asked) = scripted(api, vec![whole(api, "ready")]).await;
        assert_eq!(asked.shown(), "ready");
        let usage = Usage { input_tokens: 9, cached_tokens: 0, output_tokens: 2 };
        assert_eq!(asked.events[1..], [ReplyEvent::Usage(usage), ReplyEvent::Stopped(StopReason::Finished)]);
        let reply = asked.result.unwrap();
        assert_eq!((reply.text().as_str(), reply.usage, reply.stop), ("ready", Some(usage), StopReason::Finished));
    }
}

#[tokio::test]
async fn parallel_calls_arrive_whole_and_bad_arguments_stay_text() {
    let calls = [("a", "read", "{\"path\": \"x\"}"), ("b", "list", "{\"path\": ")];
    let streams = [
        openai::texts(&["I look"]) + &openai::calls(&calls) + &openai::end("tool_calls"),
        anthropic::texts(&["I look"]) + &anthropic::calls(&calls) + &anthropic::end("tool_use"),
    ];
    for (api, stream) in APIS.into_iter().zip(streams) {
        let (_server, asked) = scripted(api, vec![Answer::Stream(stream)]).await;
        let begun: Vec<&str> = asked
            .events
            .iter()
            .filter_map(|event| if let ReplyEvent::ToolCallBegun { id, .. } = event { Some(&**id) } else { None })
            .collect();
        assert_eq!(begun, ["a", "b"]);
        let reply = asked.result.unwrap();
        assert_eq!(reply.stop, StopReason::ToolCalls);
        assert_eq!(reply.message.parts[0], Part::Text("I look".to_owned()));
        let [read, list] = reply.tool_calls().collect::<Vec<_>>()[..] else { panic!("{reply:?}") };
        assert_eq!((read.name.as_str(), read.parsed().unwrap()["path"].as_str()), ("read", Some("x")));
        assert_eq!((list.name.as_str(), list.arguments.as_str()), ("list", "{\"path\": "));
        assert!(list.parsed().unwrap_err().to_string().contains("`list` are no JSON object"));
    }
}

#[tokio::test]
async fn each_format_has_its_own_path_and_headers() {
    let heads = ["POST /v1/chat/completions ", "POST /v1/messages "];
    let keys = ["authorization: Bearer hunter2\r\n", "x-api-key: hunter2\r\n"];
    for ((api, head), header) in APIS.into_iter().zip(heads).zip(keys) {
        let server = ModelServer::new(&[], vec![whole(api, "ready")]);
        let keyed = with_key("hunter2", spec(&server.url, api));
        ask(keyed, quick()).await.result.unwrap();
        let (seen, body) = server.seen().remove(0);
        assert!(seen.starts_with(head) && seen.contains(header), "{seen}");
        assert_eq!(seen.contains("anthropic-version: 2023-06-01\r\n"), api == ModelApi::Anthropic, "{seen}");
        assert_eq!(
            (&body["model"], &body["stream"], &body["max_tokens"]),
            (&"small-1".into(), &true.into(), &16.into())
        );
    }
}

#[tokio::test]
async fn servers_on_this_machine_are_found_where_they_answer() {
    let here = ModelServer::new(&["small-1", "odd\u{1b}[2J"], vec![]);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let found = local_servers(&[("Nobody", nobody), ("Here", here.port())]).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].program, &found[0].url), ("Here", &here.url));
    assert_eq!(found[0].models, ["small-1"], "a name that commands a terminal is none");
    let (head, _) = here.seen().remove(0);
    assert!(head.starts_with("GET /v1/models ") && !head.to_lowercase().contains("authorization"), "{head}");
    assert_eq!(USUAL_PORTS.len(), 4);
}
