//! Guesses the forms under which a command might be denied, and errs on the side of too many.
//!
//! It ignores quotes on purpose, so it does not use the lexer: a part that was misread as quoted would escape a rule that
//! denies it, while one form too many can only deny or ask too often.

use crate::{Leading, leading};

/// Returns every form of a command: without its quotes, without what only runs it, and by its program's bare name.
pub(super) fn forms(words: &[&str]) -> Vec<String> {
    let mut forms = Vec::new();
    let mut rest = words;
    loop {
        let Some((name, arguments)) = rest.split_first() else { return forms };
        forms.push(rest.join(" "));
        if let Some((_, bare)) = name.rsplit_once('/').filter(|(_, bare)| !bare.is_empty()) {
            forms.push([&[bare], arguments].concat().join(" "));
        }
        let Some(prefix) = leading(name) else { return forms };
        let is_option = |word: &&&str| word.starts_with('-') || word.parse::<f64>().is_ok();
        let options = if prefix == Leading::Wrapper { arguments.iter().take_while(is_option).count() } else { 0 };
        rest = &arguments[options..];
    }
}

/// Returns what might run in a text that is not understood, whatever is quoted in it.
pub(super) fn guess(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut redirected = false;
    for fragment in text.split_inclusive(|character: char| "\n;&|(){}<>`$".contains(character)) {
        let sign = fragment.chars().next_back().filter(|last| "\n;&|(){}<>`$".contains(*last));
        let bare: String = fragment.chars().filter(|character| !"'\"\\\n;&|(){}<>`$".contains(*character)).collect();
        let words: Vec<&str> = bare.split_whitespace().collect();
        found.extend(forms(&words));
        // The words after the name of a file may be the command itself.
        if let Some((_, rest)) = words.split_first().filter(|_| redirected) {
            found.extend(forms(rest));
        }
        redirected = matches!(sign, Some('<' | '>'));
    }
    let bare: String = text.chars().filter(|character| !"'\"\\\n".contains(*character)).collect();
    found.extend(forms(&bare.split_whitespace().collect::<Vec<_>>()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_command() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(forms(&text.split(' ').collect::<Vec<_>>()), expected, "{text}");
        };
        check("rm x", &["rm x"]);
        check("/bin/rm x", &["/bin/rm x", "rm x"]);
        check("A=1 sudo -n rm x", &["A=1 sudo -n rm x", "sudo -n rm x", "rm x"]);
        check("timeout 5 rm x", &["timeout 5 rm x", "rm x"]);
        check("then rm x", &["then rm x", "rm x"]);
        check("git rm x", &["git rm x"]);
    }

    #[test]
    fn a_guess_sees_what_is_hidden() {
        let hidden = [
            "echo $(rm x)",
            "echo \"$(rm x)\"",
            "echo `rm x`",
            "(rm x)",
            "if true; then rm x; fi",
            "A=1 rm x",
            "r''m x >y",
            "r\\m x",
            "rm \\\nx",
            "cat <(rm x)",
            ">y rm x",
            "true & rm x",
            "f() { rm x; }",
            "! rm x",
        ];
        for text in hidden {
            assert!(guess(text).iter().any(|form| form == "rm x"), "{text}: {:?}", guess(text));
        }
        assert!(guess("rm${IFS}x").iter().any(|form| form == "rm"));
    }
}
