//! The questions on the page of a session: shown whole, and answered there by the user.

use axum::response::IntoResponse as _;
use axum::{RequestExt as _, extract::Form, extract::Request};
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderValue, StatusCode};
use openoxide_app::{TerminalText, question_line};
use openoxide_wire::QuestionLine;

use super::activations::AnswerInput;
use super::waiting::{choices, not_pending};
use super::{HttpContext, NoQuery, Page, Path, Query, Result};
use crate::{Failure, PendingOperation};

/// Takes the answer to a question from the page, and leads back to it. The operation goes on when its client asks again.
pub(crate) async fn answer(
    context: HttpContext,
    Path(handle): Path<String>,
    _: Query<NoQuery>,
    request: Request,
) -> Result {
    context.needs_person("only the user answers on the page")?;
    let form: Result<Form<AnswerInput>, _> = request.extract().await;
    let bad = |error: axum::extract::rejection::FormRejection| {
        Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-body", error.body_text())
    };
    let Form(input) = form.map_err(bad)?;
    let answered = context.engine.pending.update(&handle, |waiting| {
        let answer = input.answer(&waiting.question)?;
        // Of two pages that show the question, the one that answers first counts: a no stays a no.
        waiting.answer.get_or_insert(answer);
        Ok::<_, Failure>(())
    });
    answered.map_err(not_pending)??;
    let headers = [(LOCATION, HeaderValue::from_static("../")), (CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// Writes every question that waits, with its answers as buttons; tells whether there is one.
pub(crate) fn draw(page: &mut Page, context: &HttpContext) -> bool {
    let line = |waiting: &PendingOperation| QuestionLine {
        choices: choices(&waiting.question),
        ..question_line(&waiting.question)
    };
    let look =
        |handle: &str, waiting: &PendingOperation| Some((handle.to_owned(), line(waiting), waiting.answer.is_some()));
    let questions = context.engine.pending.all(look);
    if questions.is_empty() {
        return false;
    }
    page.write("<h2 id=\"questions\">Questions</h2><ul class=\"skills\">", &[]);
    for (handle, line, is_answered) in &questions {
        page.write("<li>", &[]);
        question(page, line);
        match is_answered {
            true => page.write("<p class=\"dim\">Answered. The program gets the answer when it asks again.</p>", &[]),
            false => buttons(page, handle, line),
        }
        page.write("</li>", &[]);
    }
    page.write("</ul>", &[]);
    true
}

/// Shows a text line by line, without characters that hide or turn what stands beside them.
fn plain(text: &str) -> String {
    text.lines().map(|line| TerminalText(line).to_string()).collect::<Vec<_>>().join("\n")
}

fn question(page: &mut Page, line: &QuestionLine) {
    let skills = plain(&line.skills.join(", "));
    let subject = &*plain(line.subject.as_deref().unwrap_or_default());
    match line.kind.as_str() {
        "permission" if line.permission.as_deref() == Some("read") => {
            page.write("<p><strong>A program wants to read {}.</strong></p>", &[subject]);
        }
        "permission" => page.write("<p><strong>A program wants to use the skill {}.</strong></p>", &[&skills]),
        "requested-permissions" => page.write("<p><strong>The skill {} asks for permissions.</strong></p>", &[&skills]),
        "secret" => page.write("<p><strong>{} needs a value for {}.</strong></p>", &[&skills, subject]),
        "server" => page.write(
            "<p><strong>{} needs the MCP server {}, which would be added to your settings.</strong></p>",
            &[&skills, subject],
        ),
        "remote" => page.write(
            "<p><strong>A program wants to use {}, a skill of the MCP server {}.</strong></p>",
            &[&skills, subject],
        ),
        "login" => page.write("<p><strong>The MCP server {} wants a login.</strong></p>", &[subject]),
        _ => page.write("<p><strong>The setting {} would be changed.</strong></p>", &[subject]),
    }
    if line.changed {
        page.write("<p>It has changed since you approved it.</p>", &[]);
    }
    if let Some(about) = &line.about {
        page.write("<p>{}</p>", &[&plain(about)]);
    }
    for permission in &line.permissions {
        page.write("<p>It wants to {}:</p>", &[&permission.title]);
        for item in &permission.items {
            page.write("<pre class=\"line\" tabindex=\"0\">{}</pre>", &[&plain(item)]);
        }
    }
    if let Some(target) = &line.target {
        page.write("<pre class=\"line\" tabindex=\"0\">{}</pre>", &[&plain(target)]);
    }
    for text in [&line.transport, &line.path, &line.digest].into_iter().flatten() {
        page.write("<p class=\"dim\">{}</p>", &[&plain(text)]);
    }
}

fn buttons(page: &mut Page, handle: &str, line: &QuestionLine) {
    page.write("<form method=\"post\" action=\"questions/{}\">", &[handle]);
    for choice in &line.choices {
        let title = match choice.as_str() {
            "once" => "Approve once",
            "always" => "Always approve",
            "value" => {
                let label = "<label>Value <input type=\"password\" name=\"value\" autocomplete=\"off\"></label> ";
                page.write(label, &[]);
                "Use this value"
            }
            _ => "No",
        };
        page.write("<button name=\"answer\" value=\"{}\">{}</button> ", &[choice, title]);
    }
    page.write("</form>", &[]);
}
