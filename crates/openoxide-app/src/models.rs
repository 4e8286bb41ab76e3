//! Use case: lists the models of the settings and the servers of models on this machine, and tries a model.

use std::time::{Duration, Instant};

use openoxide_agent::{
    Limits, LocalServer, Message, Model, ModelError, ModelSpec, Reply, Request, Role, USUAL_PORTS, local_servers, wait,
};
use openoxide_config::{ConfiguredModel, TokenSource, Workspace};
use openoxide_skills::text::near;
use openoxide_wire::{
    ModelErrorLine, ModelKeyLine, ModelLine, ModelServerLine, ModelsAnswer, SchemaVersion, TriedLine,
};

use crate::error::{Error, ErrorKind};

/// What a model is asked when it is tried.
const QUESTION: &str = "Answer with one word: ready.";
const MAX_TOKENS: u64 = 16;
/// How long that may take: a model on this machine may have to be loaded first.
const TRY_TIME: Duration = Duration::from_mins(2);

/// The lines that add a model, where none is known yet.
pub const EXAMPLE: &str = "\
[models.small]
url = \"http://127.0.0.1:8080/v1\"
api = \"openai\"
model = \"qwen3-8b\"
";

/// Returns the models of the settings, and the servers that answer at usual ports of this machine. These get no key. It must
/// not be called inside an async runtime.
pub fn models(workspace: &Workspace) -> Result<ModelsAnswer, Error> {
    let configured = workspace.config.models();
    let found = wait(local_servers(&USUAL_PORTS))?;
    let is_new =
        |server: &LocalServer| !configured.iter().any(|model| is_same_server(&model.settings.url, &server.url));
    let servers = found.into_iter().filter(is_new).map(|server| server_line(server, &configured)).collect();
    Ok(ModelsAnswer { servers, ..answer(workspace, &configured) })
}

/// Returns one model of the settings.
pub fn model(workspace: &Workspace, name: &str) -> Result<ModelsAnswer, Error> {
    Ok(answer(workspace, &[find(workspace, name)?]))
}

/// Sends a model one short request. It must not be called inside an async runtime.
pub fn try_model(workspace: &Workspace, name: &str) -> Result<ModelsAnswer, Error> {
    let model = find(workspace, name)?;
    let begun = Instant::now();
    let reply = match ModelSpec::read(&model, &workspace.environment) {
        Ok(spec) => wait(ask(spec))?,
        Err(error) => Err(error),
    };
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(ModelsAnswer { tried: Some(tried_line(name, milliseconds, reply)), ..answer(workspace, &[model]) })
}

async fn ask(spec: ModelSpec) -> Result<Reply, ModelError> {
    let limits = Limits { silence: TRY_TIME, total: TRY_TIME, ..Limits::default() };
    let messages = vec![Message::text(Role::User, QUESTION)];
    let request = Request { messages, max_tokens: MAX_TOKENS, ..Request::default() };
    Model::new(spec, limits)?.reply(&request, |_| {}).await
}

/// Returns the name of the model that is used where none is named: the one that the setting names, or the only one.
fn default_name(workspace: &Workspace) -> Option<String> {
    let only = || match workspace.config.models().as_slice() {
        [only] => Some(only.name.clone()),
        _ => None,
    };
    workspace.config.text("model").or_else(only)
}

fn find(workspace: &Workspace, name: &str) -> Result<ConfiguredModel, Error> {
    let models = workspace.config.models();
    let near = near(name, models.iter().map(|model| model.name.as_str())).first().map(ToString::to_string);
    models.into_iter().find(|model| model.name == name).ok_or_else(|| {
        let step = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`openoxide models` lists the models of your settings".to_owned(),
        };
        Error::other(ErrorKind::NotFound, "no-model", format!("no model is called `{name}`")).with_help(step)
    })
}

fn answer(workspace: &Workspace, models: &[ConfiguredModel]) -> ModelsAnswer {
    let default = default_name(workspace);
    let line = |model: &ConfiguredModel| model_line(workspace, model, default.as_deref() == Some(&model.name));
    let models = models.iter().map(line).collect();
    ModelsAnswer { schema: SchemaVersion::default(), models, servers: Vec::new(), tried: None }
}

