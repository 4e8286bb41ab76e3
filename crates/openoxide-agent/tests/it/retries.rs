//! What is asked again, and what never is.

use std::time::{Duration, Instant};

use openoxide_config::ModelApi;
use openoxide_testkit::model::{Answer, ModelServer, anthropic, openai};
use serde_json::json;

use crate::{APIS, ask, posts, quick, scripted, spec};

fn ready() -> Answer {
    Answer::Stream(openai::reply("ready"))
}

fn busy(status: u16, headers: &str) -> Answer {
    Answer::Status(status, headers.to_owned(), json!({"error": {"message": "slow down"}}).to_string())
}

#[tokio::test]
async fn a_busy_server_is_asked_again_after_the_time_that_it_says() {
    let begun = Instant::now();
    let (server, asked) = scripted(ModelApi::OpenAi, vec![busy(429, "Retry-After: 1\r\n"), ready()]).await;
    assert_eq!((asked.shown().as_str(), posts(&server)), ("ready", 2));
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn three_times_and_no_more() {
    for status in [408, 409, 425, 429, 500, 503, 529] {
        let (server, asked) = scripted(ModelApi::OpenAi, vec![busy(status, "")]).await;
        let error = asked.error();
        assert_eq!((error.word, posts(&server)), ("busy", 4), "{status}");
        assert_eq!(error.to_string(), format!("the model `mine` cannot answer now ({status}): slow down"));
    }
}

#[tokio::test]
async fn a_wait_of_hours_is_not_waited_for() {
    let (server, asked) = scripted(ModelApi::OpenAi, vec![busy(429, "Retry-After: 7200\r\n"), ready()]).await;
    let error = asked.error();
    assert_eq!((error.word, posts(&server)), ("busy", 1));
    assert_eq!(error.help.as_deref(), Some("the server asks to wait 7200 s; try again then"));
}

#[tokio::test]
async fn what_is_wrong_stays_wrong() {
    for status in [400, 401, 403, 404, 422] {
        let (server, _) = scripted(ModelApi::OpenAi, vec![busy(status, ""), ready()]).await;
        assert_eq!(posts(&server), 1, "{status}");
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_before_anything_was_shown_is_asked_for_again() {
    let starts = [String::new(), anthropic::texts(&[])];
    let goods = [openai::reply("ready"), anthropic::reply("ready")];
    for ((api, start), good) in APIS.into_iter().zip(starts).zip(goods) {
        let bad = vec![Answer::Cut(start), Answer::Gone, Answer::Stream(good)];
        let (server, asked) = scripted(api, bad).await;
        assert_eq!((asked.shown().as_str(), posts(&server)), ("ready", 3));
        asked.result.unwrap();
    }
}

#[tokio::test]
async fn an_overloaded_server_may_say_so_in_its_stream() {
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let bad = Answer::Stream(format!("event: error\ndata: {error}\n\n"));
    let plain = Answer::json(200, &json!({"error": {"message": "full", "code": 503}}));
    for api in APIS {
        let good = Answer::Stream(match api {
            ModelApi::OpenAi => openai::reply("ready"),
            ModelApi::Anthropic => anthropic::reply("ready"),
        });
        let (server, asked) = scripted(api, vec![bad.clone(), plain.clone(), good]).await;
        assert_eq!((asked.shown().as_str(), posts(&server)), ("ready", 3));
    }
}

#[tokio::test]
async fn what_was_shown_is_never_shown_twice() {
    let error = "data: {\"error\": {\"type\": \"overloaded_error\", \"message\": \"full\"}}\n\n";
    let starts = [openai::texts(&["rea"]), anthropic::texts(&["rea"])];
    for (api, start) in APIS.into_iter().zip(starts) {
        for bad in [Answer::Cut(start.clone()), Answer::Stream(start.clone()), Answer::Stream(start.clone() + error)] {
            let (server, asked) = scripted(api, vec![bad, ready()]).await;
            assert_eq!((asked.shown().as_str(), posts(&server)), ("rea", 1));
            let error = asked.error();
            assert!(error.message.ends_with("; what was shown of it is incomplete"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_refused_connection_is_tried_again() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let begun = Instant::now();
    let limits = openoxide_agent::Limits { first_wait: Duration::from_millis(100), ..quick() };
    let error = ask(spec(&url, ModelApi::OpenAi), limits).await.error();
    assert!(begun.elapsed() >= Duration::from_millis(350), "the waits were {:?}", begun.elapsed());
    assert_eq!(error.to_string(), format!("the model `mine` cannot be reached: nothing listens at {url}"));
    assert_eq!(error.help.as_deref(), Some("start the server, or correct `models.mine.url`"));
}

#[tokio::test]
async fn a_caller_may_leave() {
    let late = Answer::Late(Duration::from_secs(30), Box::new(ready()));
    let server = ModelServer::new(&[], vec![late]);
    let begun = Instant::now();
    let asking = ask(spec(&server.url, ModelApi::OpenAi), quick());
    assert!(tokio::time::timeout(Duration::from_millis(300), asking).await.is_err());
    assert!(begun.elapsed() < Duration::from_secs(5));
}
