//! A choice on the terminal: numbered lines, answered by a number.

use std::io::IsTerminal as _;

use crate::asking::read_line;
use crate::ui::Ui;

/// Returns whether there is a terminal to ask on.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for one of several lines. An empty answer takes the first one; the end of input takes none.
pub(crate) fn choose(ui: &Ui, question: &str, lines: &[String]) -> Option<usize> {
    ui.ask(question);
    for (number, line) in (1..).zip(lines) {
        ui.ask(&format!("  {number}  {line}"));
    }
    loop {
        let typed = read_line(ui, "Which one? [1] > ")?;
        match chosen(typed.trim(), lines.len()) {
            Some(index) => return Some(index),
            None => ui.ask(&format!("Please answer with a number from 1 to {}.", lines.len())),
        }
    }
}

fn chosen(typed: &str, count: usize) -> Option<usize> {
    let number = if typed.is_empty() { 1 } else { typed.parse::<usize>().ok()? };
    (1..=count).contains(&number).then(|| number - 1)
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn numbers_are_taken_and_nothing_is_the_first() {
        assert_eq!([chosen("", 2), chosen("1", 2), chosen("2", 2)], [Some(0), Some(0), Some(1)]);
        assert_eq!([chosen("0", 2), chosen("3", 2), chosen("y", 2), chosen("-1", 2)], [None; 4]);
    }
}
