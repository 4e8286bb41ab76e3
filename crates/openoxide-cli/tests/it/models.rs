//! `models`: what is configured, what answers on this machine, and a trial.

use insta::assert_snapshot;
use openoxide_testkit::TestContext;
use openoxide_testkit::model::{Answer, ModelServer, anthropic, openai};
use serde_json::json;

use crate::support::{run, run_with, valid_json};

fn with(config: &str) -> TestContext {
    let context = TestContext::new();
    context.tree(&format!("//- home/.openoxide/config.toml\n{config}"));
    context
}

/// A context whose only model is at a server, with a key.
fn at(server: &ModelServer, api: &str) -> TestContext {
    with(&format!(
        "[models.mine]\nurl = \"{}\"\napi = \"{api}\"\nmodel = \"small-1\"\nkey_env = \"MY_KEY\"\n",
        server.url
    ))
}

/// Keeps the lines that do not depend on what runs on the machine.
fn without_servers(text: &str) -> Vec<&str> {
    let is_ours =
        |line: &&str| !line.starts_with("  ") && !line.contains(" answers at ") && !line.starts_with("other models");
    text.lines().filter(is_ours).collect()
}

#[test]
fn a_list_shows_the_keys_that_are_there_and_not() {
    let context = with(
        "model = 'local'\n[models.local]\nurl = 'http://127.0.0.1:9/v1'\nmodel = 'qwen3-8b'\n\
         [models.claude]\nurl = 'https://models.example'\napi = 'anthropic'\nmodel = 'big-1'\nkey_env = 'MY_KEY'\ncontext = 200000\n\
         [models.other]\nurl = 'https://other.example'\nkey_file = '~/key'\n",
    );
    let output = run(&context, &["models"]);
    assert_eq!(output.status, Some(0), "{output}");
    assert_snapshot!(output.stdout, @"
      name    api        model     url                     key
      claude  anthropic  big-1     https://models.example  MY_KEY: not set
    * local   openai     qwen3-8b  http://127.0.0.1:9/v1   none
      other   openai     other     https://other.example   ~/key: cannot be used
    ");
    assert_eq!(without_servers(&output.stderr), ["3 models; * is the default"]);
    let with_key = run_with(&context, &["models"], &[("MY_KEY", "hunter2".as_ref())]);
    assert!(with_key.stdout.contains("MY_KEY\n") && !with_key.to_string().contains("hunter2"), "{with_key}");
    assert_snapshot!(run(&context, &["models", "claude"]), @"
    status: 0
    ----- stdout -----
    claude
      api      anthropic
      model    big-1
      url      https://models.example
      key      the variable `MY_KEY` is not set
      context  200,000 tokens
      default  no
      set in   ~/.openoxide/config.toml:5
    ----- stderr -----
    ");
    let answer = valid_json(&context, &["models", "--json"]);
    assert_eq!(answer["models"][0]["key"]["problem"], "the variable `MY_KEY` is not set");
    assert_eq!(answer["models"][1]["default"], true);
}

#[test]
fn without_any_it_says_what_to_write() {
    let context = TestContext::new();
    let output = run(&context, &["models"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(0), ""), "{output}");
    let answer = valid_json(&context, &["models", "--json"]);
    // Something may listen on the machine that runs the tests.
    if answer["servers"].as_array().unwrap().is_empty() {
        assert_snapshot!(output.stderr, @r#"
        no model is in your settings, and no server of models answers on this machine
        start one, or name one elsewhere, and add lines like these to your config.toml:
          [models.small]
          url = "http://127.0.0.1:8080/v1"
          api = "openai"
          model = "qwen3-8b"
        "#);
    }
    assert!(!context.home().join(".openoxide").exists(), "it only prints");
}

#[test]
fn a_project_names_no_model_trusted_or_not() {
    let server = ModelServer::new(&[], vec![Answer::Stream(openai::reply("stolen"))]);
    let context = TestContext::new();
    context.tree(&format!(
        "//- project/.openoxide/config.toml\nmodel = 'evil'\n[models.evil]\nurl = '{}'\nkey_env = 'MY_KEY'\n",
        server.url
    ));
    for trusted in [false, true] {
        if trusted {
            assert_eq!(run(&context, &["trust", "--yes"]).status, Some(0));
        }
        let output = run_with(&context, &["models", "--try", "evil"], &[("MY_KEY", "hunter2".as_ref())]);
        assert_eq!(output.status, Some(1), "{output}");
        assert!(output.stderr.contains("a project cannot set `models.evil`"), "{output}");
        assert!(output.stderr.contains("a project cannot set `model` "), "{output}");
        assert!(output.stderr.contains("error: no model is called `evil`"), "{output}");
        assert_eq!(server.seen(), []);
    }
}

#[test]
fn a_trial_shows_the_answer() {
    for (api, stream) in [("openai", openai::reply("ready")), ("anthropic", anthropic::reply("ready"))] {
        let server = ModelServer::new(&["small-1"], vec![Answer::Stream(stream)]);
        let context = at(&server, api);
        let output = run_with(&context, &["models", "--try", "mine"], &[("MY_KEY", "hunter2".as_ref())]);
        assert_eq!((output.status, output.stdout.as_str()), (Some(0), "ready\n"), "{output}");
        assert!(output.stderr.starts_with("mine answered in "), "{output}");
        assert!(output.stderr.ends_with("s; 9 tokens read, 2 written\n"), "{output}");
        let (head, body) = server.seen().remove(0);
        assert!(head.contains("hunter2"), "{head}");
        assert!(body.to_string().contains("Answer with one word: ready.") && body["max_tokens"] == 16, "{body}");
    }
}

#[test]
fn a_trial_that_fails_is_a_no_with_the_next_step() {
    let refuses = Answer::json(401, &json!({"error": {"message": "bad key hunter2"}}));
    let server = ModelServer::new(&["small-1"], vec![refuses]);
    let context = at(&server, "openai");
    assert_snapshot!(run(&context, &["models", "--try", "mine"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: the model `mine` is not asked: the variable `MY_KEY` is not set
    hint: `models.mine` in your config.toml says where the key is
    ");
    let key = [("MY_KEY", "hunter2".as_ref())];
    assert_snapshot!(run_with(&context, &["models", "--try", "mine"], &key), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: the model `mine` does not take the key: bad key [key]
    hint: check the variable `MY_KEY`, where `models.mine` says the key is
    ");
    let output = run_with(&context, &["models", "--try", "mine", "--json"], &key);
    assert_eq!(output.status, Some(1));
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(answer["tried"]["error"]["why"], "key-refused", "{output}");
    assert!(!output.to_string().contains("hunter2"), "{output}");
    assert_snapshot!(run(&context, &["models", "--try", "min"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: no model is called `min`
    hint: did you mean `mine`?
    ");
}

#[test]
fn a_model_at_another_address_does_not_keep_the_key() {
    let context = with("[models.mine]\nurl = 'https://a.example'\nmodel = 'small-1'\nkey_env = 'MY_KEY'\n");
    assert_snapshot!(run(&context, &["config", "set", "models.mine.url", "https://b.example"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    models.mine.url is set in ~/.openoxide/config.toml
    warning: models.mine.key_env: removed, because the server is another one now; set anew what it may have
    ");
    let text = fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap();
    assert_eq!(text, "[models.mine]\nurl = \"https://b.example\"\nmodel = 'small-1'\n");
    assert_eq!(run(&context, &["config", "set", "models.local.url", "http://127.0.0.1:9"]).status, Some(0));
    assert_snapshot!(run(&context, &["config", "set", "models.local.api", "grpc"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `models.local`: `api` must be one of `openai`, `anthropic`
    hint: Models by name: `url` of the server, `api` (`openai`, the default, or `anthropic`), `model` (what the server calls it, if not as you), `key_env` (the name of a variable) or `key_file` (a path) if the server wants a key, and `context` (the tokens of its window).
    ");
    assert_snapshot!(run(&context, &["config", "set", "model", "locl"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: `model`: there is no model `locl`
    hint: did you mean `local`?
    ");
    assert_eq!(run(&context, &["config", "set", "model", "local"]).status, Some(0));
    assert_eq!(run(&context, &["config", "unset", "models.local"]).status, Some(0));
    let stderr = run(&context, &["models", "mine"]).stderr;
    assert!(stderr.contains("there is no model `local`"), "{stderr}");
}
