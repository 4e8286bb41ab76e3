//! Columns of marks: what each agent makes of a skill.

use openoxide_app::agents_list::Mark;
use unicode_width::UnicodeWidthStr as _;

use crate::table::pad;
use crate::ui::{Role, paint, safe};

/// The marks, with the words of the legend.
const MARKS: [(Mark, char, Role, &str); 5] = [
    (Mark::Active, '\u{25cf}', Role::Good, "active"),
    (Mark::NameOnly, '\u{25d0}', Role::Warning, "name only"),
    (Mark::LeftOut, '\u{25cc}', Role::Warning, "left out"),
    (Mark::Ignored, '\u{25cb}', Role::Warning, "ignored"),
    (Mark::NotFound, '\u{b7}', Role::Dim, "not found"),
];

/// The columns of some agents: what stands above each, and how wide it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MarkColumns {
    heads: Vec<String>,
    /// What the heads stand for, if they are numbers.
    pub(crate) key: Option<String>,
}

impl MarkColumns {
    /// Writes the agents above their columns: by name if the names take no more than `room`, else by number.
    pub(crate) fn new(titles: &[&str], room: usize) -> MarkColumns {
        let titles: Vec<String> = titles.iter().map(|title| safe(title)).collect();
        let named = MarkColumns { heads: short_titles(&titles), key: None };
        if named.width() <= room {
            return named;
        }
        let numbered = titles.iter().enumerate().map(|(at, title)| format!("{} {title}", at + 1));
        let key = Some(numbered.collect::<Vec<_>>().join(", "));
        MarkColumns { heads: (1..=titles.len()).map(|number| pad(&number.to_string(), 2)).collect(), key }
    }

    /// Returns some of the columns.
    pub(crate) fn part(&self, of: std::ops::Range<usize>) -> MarkColumns {
        MarkColumns { heads: self.heads[of].to_vec(), key: self.key.clone() }
    }

    /// Returns how many numbered columns fit.
    pub(crate) fn numbers_in(room: usize) -> usize {
        ((room + 1) / 3).max(1)
    }

    /// Returns the columns that they take, with the blanks between them.
    pub(crate) fn width(&self) -> usize {
        self.heads.iter().map(|head| head.width() + 1).sum::<usize>().saturating_sub(1)
    }

    pub(crate) fn head(&self) -> String {
        self.heads.join(" ").trim_end().to_owned()
    }

    /// Writes the marks of one skill, each below the middle of its head.
    pub(crate) fn marks(&self, marks: &[Mark]) -> String {
        let mut text = String::new();
        for (head, mark) in self.heads.iter().zip(marks) {
            let before = if self.key.is_some() { 0 } else { (head.width() - 1) / 2 };
            text.push_str(&" ".repeat(before));
            text.push_str(&painted(*mark));
            text.push_str(&" ".repeat(head.width() - before));
        }
        // The last head has no blank behind it.
        text.pop();
        text
    }
}

/// Writes what the marks mean that are there.
pub(crate) fn legend(used: impl Fn(Mark) -> bool) -> String {
    let words = MARKS.iter().filter(|(mark, ..)| used(*mark)).map(|(_, sign, _, word)| format!("{sign} {word}"));
    words.collect::<Vec<_>>().join("  ")
}

fn painted(mark: Mark) -> String {
    let (_, sign, role, _) = MARKS.iter().find(|(known, ..)| *known == mark).unwrap_or(&MARKS[0]);
    paint(*role, &sign.to_string())
}

/// Shortens each title to its first word, if that is long enough to be known by and no other agent's.
fn short_titles(titles: &[String]) -> Vec<String> {
    let first = |title: &String| title.split_whitespace().next().unwrap_or_default().to_owned();
    let short = |title: &String| {
        let word = first(title);
        let is_clear = word.width() > 2 && titles.iter().filter(|other| first(other) == word).count() == 1;
        if is_clear { word } else { title.clone() }
    };
    titles.iter().map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_short_and_stay_apart() {
        let head = |titles: &[&str], room| MarkColumns::new(titles, room).head();
        assert_eq!(head(&["Claude Code", "Codex", "VS Code", "pi"], 40), "Claude Codex VS Code pi");
        assert_eq!(head(&["Claude Code", "Claude Next"], 40), "Claude Code Claude Next");
        let many = MarkColumns::new(&["Claude Code", "Codex"], 8);
        assert_eq!((many.head().as_str(), many.key.as_deref()), ("1  2", Some("1 Claude Code, 2 Codex")));
    }

    #[test]
    fn marks_stand_below_their_heads() {
        let columns = MarkColumns::new(&["Claude Code", "Codex", "pi"], 40);
        let bare = |marks: &[Mark]| anstream::adapter::strip_str(&columns.marks(marks)).to_string();
        assert_eq!(columns.head(), "Claude Codex pi");
        assert_eq!(bare(&[Mark::Active, Mark::NameOnly, Mark::NotFound]), "  \u{25cf}      \u{25d0}   \u{b7} ");
        assert_eq!(columns.width(), 15);
        assert_eq!(
            legend(|mark| mark != Mark::LeftOut && mark != Mark::NameOnly),
            "\u{25cf} active  \u{25cb} ignored  \u{b7} not found"
        );
    }
}
