//! Text for a terminal: made safe, and colored by meaning.

use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use openoxide_app::TerminalText;

use crate::table::cut;

/// What a text means, for its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Something wrong.
    Error,
    /// Something doubtful.
    Warning,
    /// A next step, a path.
    Hint,
    /// Something good.
    Good,
    /// What matters less.
    Dim,
    /// A heading.
    Strong,
}

/// Whether nothing shows colors, so that nothing has to be painted.
static IS_PLAIN: AtomicBool = AtomicBool::new(false);

/// Decides whether texts are painted, by what standard output and standard error show. What only one of them shows is taken
/// out again for the other.
pub(crate) fn decide_paint() {
    let shows_none = |choice: ColorChoice| choice == ColorChoice::Never;
    let is_plain =
        shows_none(AutoStream::choice(&std::io::stdout())) && shows_none(AutoStream::choice(&std::io::stderr()));
    IS_PLAIN.store(is_plain, Ordering::Relaxed);
}

pub(crate) fn paint(role: Role, text: &str) -> String {
    if IS_PLAIN.load(Ordering::Relaxed) {
        return text.to_owned();
    }
    let style = match role {
        Role::Error => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
        Role::Warning => Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())),
        Role::Hint => Style::new().fg_color(Some(AnsiColor::Cyan.into())),
        Role::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
        Role::Dim => Style::new().dimmed(),
        Role::Strong => Style::new().bold(),
    };
    format!("{style}{text}{style:#}")
}

/// Makes text from a skill safe to print.
pub(crate) fn safe(text: &str) -> String {
    TerminalText(text).to_string()
}

/// Makes text of several lines safe to print.
pub(crate) fn safe_lines(text: &str) -> String {
    text.trim_end().lines().map(safe).collect::<Vec<_>>().join("\n")
}

/// Says who alone may call a skill; nothing if both may, or nobody.
pub(crate) fn only_caller(model: bool, user: bool) -> Option<&'static str> {
    match (model, user) {
        (false, true) => Some("you only"),
        (true, false) => Some("model only"),
        _ => None,
    }
}

/// Says what the replacement of a text changed.
pub(crate) fn replacement(old: &str, new: &str) -> String {
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
