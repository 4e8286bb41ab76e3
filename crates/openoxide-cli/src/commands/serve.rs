//! `serve`: skills over HTTP, for agents in any language.

use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use openoxide_app::{Environment, Place, variables};
use openoxide_server::connect::{Reach, clients};
use openoxide_server::mcp::McpHttp;
use openoxide_server::{
    BoundListener, Engine, HttpOptions, Ingress, IngressLimits, IngressOptions, ListenError, LogFormat, Token,
};
use secrecy::SecretString;

use crate::error::CommandError;
use crate::serving::{LAST, ToolArgs, engine_options, open_place, start_log};
use crate::ui::{ExitStatus, Ui};

/// The port, where none is named.
const PORT: u16 = 7171;

/// Serve skills over HTTP, for agents in any language
///
/// It listens on this machine alone, and serves the skills of the folder that it is started in, always as they are on disk
/// now. To listen elsewhere it needs a token, which everybody then has to show. It ends with ctrl-C: what has begun is
/// finished first, and a second ctrl-C ends it at once.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Listen at this address, with or without a port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = listen)]
    listen: Listen,
    /// Listen at this port; 0 takes one that is free [default: 7171]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Answer to this name too, besides those of this machine (can be repeated)
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Read the token that everybody has to show from this file [env: `OPENOXIDE_TOKEN`]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// How to tell of each request, on standard error; without it, as text on a terminal and as JSON elsewhere
    #[arg(long, value_name = "FORM")]
    log: Option<Form>,
    /// Do not publish skills at `/.well-known/agent-skills/` and `/.well-known/skills/`
    #[arg(long)]
    no_well_known: bool,
    #[command(flatten)]
    tools: ToolArgs,
}

/// How requests are told of.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    /// Not at all
    Off,
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Debug)]
struct Listen {
    ip: IpAddr,
    port: Option<u16>,
}

fn listen(text: &str) -> Result<Listen, String> {
    let address = match text.strip_prefix("localhost") {
        Some(rest) if rest.is_empty() || rest.starts_with(':') => format!("{}{rest}", Ipv4Addr::LOCALHOST),
        _ => text.to_owned(),
    };
    let with_port = |address: SocketAddr| Listen { ip: address.ip(), port: Some(address.port()) };
    let alone = address.parse().map(|ip| Listen { ip, port: None }).ok();
    alone
        .or_else(|| address.parse().map(with_port).ok())
        .ok_or_else(|| format!("`{text}` is no address such as 127.0.0.1, 127.0.0.1:{PORT} or ::1"))
}

impl ServeArgs {
    /// Returns the address; a port that is named twice must be the same.
    fn address(&self) -> Result<SocketAddr, CommandError> {
        match (self.listen.port, self.port) {
            (Some(one), Some(other)) if one != other => {
                let error = CommandError::failed(format!("`--listen` says port {one}, and `--port` says {other}"));
                Err(error.hint("name the port once"))
            }
            (one, other) => Ok(SocketAddr::new(self.listen.ip, one.or(other).unwrap_or(PORT))),
        }
    }
}

pub(crate) fn serve(ui: &Ui, args: &ServeArgs) -> anyhow::Result<ExitStatus> {
    let log = start_log(ui, form(ui, args))?;
    // Where a program reads standard error, every line is JSON.
    let talk = match form(ui, args) {
        LogFormat::Json => ui.through_log(),
        LogFormat::Off | LogFormat::Text => ui.clone(),
    };
    let served = open_and_serve(&talk, args);
    log.flush(LAST);
    served.map(|()| ExitStatus::Done)
}

fn open_and_serve(ui: &Ui, args: &ServeArgs) -> anyhow::Result<()> {
    let mut environment = Environment::from_process();
    let token = token(&environment, args)?;
    // Whatever runs for a skill has no business with it.
    environment.variables.remove(variables::OPENOXIDE_TOKEN);
    let place = open_place(ui)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("failed to start threads")?;
    let served = runtime.block_on(listen_and_serve(ui, args, environment, place, token));
    runtime.shutdown_timeout(LAST);
    served
}

async fn listen_and_serve(
    ui: &Ui,
    args: &ServeArgs,
    environment: Environment,
    place: Place,
    token: Option<Token>,
) -> anyhow::Result<()> {
    let address = args.address()?;
    let listening = BoundListener::open(address, token.as_ref()).map_err(|error| refused(address, args, &error))?;
    let home = environment.openoxide_home();
    let engine = Engine::new(environment, place, engine_options(ui));
    // A program that reads the address may stop the server at once.
    tokio::spawn(engine.stopping().obey_signals().context("signals cannot be taken")?);
    let minted = if token.is_none() { minted(ui, home.as_deref(), listening.address()) } else { None };
    let proof = minted.as_ref().map(|minted| minted.token.clone());
    let token_file = minted.as_ref().map(|minted| minted.file.clone());
    tell(ui, args, &listening, token.is_some())?;
    let options = IngressOptions { hosts: args.allow_host.clone(), token, proof, limits: IngressLimits::default() };
    let mcp = McpHttp::behind(listening.address(), &args.allow_host);
    let mcp = McpHttp { options: args.tools.options(), ..mcp };
    let served = HttpOptions { well_known: !args.no_well_known, mcp, token_file };
    let router = openoxide_server::router(engine.clone(), served);
    openoxide_server::serve(listening, Ingress::new(router, &engine, options), &engine).await;
    Ok(())
}

