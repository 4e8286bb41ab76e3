//! Keys: where they go, and where they never appear.

use openoxide_agent::Model;
use openoxide_config::ModelApi;
use openoxide_testkit::model::{Answer, ModelServer};
use serde_json::json;

use crate::{APIS, ask, quick, spec, with_key};

const SECRET: &str = "sk-hunter2";

#[tokio::test]
async fn a_wrong_key_is_told_with_its_variable_and_not_repeated() {
    for api in APIS {
        let body = json!({"error": {"message": format!("no such key: {SECRET}"), "type": "authentication_error"}});
        let server = ModelServer::new(&[], vec![Answer::json(401, &body)]);
        let keyed = with_key(SECRET, spec(&server.url, api));
        let error = ask(keyed, quick()).await.error();
        assert_eq!(error.to_string(), "the model `mine` does not take the key: no such key: [key]");
        let help = "check the variable `MY_KEY`, where `models.mine` says the key is";
        assert_eq!((error.word, error.help.as_deref()), ("key-refused", Some(help)));
        assert!(!format!("{error:?}").contains("hunter2"));
        let error = ask(spec(&server.url, api), quick()).await.error();
        assert!(error.message.starts_with("the model `mine` wants a key"), "{error}");
        assert!(error.help.is_some_and(|help| help.contains("`models.mine.key_env`")));
    }
}

#[tokio::test]
async fn plain_http_gets_no_key_but_on_this_machine() {
    let plain = with_key(SECRET, spec("http://models.example", ModelApi::OpenAi));
    let error = ask(plain, quick()).await.error();
    assert_eq!(error.word, "insecure");
    assert!(error.message.contains("`https://` or to this machine only"), "{error}");
}

#[tokio::test]
async fn a_key_is_printed_nowhere() {
    for api in APIS {
        let spec = with_key(SECRET, spec("https://models.example", api));
        assert!(!format!("{spec:?}").contains("hunter2"));
        let model = Model::new(spec, quick()).unwrap();
        assert!(!format!("{model:?}").contains("hunter2"), "{model:?}");
    }
}

#[tokio::test]
async fn a_redirect_does_not_get_the_key() {
    let other = ModelServer::new(&[], vec![Answer::Gone]);
    let to = format!("Location: {}\r\n", other.url);
    let server = ModelServer::new(&[], vec![Answer::Status(307, to, String::new())]);
    let keyed = with_key(SECRET, spec(&server.url, ModelApi::OpenAi));
    assert_eq!(ask(keyed, quick()).await.error().word, "redirected");
    assert_eq!(other.seen(), []);
}
