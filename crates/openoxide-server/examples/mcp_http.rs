//! Serves the skills of a folder over MCP at `/mcp` on a free port of this machine, and prints the address.
//!
//! `cargo run -p openoxide-server --example mcp_http -- FOLDER`

use std::io::Write as _;

use openoxide_config::Environment;
use openoxide_live::Place;
use openoxide_server::mcp::{McpHttp, http_service};
use openoxide_server::{Engine, EngineOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let environment = Environment::from_process();
    let folder =
        std::env::args_os().nth(1).map_or_else(|| environment.cwd.clone(), |folder| environment.cwd.join(folder));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let engine = Engine::new(environment, Place::of(folder), EngineOptions::default());
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
        let origins = names.iter().map(|name| format!("http://{name}")).collect();
        let router = http_service(engine, McpHttp { hosts: names.into(), origins, ..McpHttp::default() });
        writeln!(std::io::stdout(), "http://127.0.0.1:{port}/mcp")?;
        axum::serve(listener, router).await?;
        Ok(())
    })
}
