//! A question to the user as a form: what would happen, whole, and the answers that make sense.

use openoxide_app::{Answer, Choice, Question, RequestedPermission, TerminalText};
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema, PrimitiveSchemaDefinition,
};

/// The field of a form that holds the answer.
const FIELD: &str = "answer";
/// Most bytes of a question. What is not shown must not run, so that nothing is cut.
const MESSAGE_MAX: usize = 16 * 1024;

/// Makes the form of a question; an error says why it cannot be asked in this way.
pub(super) fn form(question: &Question) -> Result<ElicitRequestParams, String> {
    let message = message(question)?;
    let offered = offered(question);
    let words = offered.iter().map(|choice| choice.as_str().to_owned()).collect();
    let titles = offered.iter().map(|choice| title(question, *choice).to_owned()).collect();
    let field = EnumSchema::builder(words)
        .enum_titles(titles)
        .and_then(|builder| builder.with_default(Choice::No.as_str().to_owned()))?
        .title("Your answer")
        .build();
    let schema = ElicitationSchema::builder()
        .required_property(FIELD, PrimitiveSchemaDefinition::Enum(field))
        .build()
        .map_err(str::to_owned)?;
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema })
}

/// Reads the answer to a question. Whatever is not one of the answers that were offered is no.
pub(super) fn answer(question: &Question, result: &ElicitResult) -> Answer {
    if result.action != ElicitationAction::Accept {
        return Answer::No;
    }
    let word = result.content.as_ref().and_then(|content| content.get(FIELD)).and_then(|word| word.as_str());
    let choice = word.and_then(Choice::parse).filter(|choice| offered(question).contains(choice));
    choice.and_then(|choice| choice.answer(None)).unwrap_or(Answer::No)
}

/// Returns the answers that make sense; a form takes no secrets.
fn offered(question: &Question) -> Vec<Choice> {
    let mut offered = question.offered(true);
    offered.retain(|choice| *choice != Choice::Value);
    offered
}

fn title(question: &Question, choice: Choice) -> &'static str {
    match choice {
        Choice::Once if question.choices().len() == 2 => "Yes",
        Choice::Once => "Yes, this time",
        Choice::Session => "Yes, in this conversation",
        Choice::Always if matches!(question, Question::RequestedPermissions { .. } | Question::Remote { .. }) => {
            "Always, as long as the skill stays as it is"
        }
        Choice::Always => "Always",
        Choice::Value => "A value",
        Choice::No => "No",
    }
}

/// Says what would happen, whole; an error says why that is not said in this way.
pub(super) fn message(question: &Question) -> Result<String, String> {
    let message = text(question)?;
    match message.len() {
        0..=MESSAGE_MAX => Ok(message),
        _ => Err("what would happen is too long to be shown in a form".to_owned()),
    }
}

