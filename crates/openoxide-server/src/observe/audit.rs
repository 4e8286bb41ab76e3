//! Writes the audit log: one line of JSON for each activation, reading, run and refusal of a skill.
//!
//! Lines hold names and digests, never texts, arguments or values. They are JSON, so no name can end a line or begin
//! another. A request never waits for the disk.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use openoxide_app::{ActivationOutcome, Refusal};
use serde::Serialize;

use crate::observe::background_writer::{BackgroundWriter, Sink};
use crate::observe::timestamp;

mod file;

/// No text in a line is longer, in bytes: who asks for what is not there must not fill the log with it.
const LONGEST: usize = 128;

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Actor {
    /// The face that was asked: `http`, `mcp` or `rpc`.
    pub face: Face,
    /// Where the request came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// What the log calls the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

/// A face of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Face {
    /// HTTP.
    Http,
    /// The Model Context Protocol.
    Mcp,
    /// JSON-RPC.
    Rpc,
    /// One that did not say.
    Unknown,
}

/// What was wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A skill's text for the model.
    Activate,
    /// A file of a skill.
    Read,
    /// A command or script of a skill.
    Run,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "decision", content = "why")]
pub enum Decision {
    /// It was done.
    Allow,
    /// It was not, for this reason, as one word.
    Deny(String),
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditEvent {
    /// Who.
    pub actor: Actor,
    /// What was wanted.
    pub action: Action,
    /// Of which skill, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The digest of its folder, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Which part of it: a file, a script, a command as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// What came of it.
    #[serde(flatten)]
    pub decision: Decision,
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    #[serde(flatten)]
    noted: &'a AuditEvent,
}

/// The log of what was done with skills. It is cheap to clone.
#[derive(Clone)]
pub struct AuditLog {
    lines: Option<Arc<BackgroundWriter<file::AuditFile>>>,
    failed: Arc<AtomicU64>,
}

impl AuditLog {
    /// Writes to `audit.jsonl` in the folder for state of OpenOxide's home, as soon as there is something to write.
    pub fn below(home: &Path) -> AuditLog {
        AuditLog::at(home.join("state").join("audit.jsonl"), file::SIZE)
    }

    /// Writes nowhere.
    pub fn off() -> AuditLog {
        AuditLog { lines: None, failed: Arc::default() }
    }

    fn at(path: PathBuf, size: u64) -> AuditLog {
        let file = file::AuditFile::new(path, size);
        let failed = Arc::clone(&file.failed);
        AuditLog { lines: Some(Arc::new(BackgroundWriter::new(file))), failed }
    }

    /// Notes one thing. This never waits.
    pub fn note(&self, mut noted: AuditEvent) {
        tracing::debug!(
            target: "openoxide::skill",
            face = ?noted.actor.face,
            action = ?noted.action,
            skill = noted.skill.as_deref(),
            decision = ?noted.decision,
            "skill used"
        );
        let Some(lines) = &self.lines else { return };
        for text in [&mut noted.skill, &mut noted.digest, &mut noted.part, &mut noted.actor.request] {
            text.iter_mut().for_each(cut);
        }
        if let Ok(line) = serde_json::to_string(&Line { time: timestamp::now(), noted: &noted }) {
            lines.push(line);
        }
    }

    /// Notes what came of an activation: a line for each skill.
    pub fn activated(&self, actor: &Actor, done: &ActivationOutcome) {
        for activated in &done.activated {
            self.note(AuditEvent {
                actor: actor.clone(),
                action: Action::Activate,
                skill: Some(activated.name.clone()),
                digest: Some(activated.digest.clone()),
                part: None,
                decision: Decision::Allow,
            });
        }
        done.refused.iter().for_each(|refusal| self.refused(actor, Action::Activate, refusal, None));
    }

    /// Notes a no.
    pub fn refused(&self, actor: &Actor, action: Action, refusal: &Refusal, part: Option<String>) {
        let (skill, why) = (Some(refusal.name.clone()), refusal.why.as_str().to_owned());
        self.note(AuditEvent {
            actor: actor.clone(),
            action,
            skill,
            digest: None,
            part,
            decision: Decision::Deny(why),
        });
    }

    /// Returns how many lines were lost because too many waited.
    pub fn lost(&self) -> u64 {
        self.lines.as_ref().map_or(0, |lines| lines.lost())
    }

