//! Servers that are wrong, slow or endless: each failure says what to do.

use std::time::{Duration, Instant};

use openoxide_agent::Limits;
use openoxide_config::ModelApi;
use openoxide_testkit::model::{Answer, ModelServer, anthropic, openai};
use serde_json::json;

use crate::{APIS, ask, posts, quick, scripted, spec};

#[tokio::test]
async fn a_model_that_the_server_does_not_have_is_told_with_those_that_it_has() {
    for (status, models, help) in [
        (404, &["smal-1", "big-1"][..], "did you mean `smal-1`? set `models.mine.model`"),
        (400, &["big-1", "bigger-1"], "set `models.mine.model` to one that the server offers: `big-1`, `bigger-1`"),
    ] {
        let body = json!({"error": {"message": "model 'small-1' not found", "type": "not_found_error"}});
        let server = ModelServer::new(models, vec![Answer::json(status, &body)]);
        let error = ask(spec(&server.url, ModelApi::Anthropic), quick()).await.error();
        assert_eq!(error.to_string(), "the model `mine` is not there: the server has no `small-1`");
        assert_eq!((error.word, error.help.as_deref()), ("unknown-model", Some(help)));
    }
    let (_server, asked) = scripted(ModelApi::OpenAi, vec![Answer::json(404, &json!({"detail": "Not Found"}))]).await;
    let error = asked.error();
    assert!(error.message.contains("is not found at http://127.0.0.1:"), "{error}");
    assert!(error.message.ends_with(" (404): Not Found"), "{error}");
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let other = ModelServer::new(&[], vec![Answer::Stream(openai::reply("stolen"))]);
    for status in [301, 302, 307, 308] {
        let to = format!("Location: {}/elsewhere?secret=1\r\n", other.url);
        let (server, asked) = scripted(ModelApi::OpenAi, vec![Answer::Status(status, to, String::new())]).await;
        assert_eq!(posts(&server), 1);
        let error = asked.error();
        assert_eq!(error.word, "redirected");
        assert!(error.message.ends_with("/elsewhere") && !error.message.contains("secret"), "{error}");
    }
    assert_eq!(other.seen(), []);
}

#[tokio::test]
async fn a_reply_without_end_is_bounded() {
    let limits = Limits { event: 20_000, reply: 100_000, ..quick() };
    let text = "x".repeat(5_000);
    let arguments = openai::calls(&[("a", "read", &text)]);
    for (api, events, part) in [
        (ModelApi::OpenAi, openai::texts(&[&text]), "more than 100000 bytes"),
        (ModelApi::Anthropic, anthropic::texts(&[&text]), "more than 100000 bytes"),
        (ModelApi::OpenAi, arguments, "more than 100000 bytes"),
        (ModelApi::OpenAi, format!("data: {text}"), "one event is longer than 20000 bytes"),
        (ModelApi::OpenAi, format!("data: {text}\n"), "one event is longer than 20000 bytes"),
        (ModelApi::OpenAi, format!("data: {text}\r\n"), "one event is longer than 20000 bytes"),
        (ModelApi::OpenAi, format!(": {text}\n"), "one event is longer than 20000 bytes"),
    ] {
        let server = ModelServer::new(&[], vec![Answer::Endless(events)]);
        let error = ask(spec(&server.url, api), limits).await.error();
        assert_eq!(error.word, "too-long");
        assert!(error.message.contains(part), "{error}");
    }
}

#[tokio::test]
async fn calls_without_end_are_bounded() {
    let one = r#"data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"x"}}]}}]}"#;
    let (_server, asked) = scripted(ModelApi::OpenAi, vec![Answer::Endless(format!("{one}\n\n"))]).await;
    assert!(asked.error().message.contains("more than 1000 tools"));
}

#[tokio::test]
async fn pings_without_end_are_bounded_by_time() {
    let ping = "event: ping\ndata: {\"type\": \"ping\"}\n\n";
    let server = ModelServer::new(&[], vec![Answer::Endless(ping.to_owned())]);
    let limits = Limits { total: Duration::from_secs(1), ..quick() };
    let error = ask(spec(&server.url, ModelApi::Anthropic), limits).await.error();
    assert_eq!(error.to_string(), "the model `mine` did not finish within 1 s");
}

#[tokio::test]
async fn a_silent_server_is_not_waited_for_long() {
    let late = Answer::Late(Duration::from_secs(20), Box::new(Answer::Stream(openai::reply("ready"))));
    let server = ModelServer::new(&[], vec![late]);
    let begun = Instant::now();
    let limits = Limits { silence: Duration::from_secs(1), ..quick() };
    let error = ask(spec(&server.url, ModelApi::OpenAi), limits).await.error();
    assert_eq!(error.to_string(), "the model `mine` said nothing for 1 s");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_slow_first_byte_is_waited_for() {
    let late = Answer::Late(Duration::from_millis(700), Box::new(Answer::Stream(openai::reply("ready"))));
    let (_server, asked) = scripted(ModelApi::OpenAi, vec![late]).await;
    assert_eq!(asked.shown(), "ready");
}

#[tokio::test]
async fn an_answer_of_another_format_is_told() {
    let html = Answer::Status(200, "Content-Type: text/html\r\n".to_owned(), "<p>Hello".to_owned());
    let stream = |text: &str| Answer::Stream(text.to_owned());
    for bad in [html, stream("data: {nonsense\n\n"), stream("<html>\n\n"), stream("data: \u{0}\n\n")] {
        for api in APIS {
            let (_server, asked) = scripted(api, vec![bad.clone()]).await;
            let error = asked.error();
            assert_eq!(error.word, "bad-reply", "{error}");
            assert_eq!(error.help.as_deref(), Some("check `models.mine.api` and `models.mine.url`"));
        }
    }
}

#[tokio::test]
async fn a_refusal_is_in_the_words_of_the_server_made_safe() {
    let body = json!({"error": {"message": "too\n\u{1b}[2J long", "type": "invalid_request_error"}});
    let (_server, asked) = scripted(ModelApi::OpenAi, vec![Answer::json(422, &body)]).await;
    let message = asked.error().message;
    assert_eq!(message, "the model `mine` refuses the request (422): too \\u{1b}[2J long");
}
