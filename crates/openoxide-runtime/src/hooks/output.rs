//! Interprets the exit status and the output of a hook.

use openoxide_sandbox::{Ended, Outcome, SandboxError};
use openoxide_skills::host::HookEvent;
use serde_json::{Map, Value};

use crate::{Decision, Halt, HookMessage, Notice, Ruling, Verdict};

/// The exit status that keeps things from happening.
const BLOCK: i32 = 2;

/// How much of an error is shown.
const SHOWN: usize = 300;

/// Reads what a hook says.
pub(crate) struct Listener<'a> {
    /// The event.
    pub(crate) event: HookEvent,
    /// The skill.
    pub(crate) skill: &'a str,
    /// The command, as it is shown.
    pub(crate) command: &'a str,
    /// The most characters of one text.
    pub(crate) max: usize,
    /// Takes out what nobody may see.
    pub(crate) clean: &'a dyn Fn(String) -> String,
}

/// What a hook said.
pub(crate) struct HookOutput {
    pub(crate) verdict: Verdict,
    /// Whether it neither failed nor kept anything from happening.
    pub(crate) succeeded: bool,
}

impl Listener<'_> {
    pub(crate) fn hear(&self, outcome: Result<Outcome, SandboxError>) -> HookOutput {
        let mut verdict = Verdict::default();
        let status = match &outcome {
            Ok(Outcome { ended: Ended::Exit(status), .. }) => *status,
            Ok(outcome) => return self.failed(&format!("it {}", outcome.ended)),
            Err(error) => return self.failed(&error.to_string()),
        };
        let (stdout, stderr) = outcome.map(|outcome| (outcome.stdout, outcome.stderr)).unwrap_or_default();
        let stdout = String::from_utf8_lossy(&stdout);
        let stderr = self.text(String::from_utf8_lossy(&stderr).trim());
        let stdout = stdout.trim();
        let json = stdout.starts_with('{').then(|| serde_json::from_str::<Map<String, Value>>(stdout));
        match &json {
            Some(Ok(json)) => Answer { listener: self, json }.into_verdict(&mut verdict),
            Some(Err(error)) => verdict.notices.push(self.notice(&format!("its answer is no JSON: {error}"))),
            None => {}
        }
        let is_json = matches!(json, Some(Ok(_)));
        match status {
            0 if !is_json && self.tells_model() && !stdout.is_empty() => {
                verdict.context.push(self.said(self.text(stdout)));
            }
            0 => {}
            BLOCK => self.block(&mut verdict, json.and_then(Result::ok).as_ref(), stderr),
            _ if is_json => {}
            status => {
                let what = format!("it exited with status {status}{}", after_colon(&stderr));
                verdict.notices.push(self.notice(&what));
            }
        }
        let is_denied = verdict.decision.as_ref().is_some_and(|decision| decision.ruling == Ruling::Deny);
        let succeeded = status == 0 && !is_denied && verdict.block.is_none();
        HookOutput { verdict, succeeded }
    }

    /// Keeps the event from happening, if that is possible. JSON gives the reason, and cannot undo it.
    fn block(&self, verdict: &mut Verdict, json: Option<&Map<String, Value>>, stderr: String) {
        let own = verdict.decision.take().and_then(|decision| decision.reason).or(verdict.block.take());
        let own = own.or_else(|| json.and_then(|json| json.get("reason")?.as_str()).map(|reason| self.text(reason)));
        let said = own.or(Some(stderr).filter(|stderr| !stderr.is_empty()));
        let reason = || format!("a hook of `{}` does not allow it", self.skill);
        match self.event {
            HookEvent::PreToolUse => {
                let reason = Some(said.unwrap_or_else(reason));
                verdict.decision = Some(Decision { ruling: Ruling::Deny, reason });
            }
            event if event.can_block() => verdict.block = Some(said.unwrap_or_else(reason)),
            // The tool was used already: the model can only be told.
            HookEvent::PostToolUse => verdict.context.extend(said.map(|text| self.said(text))),
            _ => {
                let what = format!("it exited with status 2{}", after_colon(&said.unwrap_or_default()));
                verdict.notices.push(self.notice(&what));
            }
        }
    }

    /// Tells whether plain output goes to the model.
    fn tells_model(&self) -> bool {
        matches!(self.event, HookEvent::UserPromptSubmit | HookEvent::SessionStart | HookEvent::SkillActivated)
    }

    fn failed(&self, what: &str) -> HookOutput {
        let what = (self.clean)(what.to_owned());
        let verdict = Verdict { notices: vec![self.notice(&what)], ..Verdict::default() };
        HookOutput { verdict, succeeded: false }
    }

    pub(crate) fn notice(&self, what: &str) -> Notice {
        let text = format!("its hook on {} `{}` decides nothing: {what}", self.event.as_str(), self.command);
        Notice::new(self.skill, text)
    }

    fn said(&self, text: String) -> HookMessage {
        HookMessage { skill: self.skill.to_owned(), text }
    }

    /// Returns a text without secrets, within bounds.
    fn text(&self, text: &str) -> String {
        cut((self.clean)(text.to_owned()), self.max)
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
}

