//! Draws the home page: the user's agents, what is served, how an agent is connected, and what is wrong.

mod agents;
mod finding;

use axum::response::Response;
use http::StatusCode;
use openoxide_app::{Catalog, Entry, Level, SkillIds, Snapshot, catalog_use, live::WatchMode};
use openoxide_wire::ProblemLine;

use self::finding::finding;
use super::{HttpContext, Location, NoQuery, Page, Query, Redactor, Result, login::explained, questions};
use crate::connect::{Reach, clients};
use crate::{Identity, Peer};

const TITLE: &str = "OpenOxide";
/// Skills and findings that are shown; the API has the rest.
const SHOWN: usize = 100;

pub(crate) async fn front(context: HttpContext, _: Query<NoQuery>) -> Result {
    if context.identity == Identity::Anonymous {
        return Ok(explained(StatusCode::UNAUTHORIZED, "This server answers you in a browser session."));
    }
    let snapshot = match context.snapshot(&Location::default()).await {
        Ok(snapshot) => snapshot,
        Err(failure) if context.peer == Peer::Local => return Ok(broken(&failure.line)),
        Err(failure) => return Err(failure),
    };
    let mut page = Page::new(TITLE);
    let title = &snapshot.view.host.title;
    let what = match context.peer {
        Peer::Local => format!("Skills as {title} sees them from {}", snapshot.place.folder.display()),
        Peer::Remote => format!("Skills as {title} sees them"),
    };
    let is_person = context.identity == Identity::Person;
    let has_forms = is_person && questions::draw(&mut page, &context);
    if is_person && context.peer == Peer::Local {
        agents::draw(&mut page, &context, &snapshot).await;
    }
    page.write("<h2 id=\"served\">What connected agents get</h2><p class=\"dim\">{}</p>", &[&what]);
    numbers(&mut page, &context, &snapshot);
    connect(&mut page, &context);
    skills(&mut page, &snapshot.catalog);
    findings(&mut page, &context, &snapshot);
    more(&mut page);
    Ok(if has_forms { page.send_with_forms() } else { page.send() })
}

/// Says why nothing can be served. Only a local client sees this, because only it can fix the cause.
fn broken(line: &ProblemLine) -> Response {
    let mut page = Page::new(TITLE);
    page.write("<p>Nothing is served until this is fixed:</p><ul class=\"skills\">", &[]);
    finding(&mut page, line);
    page.write("</ul>", &[]);
    page.send()
}

fn numbers(page: &mut Page, context: &HttpContext, snapshot: &Snapshot) {
    let problems = &snapshot.catalog.problems;
    let errors = problems.iter().filter(|problem| problem.diagnostic.level == Level::Error).count();
    let watching = match context.engine.live.watch_mode() {
        WatchMode::Events => "as they happen".to_owned(),
        WatchMode::Polling { reason } if context.peer == Peer::Local => format!("by looking again, because {reason}"),
        WatchMode::Polling { .. } => "by looking again".to_owned(),
    };
    let catalog = catalog_use::of_snapshot(snapshot);
    let rows = [
        ("active skills", snapshot.catalog.skills.len().to_string()),
        ("files ignored", snapshot.catalog.others.len().to_string()),
        ("catalog", catalog.as_ref().map_or_else(|| "no templates".to_owned(), catalog_use::room_text)),
        ("findings", format!("{} ({errors} {})", problems.len(), if errors == 1 { "error" } else { "errors" })),
        ("changes are seen", watching),
    ];
    page.write("<dl class=\"numbers\">", &[]);
    for (name, value) in &rows {
        page.write("<div><dt>{}</dt><dd>{}</dd></div>", &[name, value]);
    }
    page.write("</dl>", &[]);
}

