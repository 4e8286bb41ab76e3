//! Reattaches skills after a conversation was compacted: the latest call of each, read anew.

use openoxide_permissions::Action;
use openoxide_skills::host::{Caller, Role, Situation};
use openoxide_skills::text::{RenderError, path_text, tokens};
use openoxide_skills::{catalog::Entry, envelope::Message};

use super::{finish::carried, load::load};
use crate::{Call, CallArguments, Notice, Record, Recorded, Runtime, Session, admission::lost_its_name, call::may};

/// With less room than this nothing useful can be said, in tokens.
const LEAST: u64 = 50;

/// How often a text is halved until it fits.
const TRIES: usize = 12;

/// How much is sent again, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReattachLimits {
    /// The most tokens of one skill; the start is kept.
    pub each: u64,
    /// The most tokens of all of them.
    pub total: u64,
}

impl Default for ReattachLimits {
    fn default() -> Self {
        ReattachLimits { each: 5_000, total: 25_000 }
    }
}

/// What is sent again.
#[derive(Clone, Debug, Default)]
pub struct Reattached {
    /// A reminder, then one message for each skill; empty if there is none.
    pub messages: Vec<Message>,
    /// The skills, newest first.
    pub skills: Vec<ReattachedSkill>,
    /// What people should know besides: what is left out, and why.
    pub notices: Vec<Notice>,
}

/// A skill that is sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReattachedSkill {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: std::path::PathBuf,
    /// The place of the call among all of the conversation.
    pub order: u64,
    /// What it takes, in tokens.
    pub tokens: u64,
    /// Whether its folder has changed since.
    pub changed: bool,
    /// Whether it was cut.
    pub cut: bool,
}

impl Record {
    /// Draws what is sent again after the conversation was compacted, within limits.
    ///
    /// Skills are read as they are now. Commands are not run again.
    pub fn reattach(&self, runtime: &Runtime, session: &Session, limits: &ReattachLimits) -> Reattached {
        let mut done = Reattached::default();
        let mut left = limits.total;
        for recorded in self.latest_of_each() {
            let mut note = |text: &str| done.notices.push(Notice::new(&recorded.name, text));
            if recorded.forked {
                continue;
            }
            match again(runtime, session, limits, recorded, left) {
                Ok((skill, message)) => {
                    left -= skill.tokens.min(left);
                    if skill.changed {
                        note("it has changed since it was called, and is sent as it is now");
                    }
                    done.skills.push(skill);
                    done.messages.push(message);
                }
                Err(why) => note(&format!("it is not sent again: {why}")),
            }
        }
        if !done.messages.is_empty() {
            let text = runtime.view().host.texts.text(Situation::AgainReminder).to_owned();
            done.messages.insert(0, Message { role: Role::User, text, frame: true });
        }
        done
    }
}

fn again(
    runtime: &Runtime,
    session: &Session,
    limits: &ReattachLimits,
    recorded: &Recorded,
    left: u64,
) -> Result<(ReattachedSkill, Message), String> {
    let room = limits.each.min(left);
    if room < LEAST {
        return Err(format!("{} tokens are used up", limits.total));
    }
    let caller = if recorded.caller == Caller::User.as_str() { Caller::User } else { Caller::Model };
    let entry = entry(runtime, session, recorded, caller)?;
    let arguments = recorded.arguments.clone().map_or(CallArguments::Nothing, CallArguments::Raw);
    let call = Call { skill: entry.skill.name.to_string(), caller, arguments };
    let texts = &runtime.view().host.texts;
    let mut loading = load(runtime, session, call, entry.clone()).map_err(|refusal| refusal.text)?;
    loading.replace_commands(|piece| texts.say(Situation::AgainCommand, &[("command", &piece.command)]));
    let changed = loading.digest != recorded.digest;
    let mark = match changed {
        true => texts.say(Situation::AgainChanged, &[("name", &entry.skill.name)]) + "\n\n",
        false => String::new(),
    };
    let notice = texts.say(Situation::AgainCut, &[("path", &path_text(&entry.skill.path))]);
    let draw = |content: &str| -> Result<String, RenderError> {
        let carried = carried(runtime, &loading, content)?;
        let texts: Vec<&str> = carried.iter().map(|message| message.text.as_str()).collect();
        Ok(format!("{mark}{}", texts.join("\n\n")))
    };
    let most = usize::try_from(room.saturating_mul(4)).unwrap_or(usize::MAX);
    let fitted = fitted(draw, &loading.text(), &notice, most).map_err(|error| error.to_string())?;
    let (text, cut) = fitted.ok_or("there is too little room")?;
    let skill = ReattachedSkill {
        name: loading.name(),
        path: entry.skill.path.to_path_buf(),
        order: recorded.order,
        tokens: tokens(text.len() as u64),
        changed,
        cut: cut || loading.cut.is_some(),
    };
    Ok((skill, Message { role: Role::User, text, frame: false }))
}

/// Finds the skill that was called, if it may still be.
fn entry<'r>(
    runtime: &'r Runtime,
    session: &Session,
    recorded: &Recorded,
    caller: Caller,
) -> Result<&'r Entry, &'static str> {
    let mut there = runtime.catalog().entries().filter(|entry| entry.canonical() == recorded.path).peekable();
    if there.peek().is_none() {
        return Err("it is not there any more");
    }
    let counts = |entry: &&Entry| (entry.is_active() || lost_its_name(entry)) && may(entry, caller);
    let allowed = |entry: &&Entry| runtime.calling(session, entry, caller).action != Action::Deny;
    there.filter(counts).find(allowed).ok_or("it may not be called any more")
}

/// Draws a text, shortened until it takes no more than `most` bytes; the frame around it stays whole.
fn fitted<E>(
    draw: impl Fn(&str) -> Result<String, E>,
    content: &str,
    notice: &str,
    most: usize,
) -> Result<Option<(String, bool)>, E> {
    let whole = draw(content)?;
    if whole.len() <= most {
        return Ok(Some((whole, false)));
    }
    let shortened = |keep: usize| draw(&format!("{}{notice}", &content[..content.floor_char_boundary(keep)]));
    let mut long = most.saturating_sub(draw(notice)?.len()).min(content.len());
    let first = shortened(long)?;
    if first.len() <= most {
        // With nothing kept of it, there is nothing to send.
        return Ok((long > 0).then_some((first, true)));
    }
    // What is escaped takes more room than was counted.
    let (mut short, mut best) = (0, None);
    for _ in 0..TRIES {
        let keep = short + (long - short) / 2;
        let text = shortened(keep)?;
        if text.len() <= most {
            (short, best) = (keep, Some((text, true)));
        } else {
            long = keep;
        }
    }
    Ok(best.filter(|_| short > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(content: &str, most: usize) -> Option<(String, bool)> {
        let draw = |text: &str| Ok::<_, ()>(format!("<{}>", text.replace('&', "&amp;")));
        fitted(draw, content, "…", most).unwrap()
    }

    #[test]
    fn the_start_is_kept_and_the_frame_stays_whole() {
        assert_eq!(fit("abcdef", 8), Some(("<abcdef>".to_owned(), false)));
        assert_eq!(fit("abcdefg", 8), Some(("<abc…>".to_owned(), true)));
        // A character is never split, and what grows when it is drawn is cut further.
        assert_eq!(fit("aéééé", 8), Some(("<aé…>".to_owned(), true)));
        assert_eq!(fit("&&&&&&&&", 16), Some(("<&amp;&amp;…>".to_owned(), true)));
        assert_eq!(fit("abc", 4), None);
    }
}
