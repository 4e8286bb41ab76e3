//! Generates the index of the pages on diagnostic codes.

use std::fmt::Write as _;

use openoxide_skills::diagnostic::Code;

use super::NOTICE;
use super::markdown::table;

/// What the codes with a common beginning are about.
const GROUPS: &[(&str, &str)] = &[
    ("S00", "Finding and reading files"),
    ("S01", "The frontmatter"),
    ("S02", "Files beside it"),
    ("S03", "Statuses"),
    ("S04", "Settings and hosts"),
];

/// Returns the page.
pub(super) fn page() -> String {
    let mut text = format!(
        "{NOTICE}# Codes\n\nEvery finding and every reason has a code, and a code never changes its meaning. \
         `openoxide explain CODE`\nprints the same pages.\n"
    );
    for (prefix, about) in GROUPS {
        let codes = Code::ALL.iter().filter(|code| code.as_str().starts_with(prefix));
        let rows = codes.map(|code| [format!("[{code}]({code}.md)"), code.title().to_owned()]);
        let _ = write!(text, "\n## {about}\n\n{}", table(["code", "what it says"], rows));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once() {
        let page = page();
        for code in Code::ALL {
            assert_eq!(page.matches(&format!("[{code}]")).count(), 1, "{code} needs a group");
        }
    }
}
