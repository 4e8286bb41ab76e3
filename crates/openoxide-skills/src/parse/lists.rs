//! Splits lists in a frontmatter: tools and patterns.

/// Splits a line of tools at commas and blanks that stand outside parentheses.
pub(super) fn split_tools(text: &str) -> Vec<String> {
    split_outside(text, ['(', ')'], |character| character == ',' || character.is_whitespace())
}

/// Splits a line of patterns at commas that stand outside braces.
pub(super) fn split_patterns(text: &str) -> Vec<String> {
    split_outside(text, ['{', '}'], |character| character == ',')
}

fn split_outside(text: &str, [open, close]: [char; 2], separates: impl Fn(char) -> bool) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|character: char| {
        if character == open {
            depth += 1;
        } else if character == close {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && separates(character)
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