fn text(question: &Question) -> Result<String, String> {
    match question {
        Question::Permission { permission, subject, skill, place } => {
            let what = match permission.as_str() {
                "read" => format!("read `{}`", TerminalText(subject)),
                _ => format!("use the skill `{}`", TerminalText(skill)),
            };
            Ok(format!("The model wants to {what}.\nFrom {}", TerminalText(place)))
        }
        Question::RequestedPermissions { skill, path, digest, changed, permissions } => {
            let changed = if *changed { "It has changed since you allowed this. " } else { "" };
            let mut text = format!("{changed}The skill `{}` wants to ", TerminalText(skill));
            let parts: Vec<String> = permissions.iter().map(permission_text).collect();
            text.push_str(&parts.join("\nIt also wants to "));
            let folder = path.parent().unwrap_or(path).to_string_lossy().into_owned();
            Ok(format!("{text}\nFrom {} ({digest})", TerminalText(&folder)))
        }
        Question::Server { name, target, transport, skills, .. } => {
            let how = if transport == "stdio" { "started as this program" } else { "reached at this address" };
            Ok(format!(
                "{} needs the MCP server `{}`. It is {how}, and would be added to your settings:\n{}",
                TerminalText(&skills.join(", ")),
                TerminalText(name),
                quoted(target)
            ))
        }
        Question::Remote { offer, changed } => {
            let changed = if *changed { "It has changed since you allowed this. " } else { "" };
            let size = offer.size.map_or_else(
                || "the server makes it up when it is asked".to_owned(),
                |(files, bytes)| format!("{files} files, {bytes} bytes"),
            );
            Ok(format!(
                "{changed}The model wants to use `{}`, a skill of the MCP server `{}`: {}\n{}\n    {size}",
                TerminalText(&offer.name),
                TerminalText(&offer.server),
                TerminalText(&offer.about),
                quoted(&offer.uri)
            ))
        }
        Question::Secret { variable, .. } => Err(format!(
            "a secret is never asked for over MCP; set {} in the environment of OpenOxide",
            TerminalText(variable)
        )),
        Question::Setting { key, .. } => {
            Err(format!("settings are not changed over MCP; run `openoxide config set {}`", TerminalText(key)))
        }
        Question::Login { server, .. } => {
            Err(format!("a login to `{}` needs a terminal: run `openoxide activate`", TerminalText(server)))
        }
    }
}

fn permission_text(permission: &RequestedPermission) -> String {
    let items: Vec<String> = permission.items().iter().map(|item| quoted(item)).collect();
    format!("{}:\n{}", permission.title(), items.join("\n"))
}

/// Quotes a text line by line, so that it cannot look like ours.
fn quoted(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {}", TerminalText(line)));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use openoxide_app::PermissionKind;
    use serde_json::json;

    use super::*;

    fn shell(command: &str) -> Question {
        Question::RequestedPermissions {
            skill: "deploy".to_owned(),
            path: "/s/deploy/SKILL.md".into(),
            digest: "sha256:00".to_owned(),
            changed: false,
            permissions: vec![RequestedPermission::new(PermissionKind::Shell, [command.to_owned()], Vec::new())],
        }
    }

    #[test]
    fn a_form_shows_exactly_what_would_run() {
        let form = serde_json::to_value(form(&shell("git log\nrm -rf \u{1b}[2K x")).unwrap()).unwrap();
        let message = form["message"].as_str().unwrap();
        assert!(message.contains("\n    git log\n    rm -rf \\u{1b}[2K x\n"), "{message}");
        assert_eq!(form["mode"], "form");
        let words: Vec<&str> = form["requestedSchema"]["properties"]["answer"]["oneOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["const"].as_str().unwrap())
            .collect();
        assert_eq!(words, ["once", "session", "always", "no"]);
    }

    #[test]
    fn only_what_was_offered_is_a_yes() {
        let said = |content: serde_json::Value| ElicitResult::new(ElicitationAction::Accept).with_content(content);
        let question = shell("x");
        assert!(matches!(answer(&question, &said(json!({"answer": "session"}))), Answer::Session));
        assert!(matches!(answer(&question, &said(json!({"answer": "always"}))), Answer::Always));
        for bad in [json!({}), json!({"answer": true}), json!({"answer": "yes"}), json!("once")] {
            assert!(matches!(answer(&question, &said(bad)), Answer::No));
        }
        let declined = ElicitResult::new(ElicitationAction::Decline).with_content(json!({"answer": "once"}));
        assert!(matches!(answer(&question, &declined), Answer::No));
    }

    #[test]
    fn secrets_and_what_is_too_long_are_not_asked_by_form() {
        let secret = Question::Secret { variable: "TOKEN".to_owned(), about: None, skills: vec![] };
        assert!(form(&secret).unwrap_err().contains("set TOKEN in the environment"));
        assert!(form(&shell(&"x".repeat(MESSAGE_MAX))).unwrap_err().contains("too long"));
    }
}
