//! Use case: activate a skill, or the skills that a turn names, and get what the model is sent.

use std::sync::Arc;

use openoxide_live::Snapshot;
use openoxide_runtime::{
    ActivatedSkill, Activation, ActivationOutcome, Answer, Call, CallArguments, ForkPlan, Notice, Question, Refusal,
    RefusalReason, Reply, Resumable, Session, Step,
};
use openoxide_skills::host::{Caller, Role};
use openoxide_skills::select::{Turn, select};
use openoxide_skills::{envelope::Message, text::path_text};
use openoxide_wire::{
    ActivateAnswer, ActivatedLine, ArgumentsInput, CallerInput, ForkLine, IgnoredLine, MentionsAnswer, MessageLine,
    NoticeLine, RefusedLine,
};

use crate::{error::Error, pending::Rebase, skill_id::find_by_id};

/// What is activated.
#[derive(Clone, Debug)]
pub enum ActivateInput {
    /// One skill.
    Skill(Call),
    /// The skills that a turn of the user names, for the one who sends it.
    Turn(Turn, Caller),
}

/// Returns who calls or reads. A request that does not say is the model's: a model may have written it.
pub fn caller(given: Option<CallerInput>) -> Caller {
    given.map_or(Caller::Model, Caller::from)
}

/// Returns what is said with a call.
pub fn arguments(given: Option<ArgumentsInput>) -> CallArguments {
    match given {
        None => CallArguments::Nothing,
        Some(ArgumentsInput::Text(text)) => CallArguments::Raw(text),
        Some(ArgumentsInput::Words(words)) => CallArguments::Words(words),
    }
}

/// An activation in steps; it ends with its [`ActivationOutcome`], of which [`Activate::answer`] makes the answer.
pub struct Activate {
    input: ActivateInput,
    operation: Activation,
    /// The host whose rules are followed.
    host: String,
    /// What in the turn looks like the name of a skill and is none.
    ignored: Vec<IgnoredLine>,
    /// The question that the next reply answers.
    open: Option<Question>,
    /// The questions that the user answered.
    answered: Vec<(Question, Answer)>,
    /// Answers from before the activation began again; each is used if the same question comes again.
    earlier: Vec<(Question, Answer)>,
    /// Whether it began again, and so does not know the open question.
    begins_again: bool,
}

/// Begins an activation. A skill's name must be the whole path of its file where the caller typed a path.
pub fn activate(snapshot: &Snapshot, input: ActivateInput) -> Result<Activate, Error> {
    let (calls, ignored) = calls(snapshot, &input)?;
    let operation = Activation::new(Arc::clone(snapshot.runtime()?), calls);
    let (host, answered, earlier) = (snapshot.view.spec.id(), Vec::new(), Vec::new());
    Ok(Activate { input, operation, host, ignored, open: None, answered, earlier, begins_again: false })
}

/// Returns the calls that are meant, and what looks like one and is none.
fn calls(snapshot: &Snapshot, input: &ActivateInput) -> Result<(Vec<Call>, Vec<IgnoredLine>), Error> {
    Ok(match input {
        ActivateInput::Skill(call) => (vec![call.clone()], Vec::new()),
        ActivateInput::Turn(turn, caller) => {
            let catalog = snapshot.runtime()?.catalog();
            let selection = select(catalog, &snapshot.view.host, turn);
            let calls = selection.selected.iter().map(|selected| Call {
                skill: catalog.call_of(selected.entry),
                caller: *caller,
                arguments: selected.arguments.clone().map_or(CallArguments::Nothing, CallArguments::Raw),
            });
            (calls.collect(), MentionsAnswer::new(catalog, turn, &selection).ignored)
        }
    })
}

