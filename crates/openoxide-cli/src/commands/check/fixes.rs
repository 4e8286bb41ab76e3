//! Fixes as people read them, one line each.

use openoxide_app::Workspace;
use openoxide_app::check::FixEvent;
use openoxide_app::paths;

use crate::table::cut;
use crate::ui::{Ui, safe};

/// Says what a fix did, or warns of what it did not do.
pub(super) fn tell(ui: &Ui, workspace: &Workspace, event: &FixEvent) {
    let short = |path| paths::short(workspace, path);
    match event {
        FixEvent::Replaced { path, old, new, code } => {
            ui.say(&format!("fixed {}: {} [{code}]", short(path), replaced(old, new)));
        }
        FixEvent::IsLink { path } => ui.warn(&format!("{} is a link, and is not written through", short(path))),
        FixEvent::Renamed { from, to } => ui.say(&format!("renamed {} to {}", short(from), safe(to))),
        FixEvent::NameTaken { path, to } => {
            ui.warn(&format!("{} is not renamed: `{}` is already there", short(path), safe(to)));
        }
        FixEvent::Relinked { link, target } => ui.say(&format!("linked {} to {}", short(link), short(target))),
        FixEvent::NotRelinked { link, error } => {
            ui.warn(&format!("{} leads nowhere now, and cannot be made anew: {error}", short(link)));
        }
    }
}

/// Says what a replacement did.
fn replaced(old: &str, new: &str) -> String {
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
