//! What a conversation was sent: the latest call of each skill, with a digest in place of the text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::Recorded;

/// The most skills that are remembered. Beyond them, the one that was sent longest ago is forgotten: its next call sends
/// its whole text again.
const SKILLS_MAX: usize = 1024;

/// The latest call of each skill, by the skill's file.
#[derive(Debug, Default)]
pub(crate) struct SentSkills {
    latest: HashMap<PathBuf, SentSkill>,
    calls: u64,
}

/// The latest call of a skill.
#[derive(Debug)]
pub(crate) struct SentSkill {
    name: String,
    /// A digest of what was sent.
    pub(crate) digest: String,
    /// Whether it ran in a conversation of its own.
    pub(crate) forked: bool,
    order: u64,
}

impl SentSkills {
    /// Notes a call in place of the skill's earlier one.
    pub(crate) fn note(&mut self, call: &Recorded) {
        self.calls += 1;
        let sent =
            SentSkill { name: call.name.clone(), digest: call.sent.clone(), forked: call.forked, order: self.calls };
        self.latest.insert(call.path.clone(), sent);
        if self.latest.len() > SKILLS_MAX {
            let oldest = self.latest.iter().min_by_key(|(_, sent)| sent.order).map(|(path, _)| path.clone());
            oldest.map(|path| self.latest.remove(&path));
        }
    }

    /// Returns the latest call of the skill in a file.
    pub(crate) fn latest(&self, path: &Path) -> Option<&SentSkill> {
        self.latest.get(path)
    }

    /// Tells whether a skill of this name was called.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.latest.values().any(|sent| sent.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: usize, sent: &str) -> Recorded {
        Recorded {
            name: format!("skill-{number}"),
            path: PathBuf::from(format!("/s/{number}/SKILL.md")),
            digest: String::new(),
            arguments: None,
            caller: "model".to_owned(),
            order: 0,
            sent: sent.to_owned(),
            forked: false,
        }
    }

    #[test]
    fn each_skill_has_its_latest_call_and_the_oldest_is_forgotten() {
        let mut sent = SentSkills::default();
        let digest =
            |sent: &SentSkills, number: usize| sent.latest(&call(number, "").path).map(|skill| skill.digest.clone());
        for number in 0..SKILLS_MAX {
            sent.note(&call(number, "first"));
        }
        sent.note(&call(0, "second"));
        assert_eq!((sent.latest.len(), digest(&sent, 0).as_deref()), (SKILLS_MAX, Some("second")));
        sent.note(&call(SKILLS_MAX, "first"));
        assert_eq!((sent.latest.len(), digest(&sent, 1)), (SKILLS_MAX, None));
        assert!(sent.has("skill-0") && !sent.has("skill-1"));
    }
}