impl Activate {
    /// Makes the answer of what came of it.
    pub fn answer(&self, done: &ActivationOutcome) -> ActivateAnswer {
        let messages = done.activated.iter().flat_map(|activated| &activated.messages).map(message_line);
        // What hooks tell the model on being activated comes after what it is about.
        let context = done.verdict.context.iter();
        let context = context.map(|said| MessageLine { role: Role::User.as_str().to_owned(), text: said.quoted() });
        ActivateAnswer {
            host: self.host.clone(),
            messages: messages.chain(context).collect(),
            activated: done.activated.iter().map(activated_line).collect(),
            refused: done.refused.iter().map(refused_line).collect(),
            notices: done.notices.iter().map(notice_line).collect(),
            ignored: self.ignored.clone(),
            ..ActivateAnswer::default()
        }
    }
}

/// Returns why nothing was activated, with the ids of the skills where a name means several.
pub fn refused(snapshot: &Snapshot, refusal: &Refusal) -> Error {
    let is_ambiguous = refusal.why == RefusalReason::Ambiguous;
    let several = is_ambiguous.then(|| find_by_id(&snapshot.catalog, &refusal.name).err()).flatten();
    several.unwrap_or_else(|| refusal.clone().into())
}

impl Resumable for Activate {
    type Output = ActivationOutcome;

    fn resume(&mut self, session: &mut Session, mut reply: Reply) -> Step<ActivationOutcome> {
        if let (Reply::Answer(answer), Some(question)) = (&reply, self.open.take()) {
            let answers = if self.begins_again { &mut self.earlier } else { &mut self.answered };
            answers.push((question, answer.clone()));
        }
        if std::mem::take(&mut self.begins_again) {
            reply = Reply::Begin;
        }
        loop {
            let step = self.operation.resume(session, reply);
            let Step::Ask(question) = step else { return step };
            let Some(at) = self.earlier.iter().position(|(earlier, _)| *earlier == question) else {
                self.open = Some(question.clone());
                return Step::Ask(question);
            };
            let (question, answer) = self.earlier.remove(at);
            reply = Reply::Answer(answer.clone());
            self.answered.push((question, answer));
        }
    }
}

/// The activation begins again: no question comes after something was run or recorded, so nothing happens twice.
impl Rebase for Activate {
    fn rebase(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        let (calls, ignored) = calls(snapshot, &self.input)?;
        self.operation.restart(Arc::clone(snapshot.runtime()?), calls);
        (self.host, self.ignored) = (snapshot.view.spec.id(), ignored);
        self.earlier.append(&mut self.answered);
        self.begins_again = true;
        Ok(())
    }
}

fn activated_line(activated: &ActivatedSkill) -> ActivatedLine {
    ActivatedLine {
        name: activated.name.clone(),
        path: path_text(&activated.path),
        digest: (!activated.digest.is_empty()).then(|| activated.digest.clone()),
        caller: activated.caller.as_str().to_owned(),
        arguments: activated.arguments.clone(),
        tools: activated.tools.clone(),
        limited_to: activated.limited_to.clone(),
        model: activated.model.clone(),
        effort: activated.effort.clone(),
        fork: activated.fork.as_ref().map(fork_line),
        cut: activated.cut,
        repeated: activated.repeated,
    }
}

fn fork_line(plan: &ForkPlan) -> ForkLine {
    ForkLine {
        agent_type: plan.agent_type.clone(),
        background: plan.background,
        prompt: plan.prompt.clone(),
        model: plan.model.clone(),
        effort: plan.effort.clone(),
        tools: plan.tools.clone(),
        started: plan.started(),
        result: plan.result("{result}"),
    }
}

pub(crate) fn refused_line(refusal: &Refusal) -> RefusedLine {
    RefusedLine {
        name: refusal.name.clone(),
        path: refusal.path.as_deref().map(path_text),
        why: refusal.why.as_str().to_owned(),
        diagnostic: refusal.code.map(|code| code.to_string()),
        text: refusal.text.clone(),
        help: refusal.help.clone(),
    }
}

pub(crate) fn notice_line(notice: &Notice) -> NoticeLine {
    NoticeLine { skill: notice.skill.clone(), text: notice.text.clone(), help: notice.help.clone() }
}

pub(crate) fn message_line(message: &Message) -> MessageLine {
    MessageLine { role: message.role.as_str().to_owned(), text: message.text.clone() }
}
