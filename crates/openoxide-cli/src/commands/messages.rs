//! Prints what the model is sent, and what people should know besides.

use openoxide_app::Notice;
use openoxide_wire::MessageLine;

use crate::ui::{Ui, safe};

/// Prints messages to the model, each on lines of its own.
pub(crate) fn print_messages(ui: &Ui, messages: &[MessageLine]) -> anyhow::Result<()> {
    print_texts(ui, messages.iter().map(|message| message.text.as_str()))
}

/// Prints texts as they are, each on lines of its own.
pub(crate) fn print_texts<'t>(ui: &Ui, texts: impl IntoIterator<Item = &'t str>) -> anyhow::Result<()> {
    for text in texts {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        ui.raw(&format!("{text}{end}"))?;
    }
    Ok(())
}

/// Warns of what people should know.
pub(crate) fn warn_notices(ui: &Ui, notices: &[Notice]) {
    for notice in notices {
        ui.warn(&format!("{}: {}", safe(&notice.skill), safe(&notice.text)));
        notice.help.iter().for_each(|help| ui.hint(&safe(help)));
    }
}
