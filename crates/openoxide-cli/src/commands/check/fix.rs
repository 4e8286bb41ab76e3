//! Mends what can be mended with certainty, and looks again until nothing is left to mend.

use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::{Diagnostic, Fix, Host, Judged, judge};

use super::relink;
use crate::paths;
use crate::table::cut;
use crate::ui::{Ui, safe};

/// A mended file may show the next mistake; more rounds than this are not needed.
const ROUNDS: usize = 4;

/// Mends the skills in some folders; returns where they are now, and how many findings are gone.
pub(super) fn apply(
    ui: &Ui,
    workspace: &Workspace,
    mut dirs: Vec<PathBuf>,
    hosts: &[&Host],
) -> anyhow::Result<(Vec<PathBuf>, usize)> {
    let mut fixed = 0;
    for _ in 0..ROUNDS {
        let mut changed = false;
        for dir in &mut dirs {
            let judged = judge(dir, hosts);
            let count = mend(ui, workspace, dir, &judged)?;
            fixed += count;
            changed |= count > 0;
        }
        if !changed {
            break;
        }
    }
    dirs.sort();
    Ok((dirs, fixed))
}

/// Mends one skill; renaming its folder changes `dir`.
fn mend(ui: &Ui, workspace: &Workspace, dir: &mut PathBuf, judged: &Judged) -> anyhow::Result<usize> {
    let mut count = replace(ui, workspace, judged)?;
    for diagnostic in judged.findings.iter().map(|finding| &finding.diagnostic) {
        match &diagnostic.fix {
            Some(Fix::RenameFile { to }) => count += rename_file(ui, workspace, dir, to)?,
            // A file that changed is read again before its folder is renamed.
            Some(Fix::RenameFolder { to }) if count == 0 => count += rename_folder(ui, workspace, dir, to)?,
            _ => {}
        }
    }
    Ok(count)
}

fn replace(ui: &Ui, workspace: &Workspace, judged: &Judged) -> anyhow::Result<usize> {
    let mut edits: Vec<(&Path, &Diagnostic, std::ops::Range<usize>, &str)> = Vec::new();
    for finding in &judged.findings {
        if let Some(Fix::Replace { span, text }) = &finding.diagnostic.fix {
            edits.push((&finding.path, &finding.diagnostic, span.clone(), text));
        }
    }
    let Some(path) = edits.first().map(|edit| edit.0) else { return Ok(0) };
    edits.retain(|edit| edit.0 == path);
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.2.start));
    if path.is_symlink() {
        ui.warn(&format!("{} is a link, and is not written through", paths::short(workspace, path)));
        return Ok(0);
    }
    let mut text = fs_err::read(path)?;
    let mut end = text.len() + 1;
    let mut count = 0;
    for (_, diagnostic, span, replacement) in edits {
        // Two fixes for the same place: the later one in the file was made, the other waits for the next round.
        if span.end <= end.min(text.len()) && span.end <= end {
            let old: Vec<u8> = text.splice(span.clone(), replacement.bytes()).collect();
            end = span.start;
            count += 1;
            let done = done(&String::from_utf8_lossy(&old), replacement);
            ui.say(&format!("fixed {}: {done} [{}]", paths::short(workspace, path), diagnostic.code));
        }
    }
    fs_err::write(path, text)?;
    Ok(count)
}

/// Says what a replacement did.
fn done(old: &str, new: &str) -> String {
    let shown = |text: &str| format!("`{}`", safe(&cut(text.trim().lines().next().unwrap_or_default(), 40)));
    let bare = |text: &str| text.replace(['\\', '"', '\''], "");
    match (old.trim(), new.trim()) {
        ("", "") => "removed blanks".to_owned(),
        ("", new) => format!("added {}", shown(new)),
        (old, "") => format!("removed {}", shown(old)),
        (old, new) if new.starts_with(['"', '\'']) && bare(old) == bare(new) => "quoted the value".to_owned(),
        (old, new) => format!("{} is now {}", shown(old), shown(new)),
    }
}

fn rename_file(ui: &Ui, workspace: &Workspace, dir: &Path, to: &str) -> anyhow::Result<usize> {
    let entries = fs_err::read_dir(dir)?.flatten();
    let Some(from) = entries
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(to) && name != to))
    else {
        return Ok(0);
    };
    let target = dir.join(to);
    if target.symlink_metadata().is_ok() {
        return Ok(0);
    }
    let links = relink::links_to(workspace, &from)?;
    fs_err::rename(&from, &target)?;
    ui.say(&format!("renamed {} to {}", paths::short(workspace, &from), safe(to)));
    for link in links {
        link.remake(ui, workspace, &target);
    }
    Ok(1)
}

fn rename_folder(ui: &Ui, workspace: &Workspace, dir: &mut PathBuf, to: &str) -> anyhow::Result<usize> {
    let target = dir.with_file_name(to);
    if target.symlink_metadata().is_ok() {
        ui.warn(&format!("{} is not renamed: `{}` is already there", paths::short(workspace, dir), safe(to)));
        return Ok(0);
    }
    let links = relink::links_to(workspace, dir)?;
    fs_err::rename(&*dir, &target)?;
    ui.say(&format!("renamed {} to {}", paths::short(workspace, dir), safe(to)));
    *dir = target;
    for link in links {
        link.remake(ui, workspace, dir);
    }
    Ok(1)
}
