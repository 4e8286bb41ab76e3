//! Skills as prompts: what a user can call by name.

use openoxide_app::activate::{self, ActivateInput};
use openoxide_app::{ActivationOutcome, Call, CallArguments, Caller, Entry, Error, HookMessage, Notice, visible_line};
use rmcp::model::{
    CacheScope, GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject, ListPromptsResult, Prompt,
    PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use super::client::rules_of;
use super::{
    Context, Elicited, Elicitor, McpServer, McpState, McpView, Result, TTL_MS, failed, forked, invalid, note, page,
    shortened, waits,
};
use crate::RequestKey;
use crate::connect::ClientRules;

/// Most prompts of one page.
const PAGE: usize = 200;
/// The argument of a skill that does not name its own.
const ALL: &str = "arguments";

impl McpState {
    pub(super) fn list_prompts(
        &self,
        view: &McpView,
        cursor: Option<&str>,
        rules: ClientRules,
    ) -> Result<ListPromptsResult> {
        let names = view.skills.prompt_names();
        let (names, next) = page("prompts", names.into_iter(), cursor, PAGE, |name| (*name).to_owned())?;
        let prompts = names.into_iter().filter_map(|name| view.skills.prompt(name));
        let prompts = prompts.map(|entry| prompt(entry, rules.mcp.prompt_words)).collect();
        let mut result = ListPromptsResult::with_all_items(prompts);
        result.next_cursor = next;
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private))
    }
}

fn prompt(entry: &Entry, words: usize) -> Prompt {
    let skill = &entry.skill;
    let about = visible_line(skill.short_description.as_deref().unwrap_or(&skill.description));
    let mut prompt = Prompt::new(skill.name.to_string(), Some(about), Some(arguments(entry, words)));
    prompt.title =
        skill.interface.as_ref().and_then(|interface| Some(visible_line(interface.display_name.as_deref()?)));
    prompt
}

/// Returns what a prompt can be called with: the arguments that the skill names, or all of them as one text. A client that
/// gives each argument one word gets as many arguments as `words`, so that no word is lost; those are called by their number.
fn arguments(entry: &Entry, words: usize) -> Vec<PromptArgument> {
    let mut arguments = own_arguments(entry);
    arguments.extend((arguments.len() + 1..=words).map(|number| PromptArgument::new(number.to_string())));
    arguments
}

fn own_arguments(entry: &Entry) -> Vec<PromptArgument> {
    let rare = entry.skill.frontmatter.rare.as_deref();
    let hint = rare.and_then(|rare| Some(visible_line(rare.argument_hint.as_deref()?)));
    let names = named(entry);
    if names.is_empty() {
        let mut all = PromptArgument::new(ALL).with_required(false);
        all.description = Some(hint.unwrap_or_else(|| "What is said with the call".to_owned()));
        return vec![all];
    }
    let argument = |name: &String| {
        let mut argument = PromptArgument::new(name.clone()).with_required(false);
        argument.description.clone_from(&hint);
        argument
    };
    names.iter().map(argument).collect()
}

fn named(entry: &Entry) -> &[String] {
    entry.skill.frontmatter.rare.as_deref().map_or(&[], |rare| rare.arguments.as_slice())
}

fn given(entry: &Entry, arguments: Option<&JsonObject>, words: usize) -> Result<CallArguments> {
    let Some(arguments) = arguments.filter(|arguments| !arguments.is_empty()) else {
        return Ok(CallArguments::Nothing);
    };
    if let Some(typed) = typed(entry, arguments, words) {
        return Ok(CallArguments::Raw(typed));
    }
    let names = named(entry);
    let known = |key: &str| names.iter().any(|name| name == key) || (names.is_empty() && key == ALL);
    let mut values = Vec::new();
    for (key, value) in arguments {
        match value {
            Value::String(text) if known(key) => values.push((key.as_str(), text.as_str())),
            Value::String(_) => return Err(invalid(format!("there is no argument `{}`", shortened(key)))),
            _ => return Err(invalid(format!("the argument `{}` must be a text", shortened(key)))),
        }
    }
    if names.is_empty() {
        return Ok(values.first().map_or(CallArguments::Nothing, |(_, text)| CallArguments::Raw((*text).to_owned())));
    }
    let value = |name: &String| values.iter().find(|(key, _)| key == name).map_or("", |(_, text)| text).to_owned();
    let mut words: Vec<String> = names.iter().map(value).collect();
    while words.last().is_some_and(String::is_empty) {
        words.pop();
    }
    Ok(if words.is_empty() { CallArguments::Nothing } else { CallArguments::Words(words) })
}

