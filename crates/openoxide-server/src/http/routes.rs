//! Every route, in the order in which the document lists them.

use std::collections::BTreeMap;

use openoxide_wire as wire;

use super::route::{Content, DELETE, GET, POST, Route, draw};
use super::{
    Location, activations, change, events, files, home_page, look, opencode_compat, skills, status, waiting, well_known,
};

pub(crate) fn all() -> Vec<Route> {
    let rooms = [of_skills(), of_activations(), of_looking(), of_changing(), for_other_clients(), of_the_server()];
    rooms.into_iter().flatten().collect()
}

fn of_skills() -> Vec<Route> {
    vec![
        Route::new(GET, "/v1/skills", "listSkills", skills::list)
            .about("Lists the active skills.")
            .query::<skills::ListQuery>()
            .json::<skills::SkillsAnswer>(200, "The skills, in the host's order."),
        Route::new(GET, "/v1/skills/{id}", "showSkill", skills::show)
            .about("Shows everything about one skill.")
            .query::<Location>()
            .json::<skills::SkillAnswer>(200, "The skill."),
        Route::new(GET, "/v1/skills/{id}/files", "listFiles", files::top)
            .about("Lists what is in a skill's folder, or what a server lists for it; `id` is also `mcp:SERVER/NAME`.")
            .query::<files::ReadQuery>()
            .json::<wire::ReadAnswer>(200, "The names in the folder.")
            .json::<waiting::WaitingAnswer>(202, "The user must decide something first.")
            .fails(&[404, 409, 422]),
        Route::new(GET, "/v1/skills/{id}/files/{*path}", "readFile", files::file)
            .about("Reads a file of a skill: its bytes, or JSON if the client accepts it; a folder is always JSON.")
            .query::<files::ReadQuery>()
            .answer(
                200,
                "The file, or the names in the folder.",
                vec![Content::Json(draw::<wire::ReadAnswer>), Content::Other("*/*")],
            )
            .json::<waiting::WaitingAnswer>(202, "The user must decide something first.")
            .fails(&[404, 406, 409, 422]),
        Route::new(GET, "/v1/remote", "listRemoteSkills", skills::remote)
            .about("Lists the skills that the MCP servers of the settings offer; each is called by its whole name.")
            .query::<Location>()
            .json::<wire::RemotesAnswer>(200, "The skills, by server."),
    ]
}

fn of_activations() -> Vec<Route> {
    vec![
        Route::new(POST, "/v1/skills/{id}/activate", "activateSkill", activations::activate)
            .about("Calls a skill: answers what the model is sent, or asks what the user must decide first.")
            .query::<Location>()
            .body::<activations::ActivateBody>()
            .json::<wire::ActivateAnswer>(200, "What the model is sent.")
            .json::<waiting::WaitingAnswer>(202, "The user must decide something first.")
            .fails(&[404, 409, 422]),
        Route::new(POST, "/v1/activate", "activate", activations::activate_any)
            .about("Calls a skill, or the skills that a turn of the user names.")
            .query::<Location>()
            .body::<activations::ActivateAnyInput>()
            .json::<wire::ActivateAnswer>(200, "What the model is sent.")
            .json::<waiting::WaitingAnswer>(202, "The user must decide something first.")
            .fails(&[404, 409, 422]),
        Route::new(POST, "/v1/activations/{handle}", "answerQuestion", activations::answer)
            .about("Answers the question that a call or a file waits for; only the user answers with anything but no.")
            .body::<activations::AnswerInput>()
            .answer(
                200,
                "What the model is sent, or the file.",
                vec![Content::Json(draw::<activations::AnsweredAnswer>), Content::Other("*/*")],
            )
            .json::<waiting::WaitingAnswer>(202, "The user must decide something else.")
            .fails(&[404, 406, 409, 422]),
        Route::new(DELETE, "/v1/activations/{handle}", "dropActivation", activations::drop_it)
            .about("Drops what waits for an answer.")
            .answer(204, "It waits no more.", Vec::new())
            .fails(&[404]),
    ]
}