fn model_line(workspace: &Workspace, model: &ConfiguredModel, default: bool) -> ModelLine {
    let ConfiguredModel { name, settings, origin } = model;
    let key_line = |source: &TokenSource| {
        let problem = source.read("key", &workspace.environment).err();
        match source.clone() {
            TokenSource::Variable(name) => ModelKeyLine { variable: Some(name), file: None, problem },
            TokenSource::File(path) => ModelKeyLine { variable: None, file: Some(path), problem },
        }
    };
    ModelLine {
        name: name.clone(),
        api: settings.api.as_str().to_owned(),
        model: settings.model.clone(),
        url: settings.url.clone(),
        key: settings.key.as_ref().map(key_line),
        context: settings.context,
        default,
        origin: origin.to_string(),
    }
}

/// Tells whether an address is at the port of a server on this machine.
fn is_same_server(address: &str, local: &str) -> bool {
    let here =
        |address: &str| address.replacen("://localhost", "://127.0.0.1", 1).replacen("://[::1]", "://127.0.0.1", 1);
    let server = |address: &str| here(address).split('/').take(3).collect::<Vec<_>>().join("/");
    server(address) == server(local)
}

fn server_line(server: LocalServer, configured: &[ConfiguredModel]) -> ModelServerLine {
    let slug: String = server.program.to_lowercase().replace(['.', ' '], "-");
    let is_taken = configured.iter().any(|model| model.name == slug);
    let name = if is_taken { format!("{slug}-local") } else { slug };
    let text = |text: &str| toml::Value::from(text).to_string();
    let model = server.models.first().map(|model| format!("model = {}\n", text(model))).unwrap_or_default();
    ModelServerLine {
        program: server.program.to_owned(),
        config: format!("[models.{name}]\nurl = {}\n{model}", text(&server.url)),
        url: server.url,
        models: server.models,
    }
}

fn tried_line(name: &str, milliseconds: u64, result: Result<Reply, ModelError>) -> TriedLine {
    let name = name.to_owned();
    let (answer, usage, error) = match result {
        Ok(reply) => (Some(reply.text()), reply.usage, None),
        Err(error) => (None, None, Some(error)),
    };
    let error_line =
        |error: ModelError| ModelErrorLine { why: error.word.to_owned(), text: error.message, help: error.help };
    TriedLine {
        name,
        answer,
        milliseconds,
        input_tokens: usage.map(|usage| usage.input_tokens),
        output_tokens: usage.map(|usage| usage.output_tokens),
        error: error.map(error_line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_known_by_its_port() {
        let local = "http://127.0.0.1:11434/v1";
        for same in ["http://127.0.0.1:11434", "http://localhost:11434/v1/", "http://[::1]:11434/x"] {
            assert!(is_same_server(same, local), "{same}");
        }
        for other in ["http://127.0.0.1:8080/v1", "https://models.example", "http://10.0.0.1:11434"] {
            assert!(!is_same_server(other, local), "{other}");
        }
    }

    #[test]
    fn the_lines_for_a_server_are_toml_that_means_it() {
        let models = vec!["a \"quoted\" one".to_owned(), "b".to_owned()];
        let server = LocalServer { program: "llama.cpp", url: "http://127.0.0.1:8080/v1".to_owned(), models };
        let line = server_line(server, &[]);
        let table: toml::Table = line.config.parse().unwrap();
        assert_eq!(table["models"]["llama-cpp"]["model"].as_str(), Some("a \"quoted\" one"));
        let example: toml::Table = EXAMPLE.parse().unwrap();
        assert_eq!(example["models"]["small"]["api"].as_str(), Some("openai"));
        let empty = LocalServer { program: "LM Studio", url: "http://127.0.0.1:1/v1".to_owned(), models: Vec::new() };
        assert_eq!(server_line(empty, &[]).config, "[models.lm-studio]\nurl = \"http://127.0.0.1:1/v1\"\n");
    }
}
