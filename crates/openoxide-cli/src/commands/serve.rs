//! `serve`: skills over HTTP, for agents in any language.

use std::fs::File;
use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use openoxide_app::{Environment, Place, SecretFileError, SecretPlace, read_secret, variables};
use openoxide_server::connect::{Here, Reach, clients, shell_line, token_line};
use openoxide_server::mcp::McpHttp;
use openoxide_server::{
    Access, AccessToken, Announced, BoundListener, BrowserSessions, Engine, HttpOptions, Ingress, IngressLimits,
    IngressOptions, ListenError, LogFormat, Login, OneTimeLinks, Token, TokenError, TokenFile,
};
use secrecy::SecretString;

use super::mcp;
use crate::called;
use crate::error::CommandError;
use crate::serving::{LAST, ToolArgs, engine_options, open_served_place, start_log, token_failed};
use crate::ui::{ExitStatus, Ui, safe};

/// The port, where none is named.
const PORT: u16 = 7171;

/// The most bytes of a file with a token. A token is shorter.
const TOKEN_MAX: u64 = 8192;

/// Serve skills over HTTP, for agents in any language
///
/// Prints a link that opens its page in your browser, where you approve what skills ask for. The link works once. Clients
/// send the access token, which `openoxide token` prints, and cannot approve anything. The server listens on this machine
/// only. It serves the skills of the current folder, as they are on disk now; `--project` names other projects, and can be
/// repeated. Ctrl-C ends it after running requests are done; a second ctrl-C ends it at once.
///
/// The access token, and the skills that come with OpenOxide if the host lists them, are written to `~/.openoxide` once.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Listen at this address, with or without a port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = listen)]
    listen: Listen,
    /// Listen at this port; 0 takes one that is free [default: 7171]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Accept this host name too, besides those of this machine (can be repeated)
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Print another link to a server that runs at this address, and serve nothing
    #[arg(long, conflicts_with_all = ["auth", "new_token", "token_file", "publish"])]
    link: bool,
    /// What clients have to send
    #[arg(long, value_name = "WAY", default_value = "token")]
    auth: Auth,
    /// Make another access token; the old one stops working at once, also at running servers
    #[arg(long, conflicts_with = "token_file")]
    new_token: bool,
    /// Read the access token from this file, which no other user can read, instead of your own [env: `OPENOXIDE_TOKEN`]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// How to log requests on standard error [default: text on a terminal, else json]
    #[arg(long, value_name = "FORM")]
    log: Option<Form>,
    /// Publish skills without access control, at `/.well-known/agent-skills/` and `/.well-known/skills/`
    #[arg(long)]
    publish: bool,
    #[command(flatten)]
    tools: ToolArgs,
}

/// What clients have to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Auth {
    /// The access token
    Token,
    /// Nothing; only on this machine, for the named projects, and nothing can be approved
    None,
}

/// How requests are logged.
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
        .ok_or_else(|| format!("`{}` is no address such as 127.0.0.1, 127.0.0.1:{PORT} or ::1", safe(text)))
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
    if args.link {
        return print_link(ui, args);
    }
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

/// Prints another link to a server that runs.
fn print_link(ui: &Ui, args: &ServeArgs) -> anyhow::Result<ExitStatus> {
    let address = args.address()?;
    let home = Environment::from_process().openoxide_home().ok_or_else(|| token_failed("there is no home folder"))?;
    let reached = SocketAddr::new(local(address.ip()), address.port());
    if address.port() == 0 || TcpStream::connect_timeout(&reached, Duration::from_secs(5)).is_err() {
        let error = CommandError::failed(format!("no server answers at {address}"));
        let hint = "start `openoxide serve`; for one that runs elsewhere, add the same `--listen` and `--port`";
        return Err(error.hint(hint).into());
    }
    let links = OneTimeLinks::below(&home, address);
    if !links.is_announced() {
        let error = CommandError::failed(format!("what answers at {address} is not your server"));
        return Err(error.hint("another user's program may listen there; start yours with another `--port`").into());
    }
    if others_read_output() {
        let error = CommandError::failed(format!("{OUTPUT_IS_READ}, so no link is printed"));
        return Err(error.hint("print it to a terminal: the first to open the link approves in your name").into());
    }
    let code = links.make().context("no link can be made")?;
    ui.data(&format!("open http://{}/open/{code}\n", shown(args, address)))?;
    Ok(ExitStatus::Done)
}

fn open_and_serve(ui: &Ui, args: &ServeArgs) -> anyhow::Result<()> {
    let mut environment = Environment::from_process();
    let sessions = Arc::default();
    let access = access(&environment, args, &sessions)?;
    // Whatever runs for a skill has no business with it.
    let variable = environment.variables.remove(variables::OPENOXIDE_TOKEN).is_some();
    let place = open_served_place(ui)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("failed to start threads")?;
    let served = runtime.block_on(listen_and_serve(ui, args, environment, place, (access, sessions, variable)));
    runtime.shutdown_timeout(LAST);
    served
}

