//! Splits command lines of a shell into words.

/// Returns the first words of the last command of a line of commands, which decides what its status means.
pub(crate) fn last_command(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut quote = None;
    let mut word = String::new();
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '|' | '&' | ';' | '\n') => {
                words.clear();
                word.clear();
            }
            (None, c) if c.is_whitespace() => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            (_, c) => word.push(c),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    words.split_off(assigned)
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
