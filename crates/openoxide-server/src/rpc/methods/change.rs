//! Switching skills, and changing settings.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use openoxide_app::{
    Error, Place, SettingChange, SettingsOwner, SkillSelector, Snapshot, SwitchOutcome, SwitchRequest, settings, switch,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::list::absolute;
use crate::Asker as _;
use crate::rpc::{Client, ClientAsker, Result, RpcError, changed, params, result};

pub(super) async fn set_extra_roots(client: &Client, given: Value) -> Result<Value> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Given {
        extra_roots: Vec<PathBuf>,
    }
    let Given { extra_roots } = params(given)?;
    absolute(&extra_roots)?;
    *client.extra_roots.lock().unwrap_or_else(PoisonError::into_inner) = extra_roots;
    changed::now(client).await;
    Ok(json!({}))
}

/// Switches a skill by its name or path, and answers whether it is on now.
pub(super) async fn write_rule(client: &Client, given: Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        path: Option<PathBuf>,
        name: Option<String>,
        enabled: bool,
    }
    let Given { path, name, enabled } = params(given)?;
    let selector = match (path, name) {
        (Some(path), None) if path.is_absolute() => SkillSelector::Path(path),
        (Some(path), None) => return absolute(&[path]).map(|()| Value::Null),
        (None, Some(name)) if !name.trim().is_empty() => SkillSelector::Name(name.trim().to_owned()),
        _ => return Err(RpcError::params("skills/config/write requires exactly one of path or name")),
    };
    let order = SwitchRequest { selector, enabled, owner: SettingsOwner::User };
    let switched = switched_somewhere(client, &order).await?;
    let mut answer = json!({ "effectiveEnabled": switched.enabled });
    if let (Some(error), Some(reason)) = (switch::ineffective(&switched), switched.ineffective_reason) {
        (answer["problem"], answer["reason"]) = (error.word().into(), reason.into());
    }
    Ok(answer)
}

pub(super) async fn switch(client: &Client, given: Value, enabled: bool) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        skill: String,
        #[serde(default)]
        in_project: bool,
        cwd: Option<PathBuf>,
    }
    let Given { skill, in_project, cwd } = params(given)?;
    let order = SwitchRequest { selector: SkillSelector::Typed(skill), enabled, owner: owner(in_project) };
    let switched = switched(client, client.place(cwd.as_deref(), &[]), order).await??;
    result(&switch::switch_answer(&switched))
}

/// Switches a skill where it is found: in the server's own place, or in one that the client asked about.
async fn switched_somewhere(client: &Client, order: &SwitchRequest) -> Result<SwitchOutcome> {
    let mut places = client.places().into_iter();
    let mut outcome = switched(client, client.place(None, &[]), order.clone()).await?;
    while let (Err(Error::UnknownSkill { .. }), Some(place)) = (&outcome, places.next()) {
        outcome = switched(client, place, order.clone()).await?;
    }
    Ok(outcome?)
}

async fn switched(client: &Client, place: Place, order: SwitchRequest) -> Result<Result<SwitchOutcome, Error>> {
    let work = move |snapshot: &Arc<Snapshot>| switch::switch(snapshot, &order);
    let switched = client.work(place, true, work).await?;
    client.note_written();
    Ok(switched?)
}

/// Changes a setting, and answers the value that applies now.
pub(super) async fn write_setting(client: &Client, given: Value) -> Result<Value> {
    #[derive(Deserialize)]
    struct Given {
        key: String,
        #[serde(default, deserialize_with = "some")]
        value: Option<Value>,
        #[serde(default)]
        in_project: bool,
        cwd: Option<PathBuf>,
    }
    let Given { key, value, in_project, cwd } = params(given)?;
    let unfit = |error| RpcError::params(format!("the value cannot be written to a settings file: {error}"));
    let value = match value {
        None => return Err(RpcError::invalid("missing field `value`; null removes a setting")),
        Some(Value::Null) => None,
        Some(value) => Some(toml::Value::try_from(value).map_err(unfit)?),
    };
    let change = SettingChange { key: key.clone(), value, owner: owner(in_project) };
    let place = client.place(cwd.as_deref(), &[]);
    may_change(client, place.clone(), change.clone()).await?;
    let changed = client.work(place, false, move |snapshot| settings::change(&snapshot.workspace, &change)).await?;
    client.note_written();
    let changed = changed??;
    let mut answer = result(&settings::setting_answer(&key, &changed))?;
    if !changed.dropped.is_empty() {
        answer["dropped"] = json!(changed.dropped);
    }
    Ok(answer)
}

/// Asks the user about a change that could widen permissions.
async fn may_change(client: &Client, place: Place, change: SettingChange) -> Result<()> {
    let key = change.key.clone();
    if !change.widens_permissions() {
        return Ok(());
    }
    let question =
        client.work(place, false, move |snapshot| settings::question(&snapshot.workspace, &change)).await???;
    let mut asker = ClientAsker::new(client);
    if asker.ask(&question).await.is_yes() {
        return Ok(());
    }
    Err(match asker.unasked.pop() {
        Some(notice) => RpcError::refused("not-asked", notice.text, notice.help),
        None => RpcError::refused("rejected", format!("the user does not want `{key}` to be changed"), None),
    })
}

/// Tells null from nothing.
fn some<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(source).map(Some)
}

fn owner(in_project: bool) -> SettingsOwner {
    if in_project { SettingsOwner::Project } else { SettingsOwner::User }
}