/// Writes what connects each client: a line for the shell, and the settings for people who prefer to see what changes.
fn connect(page: &mut Page, context: &HttpContext) {
    let address = context.headers.get(http::header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    let token = context.http.options.login.is_some();
    let reach = Reach::Url { url: format!("http://{address}/mcp"), token };
    let here = &context.http.options.here;
    page.write("<h2 id=\"connect\">Connect an agent</h2>", &[]);
    // Elsewhere, neither that command nor the token's file is there.
    let is_here = context.peer == Peer::Local;
    if is_here && !here.command.is_empty() {
        page.write("<p>By a line in a shell of this machine, without a token:</p>", &[]);
        lines(page, &Reach::Command(here.command.clone()));
        page.write("<p>Or over HTTP:</p>", &[]);
    } else {
        page.write("<p>By a line in a shell:</p>", &[]);
    }
    if let Some(line) = here.token_line.as_ref().filter(|_| is_here) {
        page.write("<pre class=\"line\" tabindex=\"0\">{}</pre>", &[line]);
    } else if token {
        page.write("<p>", &[]);
        page.prose("First put the access token into the variable `OPENOXIDE_TOKEN`.");
        page.write("</p>", &[]);
    }
    lines(page, &reach);
    page.write("<details><summary>Settings to paste instead</summary><div class=\"inside\">", &[]);
    for client in clients() {
        let settings = "<p><strong>{}</strong><span class=\"dim\">, in {}</span></p><pre tabindex=\"0\">{}</pre>";
        page.write(settings, &[&client.title, client.settings_place(), &client.settings(&reach)]);
    }
    page.write("</div></details>", &[]);
}

fn lines(page: &mut Page, reach: &Reach) {
    for client in clients() {
        let line = "<pre class=\"line\" tabindex=\"0\" aria-label=\"{}\">{}</pre>";
        page.write(line, &[&client.title, &client.line(reach)]);
    }
}

fn skills(page: &mut Page, catalog: &Catalog) {
    page.write("<h2 id=\"skills\">Skills</h2>", &[]);
    if catalog.skills.is_empty() {
        page.write("<p>", &[]);
        page.prose("None yet: a folder with a `SKILL.md` in it, in `.agents/skills`, is one. It is served as soon as it is there.");
        page.write("</p>", &[]);
        return;
    }
    let ids = SkillIds::new(catalog);
    page.write("<ul class=\"skills\">", &[]);
    for entry in catalog.skills.iter().take(SHOWN) {
        skill(page, entry, &ids.of(entry));
    }
    page.write("</ul>", &[]);
    rest(page, catalog.skills.len(), "v1/skills");
}

fn skill(page: &mut Page, entry: &Entry, id: &str) {
    let skill = &entry.skill;
    let whose = match (entry.model, entry.user) {
        (true, true) => "",
        (true, false) => ", the model only",
        (false, true) => ", you only",
        (false, false) => ", nobody",
    };
    page.write(
        "<li><a href=\"v1/skills/{}\">{}</a><span class=\"dim\"> {}{}</span><p>{}</p></li>",
        &[id, &skill.name, skill.scope.as_str(), whose, &skill.description],
    );
}

fn findings(page: &mut Page, context: &HttpContext, snapshot: &Snapshot) {
    let problems = &snapshot.catalog.problems;
    if problems.is_empty() {
        return;
    }
    let redactor = (context.peer == Peer::Remote).then(|| Redactor::new(snapshot));
    page.write("<h2 id=\"findings\">Findings</h2><ul class=\"skills\">", &[]);
    for problem in problems.iter().take(SHOWN) {
        let mut line = ProblemLine::from(problem);
        if let Some(redactor) = &redactor {
            redactor.redact_problem(&mut line);
        }
        finding(page, &line);
    }
    page.write("</ul>", &[]);
    rest(page, problems.len(), "v1/problems");
}

fn rest(page: &mut Page, all: usize, address: &'static str) {
    if all > SHOWN {
        page.write("<p><a href=\"{}\">All {}</a></p>", &[address, &all.to_string()]);
    }
}

fn more(page: &mut Page) {
    page.write("<h2 id=\"more\">More</h2><nav aria-labelledby=\"more\"><ul>", &[]);
    let links = [
        ("docs", "API reference"),
        ("v1/skills", "Skills"),
        ("v1/problems", "Findings"),
        ("v1/hosts", "Hosts"),
        ("openapi.json", "OpenAPI"),
        ("metrics", "Metrics"),
    ];
    for (address, name) in links {
        page.write("<li><a href=\"{}\">{}</a></li>", &[address, name]);
    }
    page.write("</ul></nav>", &[]);
}