fn token(environment: &Environment, args: &ServeArgs) -> anyhow::Result<Option<Token>> {
    let text = match &args.token_file {
        Some(file) => {
            let error = |error| CommandError::failed(format!("`--token-file` cannot be read: {error}"));
            Some(SecretString::from(fs_err::read_to_string(file).map_err(error)?))
        }
        None => environment.variable(variables::OPENOXIDE_TOKEN).map(|text| SecretString::from(text.to_owned())),
    };
    let token = text.map(|text| Token::new(&text)).transpose();
    token
        .map_err(|error| CommandError::failed(error.to_string()).hint("`openssl rand -hex 32` makes a good one").into())
}

/// A token that was made, and its file, which goes with it.
struct Minted {
    token: Token,
    file: PathBuf,
}

impl Drop for Minted {
    fn drop(&mut self) {
        self.token.remove(&self.file);
    }
}

/// Makes the token that a client must show to answer a question with yes.
fn minted(ui: &Ui, home: Option<&Path>, address: SocketAddr) -> Option<Minted> {
    let Some(home) = home else {
        ui.warn("there is no folder for a token, so no question of a skill can be answered with yes over HTTP");
        return None;
    };
    let file = Token::file(home, address);
    match Token::mint(&file) {
        Ok(token) => {
            ui.say(&format!("whoever says yes to a skill's question has to show the token in {}", file.display()));
            Some(Minted { token, file })
        }
        Err(error) => {
            let file = file.display();
            ui.warn(&format!(
                "{file} cannot be written, so no question of a skill can be answered with yes over HTTP: {error}"
            ));
            None
        }
    }
}

fn refused(address: SocketAddr, args: &ServeArgs, error: &ListenError) -> anyhow::Error {
    let hint = match error {
        ListenError::Open { .. } => {
            "put a secret into a file and add `--token-file FILE`; what is sent can be read on the way, so outside of a \
             network that you trust use an SSH tunnel to 127.0.0.1 instead"
                .to_owned()
        }
        ListenError::Taken { .. } if address.port() == 0 => "try again".to_owned(),
        ListenError::Taken { .. } => {
            let (next, _) = address.port().overflowing_add(1);
            match args.listen.port {
                None => format!("add `--port {next}`, or `--port 0` for one that is free"),
                Some(_) => format!("use port {next}, or 0 for one that is free"),
            }
        }
        ListenError::Failed { .. } => "add `--listen` with an address of this machine".to_owned(),
    };
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    CommandError::failed(format!("{error}{why}")).hint(hint).into()
}

fn form(ui: &Ui, args: &ServeArgs) -> LogFormat {
    match args.log {
        Some(Form::Off) => LogFormat::Off,
        Some(Form::Text) => LogFormat::Text,
        None if ui.common.quiet => LogFormat::Off,
        None if std::io::stderr().is_terminal() => LogFormat::Text,
        Some(Form::Json) | None => LogFormat::Json,
    }
}

/// Says where it listens, on standard output: a program that starts us reads it there.
fn tell(ui: &Ui, args: &ServeArgs, listening: &BoundListener, has_token: bool) -> anyhow::Result<()> {
    let address = listening.address();
    ui.data(&format!("listening at http://{address}\n"))?;
    if has_token {
        ui.say("everybody has to show the token, as `Authorization: Bearer TOKEN`");
    }
    // A program that reads standard error pastes nothing.
    if !matches!(form(ui, args), LogFormat::Json) {
        say_how_to_connect(ui, args, address, has_token);
    }
    if !address.ip().to_canonical().is_loopback() {
        ui.warn(
            "what is sent to this address can be read on the way, the token too; use it in a network that you trust",
        );
        if args.allow_host.is_empty() {
            ui.hint("it answers to its addresses only; `--allow-host NAME` adds a name");
        }
    }
    Ok(())
}

/// Says what to paste, with the variable that holds the token and never the token itself.
fn say_how_to_connect(ui: &Ui, args: &ServeArgs, address: SocketAddr, token: bool) {
    let own = match (address.ip().is_unspecified(), args.allow_host.first()) {
        (true, Some(name)) => format!("{name}:{}", address.port()),
        (true, None) => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()).to_string(),
        (false, _) => address.to_string(),
    };
    let url = format!("http://{own}/mcp");
    let reach = Reach::Url { url: url.clone(), token };
    ui.say("connect an agent by a line in a shell:");
    for client in clients() {
        ui.say(&format!("  {}", client.line(&reach)));
    }
    let flag = if token { " --with-token" } else { "" };
    ui.say("or by its settings:");
    ui.say(&format!("  openoxide mcp --print-config CLIENT --url {url}{flag}"));
}