/// The JSON that a hook answers with.
struct Answer<'a> {
    listener: &'a Listener<'a>,
    json: &'a Map<String, Value>,
}

impl Answer<'_> {
    fn into_verdict(self, verdict: &mut Verdict) {
        let listener = self.listener;
        if self.json.get("continue") == Some(&Value::Bool(false)) {
            verdict.halt = Some(Halt { reason: self.text(self.json, "stopReason", verdict) });
        }
        let message = self.text(self.json, "systemMessage", verdict);
        verdict.messages.extend(message.map(|text| listener.said(text)));
        self.decision(verdict);
        match self.json.get("hookSpecificOutput") {
            None | Some(Value::Null) => {}
            Some(Value::Object(specific)) => self.specific(specific, verdict),
            Some(_) => self.odd("hookSpecificOutput", verdict),
        }
    }

    /// Reads what stands at the top: whether it is to happen.
    fn decision(&self, verdict: &mut Verdict) {
        let reason = self.text(self.json, "reason", verdict);
        let ours = || format!("a hook of `{}` does not allow it", self.listener.skill);
        match (self.listener.event, self.json.get("decision").and_then(Value::as_str)) {
            (_, None) if self.json.get("decision").is_none_or(Value::is_null) => {}
            (HookEvent::PreToolUse, Some("block")) => {
                verdict.decision = Some(Decision { ruling: Ruling::Deny, reason });
            }
            (HookEvent::PreToolUse, Some("approve")) => {
                verdict.decision = Some(Decision { ruling: Ruling::Allow, reason });
            }
            (HookEvent::UserPromptSubmit | HookEvent::Stop | HookEvent::PostToolUse, Some("block")) => {
                verdict.block = Some(reason.unwrap_or_else(ours));
            }
            // What allows everything changes nothing.
            (_, Some("approve" | "allow")) => {}
            _ => self.odd("decision", verdict),
        }
    }

    /// Reads what is said for this event.
    fn specific(&self, specific: &Map<String, Value>, verdict: &mut Verdict) {
        let (listener, event) = (self.listener, self.listener.event);
        let named = specific.get("hookEventName").filter(|name| !name.is_null());
        if named.is_some_and(|name| name.as_str() != Some(event.as_str())) {
            return self.odd("hookEventName", verdict);
        }
        let context = self.text(specific, "additionalContext", verdict).filter(|text| !text.is_empty());
        verdict.context.extend(context.map(|text| listener.said(text)));
        if event == HookEvent::PreToolUse {
            let reason = self.text(specific, "permissionDecisionReason", verdict);
            match self.text(specific, "permissionDecision", verdict).map(|word| Ruling::parse(&word)) {
                None => {}
                Some(Some(ruling)) => verdict.decision = Some(Decision { ruling, reason }),
                Some(None) => self.odd("permissionDecision", verdict),
            }
            match specific.get("updatedInput") {
                None | Some(Value::Null) => {}
                Some(input @ Value::Object(_)) => verdict.updated_input = Some(listener.value(input)),
                Some(_) => self.odd("updatedInput", verdict),
            }
        }
        if event == HookEvent::PostToolUse {
            let output = specific.get("updatedToolOutput").filter(|output| !output.is_null());
            verdict.updated_output = output.map(|output| listener.value(output));
        }
    }

    fn text(&self, fields: &Map<String, Value>, key: &str, verdict: &mut Verdict) -> Option<String> {
        match fields.get(key)? {
            Value::String(text) => Some(self.listener.text(text)),
            Value::Null => None,
            _ => {
                self.odd(key, verdict);
                None
            }
        }
    }

    fn odd(&self, key: &str, verdict: &mut Verdict) {
        let what = format!("`{key}` in its answer is not understood");
        verdict.notices.push(self.listener.notice(&what));
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
