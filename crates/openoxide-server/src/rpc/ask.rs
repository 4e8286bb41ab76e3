//! Asks the user through requests to the client.

use std::sync::Arc;

use openoxide_app::{ANSWER_TIME, Answer, Choice, Place, Question, question_line};
use openoxide_wire::NoticeLine;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Client;
use crate::{Asker, Engine, Present};

/// What a client answers.
#[derive(Deserialize)]
struct Chosen {
    choice: String,
    value: Option<String>,
}

/// Asks the user through the client, if the client can do that.
pub(super) struct ClientAsker<'c> {
    client: &'c Client,
    /// Questions that could not be asked, and why.
    pub(super) unasked: Vec<NoticeLine>,
}

impl<'c> ClientAsker<'c> {
    pub(super) fn new(client: &'c Client) -> ClientAsker<'c> {
        ClientAsker { client, unasked: Vec::new() }
    }

    /// Returns the client's answer, or why there is none and the next step.
    async fn put(&self, question: &Question) -> Result<Answer, (&'static str, Option<&'static str>)> {
        if !self.client.declared.get().is_some_and(|declared| declared.can_ask) {
            let help = "declare `capabilities.skillsAsk` in `initialize`, and answer `skills/ask`";
            return Err(("the client did not say that it can ask", Some(help)));
        }
        let (id, answer) = self.client.asks.begin().ok_or(("the client is gone", None))?;
        let params = json!({ "question": question_line(question) });
        self.client.output.send(&json!({ "id": id, "method": "skills/ask", "params": params })).await;
        let answer = tokio::time::timeout(ANSWER_TIME, answer).await;
        self.client.asks.forget(&id);
        let answer = answer.map_err(|_| ("the client did not answer in time", None))?;
        let answer = answer.map_err(|_| ("the client is gone", None))?;
        let answer = answer.ok_or(("the client could not ask", None))?;
        chosen(question, answer).ok_or(("the client's answer is none of the choices", None))
    }
}

/// Reads the client's answer, which must be one of the choices.
fn chosen(question: &Question, answer: Value) -> Option<Answer> {
    let chosen: Chosen = serde_json::from_value(answer).ok()?;
    let choice = Choice::parse(&chosen.choice).filter(|choice| question.choices().contains(choice))?;
    choice.answer(chosen.value.map(Into::into))
}

impl Asker for ClientAsker<'_> {
    async fn ask(&mut self, question: &Question) -> Answer {
        match self.put(question).await {
            Ok(answer) => answer,
            Err((why, help)) => {
                let line = question_line(question);
                let about = line.subject.as_ref().map(|subject| format!(" for `{subject}`")).unwrap_or_default();
                self.unasked.push(NoticeLine {
                    skill: line.skills.first().cloned().unwrap_or_default(),
                    text: format!("the {}{about} was not asked for: {why}", line.kind),
                    help: help.map(str::to_owned),
                });
                Answer::NotAsked
            }
        }
    }

    /// The client may have changed settings while its user thought, so what is known of the place may be old.
    async fn present(&self, _: &Engine, place: &Place) -> Present {
        self.client.work(place.clone(), false, Arc::clone).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_to_choose_from_counts() {
        let secret = Question::Secret { variable: "T".to_owned(), about: None, skills: Vec::new() };
        let login = Question::Login { server: "s".to_owned(), page: "p".to_owned() };
        let choice = |question, answer| chosen(question, answer).map(|answer| format!("{answer:?}"));
        assert_eq!(choice(&secret, json!({"choice": "value", "value": "x"})).as_deref(), Some("Secret(…)"));
        assert_eq!(choice(&secret, json!({"choice": "value"})), None);
        assert_eq!(choice(&secret, json!({"choice": "once"})), None);
        assert_eq!(choice(&login, json!({"choice": "once"})).as_deref(), Some("Once"));
        assert_eq!(choice(&login, json!({"choice": "always"})), None);
        assert_eq!(choice(&login, json!("once")), None);
    }
}