async fn listen_and_serve(
    ui: &Ui,
    args: &ServeArgs,
    environment: Environment,
    place: Place,
    (access, sessions, variable): (Access, Arc<BrowserSessions>, bool),
) -> anyhow::Result<()> {
    let address = args.address()?;
    let listening = BoundListener::open(address, &access).map_err(|error| refused(address, args, &error))?;
    let home = environment.openoxide_home();
    let (served, only_served) = (projects(ui, &environment, &place)?, args.auth == Auth::None);
    let here = here(ui, args, variable, place.clone())?;
    let engine = Engine::new(environment, place, engine_options(ui));
    // A program that reads the address may stop the server at once.
    tokio::spawn(engine.stopping().obey_signals().context("signals cannot be taken")?);
    let links = home.as_deref().filter(|_| args.auth == Auth::Token);
    let links = links.map(|home| OneTimeLinks::below(home, listening.address()));
    // Held until the server ends: `serve --link` makes links only to a server that says so.
    let _announced = match &links {
        Some(links) => announced(ui, links).await,
        None => None,
    };
    tell(ui, args, &listening, links.as_ref(), &here)?;
    let limits = IngressOptions { hosts: args.allow_host.clone(), access, limits: IngressLimits::default() };
    let mcp = McpHttp::behind(listening.address(), &args.allow_host);
    let mcp = McpHttp { options: args.tools.options(), ..mcp };
    let login = links.map(|links| Login { links, sessions });
    let options = HttpOptions { well_known: args.publish, mcp, login, served, only_served, here };
    let router = openoxide_server::router(engine.clone(), options);
    openoxide_server::serve(listening, Ingress::new(router, &engine, limits), &engine).await;
    Ok(())
}

