//! Draws the home page: what is served, how an agent is connected, and what is wrong.

use axum::response::Response;
use openoxide_app::{Catalog, Entry, Level, SkillIds, Snapshot, live::WatchMode};
use openoxide_wire::ProblemLine;

use super::{HttpContext, Location, NoQuery, Page, Query, Redactor, Result};
use crate::Peer;
use crate::connect::{Reach, clients};

/// Skills and findings that are shown; the API has the rest.
const SHOWN: usize = 100;

pub(crate) async fn front(context: HttpContext, _: Query<NoQuery>) -> Result<Response> {
    let snapshot = match context.snapshot(&Location::default()).await {
        Ok(snapshot) => snapshot,
        Err(failure) if context.peer == Peer::Local => return Ok(broken(&failure.line)),
        Err(failure) => return Err(failure),
    };
    let mut page = begun();
    let title = &snapshot.view.host.title;
    let what = match context.peer {
        Peer::Local => format!("Skills as {title} sees them from {}", snapshot.place.folder.display()),
        Peer::Remote => format!("Skills as {title} sees them"),
    };
    page.tag("p", &[("class", "dim")], &what);
    numbers(&mut page, &context, &snapshot);
    connect(&mut page, &context);
    skills(&mut page, &snapshot.catalog);
    findings(&mut page, &context, &snapshot);
    more(&mut page);
    page.close("main");
    Ok(page.send())
}

fn begun() -> Page {
    let mut page = Page::new("OpenOxide");
    page.open("main", &[]);
    page.tag("h1", &[], "OpenOxide");
    page
}

/// Says why nothing can be served, to a local client, who can mend it.
fn broken(line: &ProblemLine) -> Response {
    let mut page = begun();
    page.tag("p", &[], "Nothing is served until this is mended:");
    page.open("ul", &[("class", "skills")]);
    finding(&mut page, line);
    page.close("ul");
    page.close("main");
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
    let rows = [
        ("skills that count", snapshot.catalog.skills.len().to_string()),
        ("files that do not", snapshot.catalog.others.len().to_string()),
        ("findings", format!("{} ({errors} {})", problems.len(), if errors == 1 { "error" } else { "errors" })),
        ("changes are seen", watching),
    ];
    page.open("dl", &[("class", "numbers")]);
    for (name, value) in &rows {
        page.open("div", &[]);
        page.tag("dt", &[], name);
        page.tag("dd", &[], value);
        page.close("div");
    }
    page.close("dl");
}

/// Writes what connects each client: a line for the shell, and the settings for people who prefer to see what changes.
fn connect(page: &mut Page, context: &HttpContext) {
    page.tag("h2", &[("id", "connect")], "Connect an agent");
    let address = context.headers.get(http::header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    // A client that sent a token needed it, unless the server made it: then only approvals need it.
    let is_made = context.http.options.token_file.is_some();
    let token = context.headers.contains_key(http::header::AUTHORIZATION) && !is_made;
    let reach = Reach::Url { url: format!("http://{address}/mcp"), token };
    page.tag("p", &[], "One line in a shell is enough:");
    for client in clients() {
        let facts = [("class", "line"), ("tabindex", "0"), ("aria-label", client.title.as_str())];
        page.tag("pre", &facts, &client.line(&reach));
    }
    page.open("details", &[]);
    page.tag("summary", &[], "Settings to paste instead");
    page.open("div", &[("class", "inside")]);
    for client in clients() {
        page.open("p", &[]);
        page.tag("strong", &[], &client.title);
        page.tag("span", &[("class", "dim")], &format!(", in {}", client.settings_place()));
        page.close("p");
        page.tag("pre", &[("tabindex", "0")], &client.settings(&reach));
    }
    page.close("div");
    page.close("details");
}

fn skills(page: &mut Page, catalog: &Catalog) {
    page.tag("h2", &[("id", "skills")], "Skills");
    if catalog.skills.is_empty() {
        page.prose("p", "None yet: a folder with a `SKILL.md` in it, in `.agents/skills`, is one. It is served as soon as it is there.");
        return;
    }
    let ids = SkillIds::new(catalog);
    page.open("ul", &[("class", "skills")]);
    for entry in catalog.skills.iter().take(SHOWN) {
        skill(page, entry, &format!("/v1/skills/{}", ids.of(entry)));
    }
    page.close("ul");
    rest(page, catalog.skills.len(), "/v1/skills");
}

fn skill(page: &mut Page, entry: &Entry, address: &str) {
    let skill = &entry.skill;
    let whose = match (entry.model, entry.user) {
        (true, true) => "",
        (true, false) => ", the model only",
        (false, true) => ", you only",
        (false, false) => ", nobody",
    };
    page.open("li", &[]);
    page.tag("a", &[("href", address)], &skill.name);
    page.tag("span", &[("class", "dim")], &format!(" {}{whose}", skill.scope.as_str()));
    page.tag("p", &[], &skill.description);
    page.close("li");
}

fn findings(page: &mut Page, context: &HttpContext, snapshot: &Snapshot) {
    let problems = &snapshot.catalog.problems;
    if problems.is_empty() {
        return;
    }
    page.tag("h2", &[("id", "findings")], "Findings");
    let redactor = (context.peer == Peer::Remote).then(|| Redactor::new(snapshot));
    page.open("ul", &[("class", "skills")]);
    for problem in problems.iter().take(SHOWN) {
        let mut line = ProblemLine::from(problem);
        redactor.iter().for_each(|redactor| redactor.redact_problem(&mut line));
        finding(page, &line);
    }
    page.close("ul");
    rest(page, problems.len(), "/v1/problems");
}

fn finding(page: &mut Page, line: &ProblemLine) {
    page.open("li", &[]);
    page.tag("strong", &[("class", &line.level)], &line.level);
    page.text(" ");
    page.text(&line.message);
    if let Some(path) = &line.path {
        let place = line.line.map_or_else(|| path.clone(), |number| format!("{path}:{number}"));
        page.tag("p", &[("class", "dim")], &place);
    }
    if let Some(help) = &line.help {
        page.prose("p", help);
    }
    page.close("li");
}

/// Says where the rest of a list is.
fn rest(page: &mut Page, all: usize, address: &'static str) {
    if all > SHOWN {
        page.open("p", &[]);
        page.tag("a", &[("href", address)], &format!("All {all}"));
        page.close("p");
    }
}

fn more(page: &mut Page) {
    page.tag("h2", &[("id", "more")], "More");
    page.open("nav", &[("aria-labelledby", "more")]);
    page.open("ul", &[]);
    let links = [
        ("/docs", "API reference"),
        ("/v1/skills", "Skills"),
        ("/v1/problems", "Findings"),
        ("/v1/hosts", "Hosts"),
        ("/openapi.json", "OpenAPI"),
        ("/metrics", "Metrics"),
    ];
    for (address, name) in links {
        page.open("li", &[]);
        page.tag("a", &[("href", address)], name);
        page.close("li");
    }
    page.close("ul");
    page.close("nav");
}
