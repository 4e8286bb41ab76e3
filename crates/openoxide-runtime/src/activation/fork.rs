//! Plans a fork: a skill that an agent of its own runs in a separate conversation.

use openoxide_skills::host::{Caller, Situation};
use openoxide_skills::{envelope::Message, skill::SkillContext, text::fill};

use super::loading::Loading;
use crate::Runtime;

/// How a skill is to be run by an agent of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkPlan {
    /// The skill.
    pub skill: String,
    /// The digest of its folder; empty if there is none.
    pub digest: String,
    /// Who called.
    pub caller: Caller,
    /// The kind of agent: its system prompt, its tools and its model.
    pub agent_type: String,
    /// Whether the caller goes on meanwhile.
    pub background: bool,
    /// The only message of the user that the agent gets; it knows nothing of the conversation.
    pub prompt: String,
    /// The model that the skill asks for.
    pub model: Option<String>,
    /// How hard the model should think, as the skill asks for.
    pub effort: Option<String>,
    /// Tools that the agent may use without a question.
    pub tools: Vec<String>,
    /// Whether the caller gets what the agent said without a word around it.
    bare: bool,
    result_text: String,
    started_text: String,
}

impl ForkPlan {
    /// Returns what the caller gets in the end, from what the agent said last.
    pub fn result(&self, text: &str) -> String {
        if self.bare { text.to_owned() } else { fill(&self.result_text, &[("name", &self.skill), ("result", text)]) }
    }

    /// Returns what the caller gets at once; `None` if it waits.
    pub fn started(&self) -> Option<String> {
        self.background.then(|| fill(&self.started_text, &[("name", &self.skill)]))
    }
}

/// Makes the plan, where the skill asks for it and the host has forks.
pub(crate) fn plan(runtime: &Runtime, loading: &Loading, messages: &[Message], tools: &[String]) -> Option<ForkPlan> {
    let (rules, texts) = (runtime.view().host.fork.as_ref()?, &runtime.view().host.texts);
    let fields = loading.parsed.frontmatter.rare();
    let SkillContext::Fork { agent_type } = &fields.context else { return None };
    let carried = messages.iter().filter(|message| !message.frame).map(|message| message.text.as_str());
    Some(ForkPlan {
        skill: loading.name(),
        digest: loading.digest.clone(),
        caller: loading.call.caller,
        agent_type: agent_type.clone().unwrap_or_else(|| rules.agent.clone()),
        background: fields.background.unwrap_or(rules.background),
        prompt: carried.collect::<Vec<_>>().join("\n\n"),
        model: fields.model.clone(),
        effort: fields.effort.clone(),
        tools: tools.to_vec(),
        bare: rules.bare_for == Some(loading.call.caller),
        result_text: texts.text(Situation::ForkResult).to_owned(),
        started_text: texts.text(Situation::ForkStarted).to_owned(),
    })
}
