//! Writes the audit log: one line of JSON for each activation, reading, run and refusal of a skill.
//!
//! Lines hold names and digests, never texts, arguments or values. They are JSON, so no name can end a line or begin
//! another. A request never waits for the disk.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::extract::ConnectInfo;
use serde::Serialize;

use crate::{RequestId, observe::background_writer::BackgroundWriter, observe::cut};

mod file;

/// The longest text in a line, in bytes: a client that asks for what is not there must not fill the log with it.
const LONGEST: usize = 128;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Actor {
    pub(crate) face: Face,
    /// The address that the request came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) peer: Option<String>,
    /// What the log calls the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Face {
    Http,
    Mcp,
    Rpc,
    /// One that did not say.
    Unknown,
}

/// What was requested: a skill's text for the model, a file of it, or a command or script.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    Activate,
    Read,
    Run,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "decision", content = "why")]
pub(crate) enum Decision {
    Allow,
    /// It was not done, for this reason, as one word.
    Deny(String),
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct AuditEvent {
    pub(crate) time: String,
    pub(crate) actor: Actor,
    pub(crate) action: Action,
    /// The skill's name.
    pub(crate) skill: String,
    /// The digest of its folder, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    /// A file, a script, or a command as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<String>,
    #[serde(flatten)]
    pub(crate) decision: Decision,
}

/// The log of what was done with skills.
pub(crate) struct AuditLog {
    /// Nothing, if it is written nowhere.
    lines: Option<BackgroundWriter>,
    failed: Arc<AtomicU64>,
}

impl AuditLog {
    /// Writes to `audit.jsonl` in the folder for state of OpenOxide's home, as soon as there is something to write.
    pub(crate) fn below(home: &Path) -> AuditLog {
        AuditLog::at(home.join("state").join("audit.jsonl"), file::SIZE)
    }

    pub(crate) fn off() -> AuditLog {
        AuditLog { lines: None, failed: Arc::default() }
    }

    fn at(path: PathBuf, size: u64) -> AuditLog {
        let failed = Arc::default();
        let mut file = file::AuditFile::new(path, size, Arc::clone(&failed));
        AuditLog { lines: Some(BackgroundWriter::new(move |lines| file.write(lines))), failed }
    }

    /// Notes one thing. This never waits.
    pub(crate) fn note(&self, mut event: AuditEvent) {
        tracing::debug!(
            target: "openoxide::skill",
            face = ?event.actor.face,
            action = ?event.action,
            skill = event.skill.as_str(),
            decision = ?event.decision,
            "skill used"
        );
        let Some(lines) = &self.lines else { return };
        cut(&mut event.skill, LONGEST);
        for text in [&mut event.digest, &mut event.part, &mut event.actor.request].into_iter().flatten() {
            cut(text, LONGEST);
        }
        if let Ok(line) = serde_json::to_string(&event) {
            lines.push(line);
        }
    }

    /// Returns how many lines were lost because too many waited.
    pub(crate) fn lost(&self) -> u64 {
        self.lines.as_ref().map_or(0, BackgroundWriter::lost)
    }

    pub(crate) fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Waits until everything is written, but at most `limit`.
    pub(crate) fn flush(&self, limit: Duration) {
        if let Some(lines) = &self.lines {
            lines.flush(limit);
        }
    }
}

impl Actor {
    /// Returns a face, for a client of which no more is known.
    pub(crate) fn of(face: Face) -> Actor {
        Actor { face, peer: None, request: None }
    }

    /// Returns the client of an HTTP request.
    pub(crate) fn of_request(face: Face, request: &http::Extensions) -> Actor {
        let peer = request.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.to_string());
        Actor { face, peer, request: request.get::<RequestId>().map(|id| id.0.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn noted(skill: &str) -> AuditEvent {
        AuditEvent {
            time: crate::observe::timestamp(),
            actor: Actor { face: Face::Http, peer: Some("127.0.0.1:5".to_owned()), request: Some("r-1".to_owned()) },
            action: Action::Activate,
            skill: skill.to_owned(),
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
