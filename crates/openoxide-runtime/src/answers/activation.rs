//! What came of an activation.

use openoxide_skills::envelope::Message;
use openoxide_skills::host::Role;
use openoxide_skills::text::path_text;
use openoxide_wire::{ActivateAnswer, ActivatedLine, ForkLine, MessageLine, NoticeLine, RefusedLine};

use crate::call::Refusal;
use crate::fork::ForkPlan;
use crate::step::{Activated, Done, Notice};

/// Returns what came of an activation by a host's rules.
pub fn activate_answer(host: String, done: &Done) -> ActivateAnswer {
    let messages = done.activated.iter().flat_map(|activated| &activated.messages).map(message_line);
    // What hooks tell the model on being activated comes after what it is about.
    let context = done.verdict.context.iter();
    let context = context.map(|said| MessageLine { role: Role::User.as_str().to_owned(), text: said.text.clone() });
    ActivateAnswer {
        host,
        messages: messages.chain(context).collect(),
        activated: done.activated.iter().map(activated_line).collect(),
        refused: done.refused.iter().map(refused_line).collect(),
        notices: done.notices.iter().map(notice_line).collect(),
        ..ActivateAnswer::default()
    }
}

fn activated_line(activated: &Activated) -> ActivatedLine {
    ActivatedLine {
        name: activated.name.clone(),
        path: path_text(&activated.path),
        digest: (!activated.digest.is_empty()).then(|| activated.digest.clone()),
        caller: activated.caller.as_str().to_owned(),
        arguments: activated.arguments.clone(),
        tools: activated.tools.clone(),
        limited_to: activated.limited_to.clone(),
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

/// Returns the line of a skill that is not sent.
pub fn refused_line(refusal: &Refusal) -> RefusedLine {
    RefusedLine {
        name: refusal.name.clone(),
        path: refusal.path.as_deref().map(path_text),
        why: refusal.why.as_str().to_owned(),
        text: refusal.text.clone(),
        help: refusal.help.clone(),
    }
}

/// Returns the line of something that people should know.
pub fn notice_line(notice: &Notice) -> NoticeLine {
    NoticeLine { skill: notice.skill.clone(), text: notice.text.clone(), help: notice.help.clone() }
}

/// Returns the line of a message.
pub fn message_line(message: &Message) -> MessageLine {
    MessageLine { role: message.role.as_str().to_owned(), text: message.text.clone() }
}
