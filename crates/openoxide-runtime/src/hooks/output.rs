//! Interprets the exit status and the output of a hook.

use openoxide_sandbox::{Change, Ended, Outcome, SandboxError};
use openoxide_skills::{host::HookEvent, text::visible};
use serde_json::{Map, Value};

use crate::changes::changes_told;
use crate::{Decision, Halt, HookMessage, Notice, Ruling, Verdict};

/// The exit status that keeps things from happening.
const BLOCK: i32 = 2;

/// How much of an error is shown.
const SHOWN: usize = 300;

/// Interprets what one hook does and says.
pub(crate) struct Listener<'a> {
    pub(crate) event: HookEvent,
    pub(crate) skill: &'a str,
    /// The command, as it is shown.
    pub(crate) command: &'a str,
    /// The most characters of one text.
    pub(crate) max: usize,
    /// Takes out what nobody may see.
    pub(crate) clean: &'a dyn Fn(String) -> String,
    pub(crate) verdict: Verdict,
}

impl Listener<'_> {
    /// Returns what the hook says, and whether it neither failed nor kept anything from happening.
    pub(crate) fn hear(mut self, outcome: Result<Outcome, SandboxError>) -> (Verdict, bool) {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return self.failed(error.to_string()),
        };
        // Hooks run often, so only failures are reported.
        let refused: Vec<Change> = outcome.changes.iter().filter(|change| change.refused.is_some()).cloned().collect();
        let told = changes_told(self.command, &refused);
        self.verdict.notices.extend(told.into_iter().map(|text| Notice::new(self.skill, text)));
        let Ended::Exit(status) = outcome.ended else { return self.failed(format!("it {}", outcome.ended)) };
        let stdout = String::from_utf8_lossy(&outcome.stdout);
        let (stdout, stderr) = (stdout.trim(), self.text(String::from_utf8_lossy(&outcome.stderr).trim()));
        let json = stdout.starts_with('{').then(|| serde_json::from_str::<Map<String, Value>>(stdout));
        match &json {
            Some(Ok(json)) => self.read(json),
            Some(Err(error)) => self.note(&format!("its answer is no JSON: {error}")),
            None => {}
        }
        let json = json.and_then(Result::ok);
        match status {
            0 if json.is_none() && self.tells_model() && !stdout.is_empty() => {
                self.verdict.context.push(self.said(self.text(stdout)));
            }
            0 => {}
            BLOCK => self.block(json.as_ref(), stderr),
            _ if json.is_some() => {}
            status => self.note(&format!("it exited with status {status}{}", after_colon(&stderr))),
        }
        let is_denied = self.verdict.decision.as_ref().is_some_and(|decision| decision.ruling == Ruling::Deny);
        let succeeded = status == 0 && !is_denied && self.verdict.block.is_none();
        (self.verdict, succeeded)
    }

    /// Keeps the event from happening, if that is possible. JSON gives the reason, and cannot undo it.
    fn block(&mut self, json: Option<&Map<String, Value>>, stderr: String) {
        let own = self.verdict.decision.take().and_then(|decision| decision.reason).or(self.verdict.block.take());
        let own = own.or_else(|| json.and_then(|json| json.get("reason")?.as_str()).map(|reason| self.text(reason)));
        let said = own.or(Some(stderr).filter(|stderr| !stderr.is_empty()));
        match self.event {
            HookEvent::PreToolUse => {
                let reason = Some(said.unwrap_or_else(|| self.no_reason()));
                self.verdict.decision = Some(Decision { ruling: Ruling::Deny, reason });
            }
            event if event.can_block() => self.verdict.block = Some(said.unwrap_or_else(|| self.no_reason())),
            // The tool was used already: the model can only get a note.
            HookEvent::PostToolUse => self.verdict.context.extend(said.map(|text| self.said(text))),
            _ => self.note(&format!("it exited with status 2{}", after_colon(&said.unwrap_or_default()))),
        }
    }

    fn no_reason(&self) -> String {
        format!("a hook of `{}` does not allow it", self.skill)
    }

    /// Tells whether plain output goes to the model.
    fn tells_model(&self) -> bool {
        matches!(self.event, HookEvent::UserPromptSubmit | HookEvent::SessionStart | HookEvent::SkillActivated)
    }

    fn failed(mut self, what: String) -> (Verdict, bool) {
        self.note(&(self.clean)(what));
        (self.verdict, false)
    }

    pub(crate) fn note(&mut self, what: &str) {
        let text = format!("its hook on {} `{}` decides nothing: {what}", self.event.as_str(), self.command);
        self.verdict.notices.push(Notice::new(self.skill, text));
    }

    fn said(&self, text: String) -> HookMessage {
        HookMessage { skill: self.skill.to_owned(), text }
    }

    /// Returns a text without secrets, hiding nothing, within bounds.
    fn text(&self, text: &str) -> String {
        cut(visible(&(self.clean)(text.to_owned())).into_owned(), self.max)
    }

    /// Returns a value without secrets.
    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String((self.clean)(text.clone())),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let field = |(key, value): (&String, &Value)| ((self.clean)(key.clone()), self.value(value));
                Value::Object(fields.iter().map(field).collect())
            }
            other => other.clone(),
        }
    }

    /// Reads the JSON that a hook answers with.
    fn read(&mut self, json: &Map<String, Value>) {
        if json.get("continue") == Some(&Value::Bool(false)) {
            self.verdict.halt = Some(Halt { reason: self.text_of(json, "stopReason") });
        }
        let message = self.text_of(json, "systemMessage").map(|text| self.said(text));
        self.verdict.messages.extend(message);
        self.read_decision(json);
        match json.get("hookSpecificOutput") {
            None | Some(Value::Null) => {}
            Some(Value::Object(specific)) => self.read_specific(specific),
            Some(_) => self.odd("hookSpecificOutput"),
        }
    }

    /// Reads what stands at the top: whether it is to happen.
    fn read_decision(&mut self, json: &Map<String, Value>) {
        let reason = self.text_of(json, "reason");
        match (self.event, json.get("decision").and_then(Value::as_str)) {
            (_, None) if json.get("decision").is_none_or(Value::is_null) => {}
            (HookEvent::PreToolUse, Some("block")) => {
                self.verdict.decision = Some(Decision { ruling: Ruling::Deny, reason });
            }
            (HookEvent::PreToolUse, Some("approve")) => {
                self.verdict.decision = Some(Decision { ruling: Ruling::Allow, reason });
            }
            (HookEvent::UserPromptSubmit | HookEvent::Stop | HookEvent::PostToolUse, Some("block")) => {
                self.verdict.block = Some(reason.unwrap_or_else(|| self.no_reason()));
            }
            // What allows everything changes nothing.
            (_, Some("approve" | "allow")) => {}
            _ => self.odd("decision"),
        }
    }

    /// Reads what is said for this event.
    fn read_specific(&mut self, specific: &Map<String, Value>) {
        let named = specific.get("hookEventName").filter(|name| !name.is_null());
        if named.is_some_and(|name| name.as_str() != Some(self.event.as_str())) {
            return self.odd("hookEventName");
        }
        let context = self.text_of(specific, "additionalContext").filter(|text| !text.is_empty());
        self.verdict.context.extend(context.map(|text| self.said(text)));
        if self.event == HookEvent::PreToolUse {
            let reason = self.text_of(specific, "permissionDecisionReason");
            match self.text_of(specific, "permissionDecision").map(|word| Ruling::parse(&word)) {
                None => {}
                Some(Some(ruling)) => self.verdict.decision = Some(Decision { ruling, reason }),
                Some(None) => self.odd("permissionDecision"),
            }
            match specific.get("updatedInput") {
                None | Some(Value::Null) => {}
                Some(input @ Value::Object(_)) => self.verdict.updated_input = Some(self.value(input)),
                Some(_) => self.odd("updatedInput"),
            }
        }
        if self.event == HookEvent::PostToolUse {
            let output = specific.get("updatedToolOutput").filter(|output| !output.is_null());
            self.verdict.updated_output = output.map(|output| self.value(output));
        }
    }

    fn text_of(&mut self, fields: &Map<String, Value>, key: &str) -> Option<String> {
        match fields.get(key)? {
            Value::String(text) => Some(self.text(text)),
            Value::Null => None,
            _ => {
                self.odd(key);
                None
            }
        }
    }

    fn odd(&mut self, key: &str) {
        self.note(&format!("`{key}` in its answer is not understood"));
    }
}

fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {}", cut(text.to_owned(), SHOWN)) }
}

/// Cuts a text to so many characters, and says so.
fn cut(mut text: String, max: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(max) {
        text.truncate(at);
        text.push_str("\n[cut here]");
    }
    text
}
