//! Reads files of skills.

use std::path::PathBuf;

use openoxide_app::activate::caller;
use openoxide_app::read::{self, ReadInput};
use openoxide_app::{Audience, ReadForm, ReadPart, SkillRef};
use openoxide_wire::CallerInput;
use serde::Deserialize;
use serde_json::Value;

use crate::rpc::{Client, ClientAsker, Result, params, result};

#[derive(Deserialize)]
struct ReadParams {
    /// The skill, by name or path, or an address: `skill://NAME/PATH`.
    skill: String,
    /// A file or folder in the skill's folder; the skill's own text if absent.
    path: Option<String>,
    /// Whether what is in the skill's folder is listed.
    #[serde(default)]
    list: bool,
    /// Whether any file's bytes are answered.
    #[serde(default)]
    base64: bool,
    /// Who reads. Absent: the model.
    #[serde(default, rename = "as")]
    who: Option<CallerInput>,
    #[serde(default)]
    session: String,
    cwd: Option<PathBuf>,
}

impl ReadParams {
    fn input(self) -> ReadInput {
        let part = match self.path {
            Some(path) => ReadPart::Path(path),
            None if self.list => ReadPart::Listing,
            None => ReadPart::Manifest,
        };
        let form = if self.base64 { ReadForm::Bytes } else { ReadForm::Text };
        let (skill, caller) = (SkillRef::Typed(self.skill), caller(self.who));
        ReadInput { skill, part, caller, form, audience: Audience::Program }
    }
}

pub(super) async fn read(client: &Client, given: Value) -> Result<Value> {
    let given: ReadParams = params(given)?;
    let snapshot = client.snapshot(given.cwd.as_deref()).await?;
    let session = client.session(&given.session)?;
    let reading = read::read(&snapshot, given.input())?;
    let mut asker = ClientAsker::new(client);
    let (_, outcome) = client.engine.complete(&snapshot, reading, &session, &mut asker).await??;
    let mut answer = result(&read::answer(&snapshot, &outcome))?;
    if !asker.unasked.is_empty() {
        answer["notices"] = serde_json::to_value(&asker.unasked)?;
    }
    Ok(answer)
}