/// Says that the server runs. One that ran at the address before may be about to take its word back.
async fn announced(ui: &Ui, links: &OneTimeLinks) -> Option<Announced> {
    if let Ok(announced) = links.announce() {
        return Some(announced);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let again = links.announce();
    again.inspect_err(|error| ui.warn(&format!("`serve --link` will not find this server: {error}"))).ok()
}

/// Returns the projects that are named, the first one first.
fn projects(ui: &Ui, environment: &Environment, first: &Place) -> anyhow::Result<Vec<Place>> {
    let others = ui.common.project.iter().skip(1).cloned();
    let others = others.map(|folder| Place { folder, project: None, ..first.clone() }.fixed(environment));
    Ok([Ok(first.clone())].into_iter().chain(others).collect::<Result<_, _>>()?)
}

/// Returns what connects an agent on this machine, given whether the variable has the token already.
fn here(ui: &Ui, args: &ServeArgs, variable: bool, place: Place) -> anyhow::Result<Here> {
    let token_line = match &args.token_file {
        _ if args.auth == Auth::None => None,
        Some(file) => Some(token_line(&["cat", &called::text(std::path::absolute(file)?)?])),
        None if variable && !args.new_token => None,
        None => Some(token_line(&[&called::typed_name()?, "token"])),
    };
    Ok(Here { command: mcp::command(ui, &args.tools, place)?, token_line })
}

/// Returns what requests have to show.
fn access(environment: &Environment, args: &ServeArgs, sessions: &Arc<BrowserSessions>) -> anyhow::Result<Access> {
    if args.auth == Auth::None {
        return Ok(Access::Open);
    }
    let (token, sessions) = (token(environment, args)?, Arc::clone(sessions));
    Ok(Access::Secret { token, sessions, publishes: args.publish })
}

fn token(environment: &Environment, args: &ServeArgs) -> anyhow::Result<AccessToken> {
    let variable = environment.variable(variables::OPENOXIDE_TOKEN).filter(|_| !args.new_token);
    let text = match (&args.token_file, variable) {
        (Some(file), _) => named_token(file)?,
        (None, Some(text)) => SecretString::from(text.to_owned()),
        (None, None) => {
            let home = environment.openoxide_home().ok_or_else(|| token_failed("there is no home folder"))?;
            return Ok(own_token(&home, args.new_token)?);
        }
    };
    let bad =
        |error: TokenError| CommandError::failed(error.to_string()).hint("`openssl rand -hex 32` makes a good one");
    Ok(AccessToken::Named(Token::new(&text).map_err(bad)?))
}

/// Reads a token that the user named, from a file that is theirs alone.
fn named_token(file: &Path) -> Result<SecretString, CommandError> {
    let unread = |why: &str| CommandError::failed(format!("`--token-file` cannot be read: {why}"));
    let refused = |why: SecretFileError| match why.hint(file) {
        Some(step) => {
            CommandError::failed(format!("the token in `{}` is not used: {why}", safe(&file.to_string_lossy())))
                .hint(step)
        }
        None => unread(&why.to_string()),
    };
    let bytes = read_secret(file, SecretPlace::Argument, TOKEN_MAX).map_err(refused)?;
    let bytes = bytes.ok_or_else(|| unread(&format!("there is no file `{}`", safe(&file.to_string_lossy()))))?;
    String::from_utf8(bytes).map(SecretString::from).map_err(|_| unread("it is no text"))
}

/// Makes sure that the user has a token of their own; `is_new` makes another.
fn own_token(home: &Path, is_new: bool) -> Result<AccessToken, CommandError> {
    let file = TokenFile::below(home);
    let token = if is_new { file.renew() } else { file.read_or_make() };
    token.map_err(|error| token_failed(&format!("{:#}", anyhow::Error::from(error))))?;
    Ok(AccessToken::own(file))
}

fn refused(address: SocketAddr, args: &ServeArgs, error: &ListenError) -> anyhow::Error {
    let hint = match error {
        ListenError::Open { .. } => {
            "leave out `--auth none`; what is sent can be read on the way, so outside of a network that you trust use an \
             SSH tunnel to 127.0.0.1 instead"
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

/// Prints one line on standard output: the link to open, or where it listens if there is none. A program that starts us
/// finds the address in either.
fn tell(
    ui: &Ui,
    args: &ServeArgs,
    listening: &BoundListener,
    links: Option<&OneTimeLinks>,
    here: &Here,
) -> anyhow::Result<()> {
    let address = listening.address();
    let is_secret = !others_read_output();
    if let Some(links) = links {
        links.forget_old();
    }
    let code = links.filter(|_| is_secret).map(OneTimeLinks::make);
    match code {
        Some(Ok(code)) => ui.data(&format!("open http://{}/open/{code}\n", shown(args, address)))?,
        other => {
            ui.data(&format!("listening at http://{address}\n"))?;
            if let Some(Err(error)) = other {
                ui.warn(&format!("no link can be made, so nothing can be approved over HTTP: {error}"));
            }
        }
    }
    match args.auth {
        Auth::Token => {
            let command = shell_line(&link_command(args, address)?);
            match is_secret {
                true => ui.say(&format!("the link opens your page, once; `{command}` prints another")),
                false => ui.warn(&format!("{OUTPUT_IS_READ}, so it has no link to your page; `{command}` prints one")),
            }
        }
        Auth::None => ui.warn("every program on this machine can use these skills, and nothing can be approved here"),
    }
    // A program that reads standard error pastes nothing.
    if !matches!(form(ui, args), LogFormat::Json) {
        say_how_to_connect(ui, args, address, here)?;
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

const OUTPUT_IS_READ: &str = "others can read the file that standard output goes to";

/// Tells whether standard output is a file that others can read: the first to open the link approves in the user's name.
fn others_read_output() -> bool {
    let output = std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let found = output.and_then(|output| output.metadata());
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o077 != 0)
}

/// Returns the command that prints another link to this server.
fn link_command(args: &ServeArgs, address: SocketAddr) -> anyhow::Result<Vec<String>> {
    let mut words = vec![called::typed_name()?, "serve".to_owned(), "--link".to_owned()];
    if args.listen.ip != IpAddr::from(Ipv4Addr::LOCALHOST) {
        words.extend(["--listen".to_owned(), args.listen.ip.to_string()]);
    }
    if address.port() != PORT {
        words.extend(["--port".to_owned(), address.port().to_string()]);
    }
    Ok(words)
}

/// Returns the address as a person on this machine reaches it.
fn shown(args: &ServeArgs, address: SocketAddr) -> String {
    match (address.ip().is_unspecified(), args.allow_host.first()) {
        (true, Some(name)) => format!("{name}:{}", address.port()),
        _ => SocketAddr::new(local(address.ip()), address.port()).to_string(),
    }
}

/// Returns an address of this machine for one that stands for all of them.
fn local(ip: IpAddr) -> IpAddr {
    if ip.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { ip }
}

/// Says what to paste: first what needs no token, then with the variable that holds it, and never the token itself.
fn say_how_to_connect(ui: &Ui, args: &ServeArgs, address: SocketAddr, here: &Here) -> anyhow::Result<()> {
    let url = format!("http://{}/mcp", shown(args, address));
    let command = Reach::Command(here.command.clone());
    ui.say("connect an agent on this machine by a line in a shell:");
    for client in clients() {
        ui.say(&format!("  {}", client.line(&command)));
    }
    ui.say("or over HTTP:");
    let token = args.auth == Auth::Token;
    if let Some(line) = &here.token_line {
        ui.say(&format!("  {line}"));
    }
    let reach = Reach::Url { url: url.clone(), token };
    for client in clients() {
        ui.say(&format!("  {}", client.line(&reach)));
    }
    let flag = if token { "" } else { " --without-token" };
    ui.say("or by its settings:");
    ui.say(&format!("  {} mcp --print-config CLIENT --url {url}{flag}", shell_line(&[called::typed_name()?])));
    Ok(())
}
