//! A question with yes or no. Without a terminal, nothing waits for an answer.

use std::io::{BufRead as _, IsTerminal as _};

use crate::error::Told;
use crate::ui::Ui;

/// What was said about questions on the command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consent {
    /// The answer is yes.
    pub(crate) yes: bool,
    /// Nothing is to be asked.
    pub(crate) no_input: bool,
}

/// Asks; anything but yes is no.
pub(crate) fn consent(ui: &Ui, question: &str, consent: Consent) -> Result<bool, Told> {
    if consent.yes {
        return Ok(true);
    }
    if consent.no_input || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        let why = if consent.no_input { "--no-input was given" } else { "there is no terminal to ask on" };
        let told = Told::failed(format!("this needs your yes, and {why}"));
        return Err(told.hint("read what is shown above; if you want it, add --yes"));
    }
    ui.ask(&format!("{question} [y/N]"));
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    Ok(read.is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