fn of_looking() -> Vec<Route> {
    vec![
        Route::new(POST, "/v1/mentions", "findMentions", look::mentions)
            .about("Tells which skills a turn of a user names, and why not the rest.")
            .query::<Location>()
            .body::<wire::TurnInput>()
            .json::<wire::MentionsAnswer>(200, "The skills, in the order in which they are loaded.")
            .fails(&[404, 409, 422]),
        Route::new(GET, "/v1/search", "searchSkills", look::search)
            .about("Finds skills by words, best first.")
            .query::<look::SearchQuery>()
            .json::<wire::SearchAnswer>(200, "The skills that fit."),
        Route::new(GET, "/v1/prompt", "showPrompt", look::prompt)
            .about("Shows the skills as the model would see them.")
            .query::<look::PromptQuery>()
            .json::<wire::PromptAnswer>(200, "The text, and what the budget cost whom.")
            .fails(&[404, 409, 422]),
        Route::new(GET, "/v1/hosts", "listHosts", look::hosts)
            .about("Lists the hosts, and how many skills each of them sees.")
            .query::<look::HostsQuery>()
            .json::<wire::HostsAnswer>(200, "The hosts."),
        Route::new(GET, "/v1/roots", "listRoots", look::roots)
            .about("Lists where a host looks, in what order, and by what settings.")
            .query::<Location>()
            .json::<wire::RootsAnswer>(200, "The folders."),
        Route::new(GET, "/v1/problems", "listProblems", look::problems)
            .about("Lists findings about skills and settings.")
            .query::<Location>()
            .json::<look::ProblemsAnswer>(200, "The findings."),
        Route::new(GET, "/v1/events", "followChanges", events::events)
            .about("Tells of changes as they happen: first `version`, then `change`; `reload` to a client that is too far behind.")
            .query::<Location>()
            .answer(200, "A stream of events, each with JSON as its data.", vec![Content::Other("text/event-stream")]),
    ]
}

fn of_changing() -> Vec<Route> {
    vec![
        Route::new(POST, "/v1/reload", "reload", change::reload)
            .about("Looks again now, whatever was noticed.")
            .query::<Location>()
            .body::<change::Order>()
            .json::<wire::ReloadAnswer>(200, "What was seen.")
            .fails(&[404, 409, 422]),
        Route::new(POST, "/v1/skills/{id}/enable", "enableSkill", change::switch::<true>)
            .about("Switches a skill on, in OpenOxide's own settings; only the user does.")
            .query::<Location>()
            .body::<change::SwitchInput>()
            .json::<wire::ChangeAnswer>(200, "What was written.")
            .fails(&[404, 409, 422]),
        Route::new(POST, "/v1/skills/{id}/disable", "disableSkill", change::switch::<false>)
            .about("Switches a skill off, in OpenOxide's own settings; only the user does.")
            .query::<Location>()
            .body::<change::SwitchInput>()
            .json::<wire::ChangeAnswer>(200, "What was written.")
            .fails(&[404, 409, 422]),
    ]
}

fn for_other_clients() -> Vec<Route> {
    vec![
        Route::new(GET, "/skill", "listSkillRecords", opencode_compat::skills)
            .about("Lists skills as clients of another program expect them.")
            .query::<opencode_compat::RecordsQuery>()
            .json::<Vec<opencode_compat::SkillRecord>>(200, "The skills."),
        Route::new(GET, "/command", "listCommandRecords", opencode_compat::commands)
            .about("Lists skills as commands, as clients of another program expect them.")
            .query::<opencode_compat::RecordsQuery>()
            .json::<Vec<opencode_compat::CommandRecord>>(200, "The skills."),
        Route::new(GET, "/.well-known/agent-skills/index.json", "discoverSkills", well_known::index)
            .about("Lists the skills that are published, by version 0.2.0 of the discovery format.")
            .json::<well_known::Index>(200, "The index."),
        Route::new(GET, "/.well-known/agent-skills/{file}", "fetchArchive", well_known::archive)
            .about("Fetches a skill's folder, as `NAME.tar.gz`.")
            .answer(200, "The archive.", vec![Content::Other("application/gzip")]),
        Route::new(GET, "/.well-known/agent-skills/{name}/{*path}", "fetchFile", well_known::file)
            .about("Fetches a file of a skill.")
            .answer(200, "The file.", vec![Content::Other("*/*")]),
        Route::new(GET, "/.well-known/skills/index.json", "discoverSkillsOld", well_known::old_index)
            .about("Lists the skills that are published, by version 0.1 of the discovery format.")
            .json::<well_known::OldIndex>(200, "The index."),
        Route::new(GET, "/.well-known/skills/{name}/{*path}", "fetchFileOld", well_known::file)
            .about("Fetches a file of a skill.")
            .answer(200, "The file.", vec![Content::Other("*/*")]),
    ]
}

fn of_the_server() -> Vec<Route> {
    let page = || vec![Content::Other("text/html")];
    vec![
        Route::new(GET, "/healthz", "health", status::health)
            .about("Tells that the server answers.")
            .answer(200, "It does.", vec![Content::Other("text/plain")])
            .fails(&[]),
        Route::new(GET, "/metrics", "metrics", status::metrics)
            .about("Shows numbers in the text format of Prometheus.")
            .answer(200, "The numbers.", vec![Content::Other("text/plain")]),
        Route::new(GET, "/openapi.json", "describe", status::document)
            .about("Describes every route.")
            .json::<BTreeMap<String, serde_json::Value>>(200, "This document.")
            .fails(&[]),
        Route::new(GET, "/docs", "docs", status::docs)
            .about("Describes every route for people.")
            .answer(200, "A page.", page())
            .fails(&[]),
        Route::new(GET, "/", "front", home_page::front).about("Shows people what is served.").answer(
            200,
            "A page.",
            page(),
        ),
    ]
}
