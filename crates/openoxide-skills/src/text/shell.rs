//! Finds the command in a shell line whose exit status decides.

use openoxide_permissions::{Frame, Leading, Lexer, leading};

/// Returns the first words of the last command of a line of commands, which decides what its status means.
pub(crate) fn last_command(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for piece in Lexer::new(command) {
        let is_quoted = matches!(piece.frame, Frame::Single | Frame::Double);
        match piece.text {
            "'" if piece.frame != Frame::Double => {}
            "\"" if piece.frame != Frame::Single => {}
            "|" | "&" | ";" | "\n" if !is_quoted => {
                words.clear();
                word.clear();
            }
            text if !is_quoted && text.trim().is_empty() => {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            }
            text => word.push_str(text),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    let assigned = words.iter().take_while(|word| leading(word) == Some(Leading::Assignment)).count();
    words.split_off(assigned)
}

#[cfg(test)]
mod tests {
    use super::last_command;

    #[test]
    fn the_last_command_decides() {
        let check = |command: &str, expected: &[&str]| assert_eq!(last_command(command), expected, "{command}");
        check("grep -q 'a b' x", &["grep", "-q", "a b", "x"]);
        check("cd x && A=1 git diff \"a|b\"", &["git", "diff", "a|b"]);
        check("ls; grep x | wc -l", &["wc", "-l"]);
        check("diff a b\n", &[]);
    }
}