    /// Returns how often lines could not be written.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Waits until everything is written, but not longer than told.
    pub fn flush(&self, longest: Duration) {
        if let Some(lines) = &self.lines {
            lines.flush(longest);
        }
    }
}

impl Actor {
    /// A face, for somebody who is not known further.
    pub fn of(face: Face) -> Actor {
        Actor { face, peer: None, request: None }
    }
}

fn cut(text: &mut String) {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
}

impl Sink for file::AuditFile {
    fn write(&mut self, lines: &[u8]) {
        let Err(error) = self.append(lines) else { return };
        self.failed.fetch_add(1, Ordering::Relaxed);
        if !self.told {
            self.told = true;
            let path = self.path().display();
            // Nobody can be told that stderr is closed.
            let _ = writeln!(std::io::stderr(), "warning: the audit log `{path}` cannot be written: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn noted(skill: &str) -> AuditEvent {
        AuditEvent {
            actor: Actor { face: Face::Http, peer: Some("127.0.0.1:5".to_owned()), request: Some("r-1".to_owned()) },
            action: Action::Activate,
            skill: Some(skill.to_owned()),
            digest: Some("sha256:00".to_owned()),
            part: None,
            decision: Decision::Allow,
        }
    }

    fn lines(path: &Path) -> Vec<serde_json::Value> {
        fs_err::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_line_is_json_whatever_a_name_holds_and_belongs_to_its_owner() {
        let context = TestContext::new();
        let audit = AuditLog::below(context.root());
        let path = context.root().join("state/audit.jsonl");
        assert!(!path.exists(), "nothing is written before there is something to write");
        audit.note(noted("a\n{\"forged\":true}\u{1b}[2J"));
        audit.note(AuditEvent { decision: Decision::Deny("denied".to_owned()), ..noted(&"x".repeat(5000)) });
        audit.flush(Duration::from_secs(5));
        let found = lines(&path);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0]["skill"], "a\n{\"forged\":true}\u{1b}[2J");
        assert_eq!((&found[0]["decision"], &found[0]["actor"]["face"]), (&"allow".into(), &"http".into()));
        assert_eq!((&found[1]["decision"], &found[1]["why"]), (&"deny".into(), &"denied".into()));
        assert!(found[1]["skill"].as_str().unwrap().len() <= LONGEST + '…'.len_utf8());
        assert_eq!(fs_err::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn it_is_bounded_by_rotation_and_found_again_when_moved() {
        let context = TestContext::new();
        let path = context.root().join("state/audit.jsonl");
        let audit = AuditLog::at(path.clone(), 4096);
        for round in 0..200 {
            audit.note(noted(&format!("skill-{round}")));
            audit.flush(Duration::from_secs(5));
        }
        let (now, before) = (lines(&path), lines(&context.root().join("state/audit.1.jsonl")));
        assert_eq!(now.last().unwrap()["skill"], "skill-199");
        assert!(!before.is_empty() && fs_err::metadata(&path).unwrap().len() <= 4096);
        assert_eq!(fs_err::read_dir(context.root().join("state")).unwrap().count(), 1 + file::PARTS);
        let oldest = lines(&context.root().join("state/audit.4.jsonl"));
        let later = lines(&context.root().join("state/audit.3.jsonl"));
        let number = |line: &serde_json::Value| line["skill"].as_str().unwrap()[6..].parse::<u32>().unwrap();
        assert_eq!(number(&oldest[oldest.len() - 1]) + 1, number(&later[0]), "nothing is lost between parts");
        fs_err::rename(&path, context.root().join("elsewhere")).unwrap();
        audit.note(noted("after"));
        audit.flush(Duration::from_secs(5));
        assert_eq!(lines(&path).len(), 1);
    }

    #[test]
    fn what_cannot_be_written_blocks_nobody() {
        let context = TestContext::new();
        fs_err::write(context.root().join("state"), "in the way").unwrap();
        let audit = AuditLog::below(context.root());
        for _ in 0..20_000 {
            audit.note(noted("a"));
        }
        audit.flush(Duration::from_secs(5));
        assert_eq!(fs_err::read_to_string(context.root().join("state")).unwrap(), "in the way");
        assert!(audit.failed() > 0, "it is counted");
    }
}
