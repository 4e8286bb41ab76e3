//! Servers of models on this machine, at their usual ports.

use std::time::Duration;

use openoxide_config::ModelApi;

use crate::Limits;
use crate::http::Server;

/// Programs that serve models, and where they usually listen.
pub const USUAL_PORTS: [(&str, u16); 4] = [("Ollama", 11434), ("llama.cpp", 8080), ("LM Studio", 1234), ("vLLM", 8000)];

/// How long a server on this machine may take to list its models.
const LONGEST: Duration = Duration::from_millis(300);

/// A server of models on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// The program that usually listens there.
    pub program: &'static str,
    /// Its address.
    pub url: String,
    /// The models that it says it has.
    pub models: Vec<String>,
}

/// Returns the servers that answer at these ports of 127.0.0.1, in this order. They get no key.
pub async fn local_servers(ports: &[(&'static str, u16)]) -> Vec<LocalServer> {
    let tasks: Vec<_> = ports.iter().map(|(program, port)| tokio::spawn(look(program, *port))).collect();
    let mut found = Vec::new();
    for task in tasks {
        found.extend(task.await.ok().flatten());
    }
    found
}

async fn look(program: &'static str, port: u16) -> Option<LocalServer> {
    let url = format!("http://127.0.0.1:{port}/v1");
    let server = Server::new(&url, ModelApi::OpenAi, None, &Limits::default()).ok()?;
    let models = server.models(Some(LONGEST)).await?;
    Some(LocalServer { program, url, models })
}