/// Puts together what the user typed, if the client gave each argument one word of it.
fn typed(entry: &Entry, arguments: &JsonObject, words: usize) -> Option<String> {
    let keys = self::arguments(entry, words).into_iter().map(|argument| argument.name).take(arguments.len());
    let given: Option<Vec<&str>> = keys.map(|key| arguments.get(&key)?.as_str()).collect();
    let given = given.filter(|given| words > 0 && given.len() == arguments.len())?;
    let are_words = given.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace));
    are_words.then(|| given.join(" "))
}

impl McpServer {
    /// Calls a skill for the user, and answers the messages that the model is sent.
    pub(super) async fn prompted(
        &self,
        request: GetPromptRequestParams,
        context: &Context,
    ) -> Result<GetPromptResponse> {
        let view = self.state.view().await?;
        let unknown = || {
            let mut error = failed(view.skills.no_prompt(&request.name));
            error.message = format!("no prompt is called `{}`", shortened(&request.name)).into();
            error
        };
        let entry = view.skills.prompt(&request.name).ok_or_else(unknown)?;
        let words = rules_of(context).mcp.prompt_words;
        let arguments = given(entry, request.arguments.as_ref(), words)?;
        let wanted = Value::Object(request.arguments.clone().unwrap_or_default());
        let key = RequestKey::new("prompts/get", &request.name, &wanted);
        let elicitor = Elicitor::new(self, context, key);
        let elicited = if let Some(handle) = &request.request_state {
            elicitor.resume(handle, request.input_responses.as_ref()).await?
        } else {
            // A program that did not start this process is not the user.
            let caller = if self.is_started_by_client { Caller::User } else { Caller::Model };
            let call = Call { skill: request.name.clone(), caller, arguments };
            let operation = activate::activate(&view.snapshot, ActivateInput::Skill(call)).map_err(failed)?;
            elicitor.begin(&view.snapshot, operation).await?
        };
        match elicited {
            Elicited::Later(asked) => Ok(asked.into()),
            Elicited::OnPage(text) => Err(waits(text)),
            Elicited::Done(mut done, unasked) => {
                let given = request.arguments.as_ref().map_or(0, JsonObject::len);
                done.notices.extend((words > 0 && given >= words).then(|| words_may_be_lost(&request.name, words)));
                messages(&done, &unasked, &visible_line(&entry.skill.description)).map(Into::into)
            }
        }
    }
}

/// Says that the client may have dropped some of what the user typed.
fn words_may_be_lost(skill: &str, words: usize) -> Notice {
    Notice {
        skill: skill.to_owned(),
        text: format!("only the first {words} words after the name arrive"),
        help: Some("say the rest in the next message".to_owned()),
    }
}

fn messages(done: &ActivationOutcome, unasked: &[String], about: &str) -> Result<GetPromptResult> {
    if let (None, Some(refusal)) = (done.activated.first(), done.refused.first()) {
        let mut error = failed(Error::from(refusal.clone()));
        let unasked = unasked.iter().fold(String::new(), |text, why| text + "; not asked: " + why);
        error.message = format!("{}{unasked}", error.message).into();
        return Err(error);
    }
    let mut texts: Vec<String> = Vec::new();
    for activated in &done.activated {
        texts.extend(activated.fork.as_ref().map(forked));
        texts.extend(activated.messages.iter().map(|message| message.text.clone()));
    }
    texts.extend(done.verdict.context.iter().map(HookMessage::quoted));
    texts.extend(note(&done.notices, unasked));
    let messages = texts.into_iter().map(|text| PromptMessage::new_text(Role::User, text)).collect();
    Ok(GetPromptResult::new(messages).with_description(about))
}
