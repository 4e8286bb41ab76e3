//! Tidies text for the model: no blanks at the ends of lines, no runs of blank lines, tables without padding.

/// Tidies a text, line by line; inside code blocks only the ends of lines change.
pub(crate) fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(trim_end).collect();
    let mut tidied: Vec<String> = Vec::with_capacity(lines.len());
    let mut in_code = false;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            in_code = !in_code;
            tidied.push(line.to_owned());
        } else if in_code {
            tidied.push(line.to_owned());
        } else if bare.is_empty() {
            let run = lines[at..].iter().take_while(|line| line.is_empty()).count();
            let is_single = run == 0 && at < lines.len();
            if !is_single {
                drop_blanks(&mut tidied);
                at += run;
            } else if tidied.last().is_some_and(|last| !last.is_empty()) {
                tidied.push(String::new());
            }
        } else {
            if is_closing_tag(bare) {
                drop_blanks(&mut tidied);
            }
            let indent = &line[..line.len() - bare.len()];
            tidied.push(format!("{indent}{}", without_padding(bare)));
        }
    }
    drop_blanks(&mut tidied);
    tidied.join("\n")
}

fn trim_end(line: &str) -> &str {
    line.trim_end_matches(crate::text::is_blank)
}

fn drop_blanks(lines: &mut Vec<String>) {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
}

fn is_closing_tag(line: &str) -> bool {
    let name = line.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_'))
    })
}

fn without_padding(line: &str) -> String {
    let is_row = line.len() > 1 && line.starts_with('|') && line.ends_with('|');
    let is_rule = is_row && line.len() > 2 && line.chars().all(|c| matches!(c, '-' | ':' | '|') || c.is_whitespace());
    match (is_row, is_rule) {
        (false, _) => line.to_owned(),
        (true, false) => line.split('|').map(str::trim).collect::<Vec<_>>().join("|"),
        (true, true) => {
            let cells = line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).map(rule);
            format!("|{}|", cells.collect::<Vec<_>>().join("|"))
        }
    }
}

fn rule(cell: &str) -> &'static str {
    match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => ":---:",
        (true, false) => ":---",
        (false, true) => "---:",
        (false, false) => "---",
    }
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn blank_lines_blanks_and_tables() {
        let rows = [
            ("a  \nb\n\nc", "a\nb\n\nc"),
            ("a\n\n\n\nb", "a\nb"),
            ("a\n\n</skills>\n", "a\n</skills>"),
            ("\na", "a"),
            ("| x   |  y|\n|--|:-:|", "|x|y|\n|---|:---:|"),
            ("```\n| x |\n\n\n```\n\n", "```\n| x |\n\n\n```"),
            ("  | a |", "  |a|"),
        ];
        for (text, tidied) in rows {
            assert_eq!(tidy(text), tidied, "{text:?}");
        }
    }
}
