//! The verdict of all the hooks of one event.

use openoxide_skills::text::{TerminalText, visible};
use serde_json::Value;

use crate::Notice;

/// What the hooks of an event say together. The caller acts on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// What is to become of the call of a tool, if a hook decided. An allow spares a question; it is no match for a rule
    /// of the user that denies.
    pub decision: Option<Decision>,
    /// Why the prompt or the end of the turn must not happen; after a tool, the note that the model gets about it.
    pub block: Option<String>,
    /// Whether everything is to stop.
    pub halt: Option<Halt>,
    /// What the model gets besides.
    pub context: Vec<HookMessage>,
    /// What the tool is to be called with instead.
    pub updated_input: Option<Value>,
    /// What is to take the place of the tool's output.
    pub updated_output: Option<Value>,
    /// Whether hooks of a skill stay that the model wanted to be deactivated, because they can forbid something.
    pub guarded: bool,
    /// Notices for people.
    pub messages: Vec<HookMessage>,
    /// What people should know about the hooks themselves.
    pub notices: Vec<Notice>,
}

/// What a hook of a skill says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookMessage {
    /// The skill.
    pub skill: String,
    /// What.
    pub text: String,
}

impl HookMessage {
    /// Returns the text for the model. A command wrote it, so it says whose it is, and every line is marked: it passes neither
    /// for the text of a skill nor for a note of OpenOxide.
    pub fn quoted(&self) -> String {
        let mut quoted = format!("A hook of the skill `{}` says:", TerminalText(&self.skill));
        for line in visible(&self.text).lines() {
            quoted.push_str("\n> ");
            quoted.push_str(line);
        }
        quoted
    }
}

/// Everything is to stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Halt {
    /// Why, for people.
    pub reason: Option<String>,
}

/// What is to become of the call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What.
    pub ruling: Ruling,
    /// Why.
    pub reason: Option<String>,
}

/// What is to become of the call of a tool, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruling {
    /// It needs no question.
    Allow,
    /// The user is asked.
    Ask,
    /// It waits for a decision that is made elsewhere.
    Defer,
    /// It must not happen.
    Deny,
}

impl Ruling {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Ruling::Allow => "allow",
            Ruling::Ask => "ask",
            Ruling::Defer => "defer",
            Ruling::Deny => "deny",
        }
    }

    /// Finds the ruling of a word.
    pub fn parse(word: &str) -> Option<Ruling> {
        [Ruling::Allow, Ruling::Ask, Ruling::Defer, Ruling::Deny].into_iter().find(|ruling| ruling.as_str() == word)
    }
}

impl Verdict {
    /// Adds what one more hook says. The strictest ruling wins, and the last input and output.
    pub(crate) fn add(&mut self, other: Verdict) {
        if let Some(new) = other.decision {
            self.decide(new);
        }
        join(&mut self.block, other.block);
        if let Some(new) = other.halt {
            join(&mut self.halt.get_or_insert_default().reason, new.reason);
        }
        self.context.extend(other.context);
        self.updated_input = other.updated_input.or(self.updated_input.take());
        self.updated_output = other.updated_output.or(self.updated_output.take());
        self.messages.extend(other.messages);
        self.notices.extend(other.notices);
    }

    fn decide(&mut self, new: Decision) {
        match &mut self.decision {
            Some(old) if old.ruling > new.ruling => {}
            Some(old) if old.ruling == new.ruling => join(&mut old.reason, new.reason),
            _ => self.decision = Some(new),
        }
    }

    /// Takes back what makes no sense with the ruling: a call that does not happen now has no input.
    pub(crate) fn settle(&mut self) {
        let happens = self.decision.as_ref().is_none_or(|decision| decision.ruling <= Ruling::Ask);
        if !happens {
            self.updated_input = None;
        }
    }
}

fn join(text: &mut Option<String>, more: Option<String>) {
    *text = match (text.take(), more) {
        (Some(text), Some(more)) => Some(format!("{text}\n{more}")),
        (text, more) => text.or(more),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ruled(ruling: Ruling) -> Verdict {
        let decision = Some(Decision { ruling, reason: Some(ruling.as_str().to_owned()) });
        Verdict { decision, updated_input: Some(json!({})), ..Verdict::default() }
    }

    #[test]
    fn the_strictest_ruling_wins_in_every_order() {
        let all = [Ruling::Allow, Ruling::Ask, Ruling::Defer, Ruling::Deny];
        for (rank, first) in all.into_iter().enumerate() {
            assert_eq!(Ruling::parse(first.as_str()), Some(first));
            for (other, second) in all.into_iter().enumerate() {
                let mut verdict = ruled(first);
                verdict.add(ruled(second));
                verdict.settle();
                let won = all[rank.max(other)];
                assert_eq!(verdict.decision.as_ref().unwrap().ruling, won, "{first:?} {second:?}");
                assert_eq!(verdict.updated_input.is_some(), won <= Ruling::Ask, "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn reasons_of_the_same_ruling_stand_together() {
        let mut verdict = ruled(Ruling::Deny);
        verdict.add(ruled(Ruling::Deny));
        verdict.add(Verdict { block: Some("one".to_owned()), ..Verdict::default() });
        verdict.add(Verdict { block: Some("two".to_owned()), halt: Some(Halt::default()), ..Verdict::default() });
        assert_eq!(verdict.decision.unwrap().reason.unwrap(), "deny\ndeny");
        assert_eq!(verdict.block.unwrap(), "one\ntwo");
        assert_eq!(verdict.halt, Some(Halt { reason: None }));
    }
}
