//! Commands as they have to be typed in a shell, so that what is suggested can be pasted.

use std::path::Path;

use openoxide_app::{SkillReference, Workspace, paths};

use crate::{args::Common, text::safe};

/// Writes a command: what to do, with what and how, and those of the options given that decide what is looked at.
///
/// `argument` is typed already, one word or several; if one looks like an option, all go to the end.
pub(crate) fn command(common: &Common, verb: &str, argument: Option<&str>, options: &str) -> String {
    let mut words = vec!["openoxide".to_owned(), verb.to_owned()];
    let looks_like_option = argument.is_some_and(|argument| argument.split(' ').any(|word| word.starts_with('-')));
    words.extend(argument.filter(|_| !looks_like_option).map(str::to_owned));
    words.push(options.to_owned());
    let mut add = |option: &str, value: &str| {
        words.push(format!("{option} {}", shown_word(value)));
    };
    common.project.iter().for_each(|project| add("--project", &project.to_string_lossy()));
    common.host.iter().for_each(|host| add("--host", host));
    common.agent.iter().for_each(|agent| add("--agent", agent));
    common.add_dir.iter().for_each(|dir| add("--add-dir", &dir.to_string_lossy()));
    common.touch.iter().for_each(|file| add("--touch", &file.to_string_lossy()));
    common.config.iter().for_each(|setting| add("--config", setting));
    words.extend(argument.filter(|_| looks_like_option).map(|argument| format!("-- {argument}")));
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// Returns the options without a host: for commands that serve all of them.
pub(crate) fn for_all(common: &Common) -> Common {
    Common { host: None, ..common.clone() }
}

/// Writes a word; `None` if it has characters that cannot be shown, so that nobody could type it.
pub(crate) fn word(text: &str) -> Option<String> {
    let plain = |character: char| character.is_alphanumeric() || "-_./:@+,=".contains(character);
    if safe(text) != text {
        None
    } else if !text.is_empty() && text.chars().all(plain) {
        Some(text.to_owned())
    } else {
        Some(format!("'{}'", text.replace('\'', r"'\''")))
    }
}

/// Writes a word, with escapes for what cannot be typed.
pub(crate) fn shown_word(text: &str) -> String {
    word(text).unwrap_or_else(|| format!("'{}'", safe(text)))
}

/// Writes what means a skill: its name, or its path where the name means another one or cannot be typed.
pub(crate) fn skill(workspace: &Workspace, skill: &SkillReference) -> Option<String> {
    skill.name.as_deref().and_then(word).or_else(|| path(workspace, &skill.folder))
}

/// Writes a path, short as people read it; `None` if nobody could type it.
pub(crate) fn path(workspace: &Workspace, path: &Path) -> Option<String> {
    path.to_str()?;
    let short = paths::short(workspace, path);
    let is_relative = path.starts_with(&workspace.environment.cwd) || path.starts_with(&workspace.project);
    match short.strip_prefix("~/") {
        // In quotes, a shell takes `~` for a letter.
        Some("") => Some("~".to_owned()),
        Some(rest) if !is_relative => Some(format!("~/{}", word(rest)?)),
        _ if short.starts_with(['-', '~']) => word(&format!("./{short}")),
        _ => word(&short),
    }
    .filter(|_| safe(&path.to_string_lossy()) == path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(word(text).as_deref(), expected, "{text:?}");
        check(".agents/skills/a-b", Some(".agents/skills/a-b"));
        check("it's two", Some(r"'it'\''s two'"));
        check("~me", Some("'~me'"));
        check("$(rm -r x)", Some("'$(rm -r x)'"));
        check("größe", Some("größe"));
        check("", Some("''"));
        check("two\nlines", None);
        check("\u{1b}[31mred", None);
        check("in\u{200b}visible", None);
    }

    #[test]
    fn an_argument_like_an_option_goes_to_the_end() {
        let check = |argument, options, expected| {
            assert_eq!(command(&Common::default(), "link", argument, options), expected);
        };
        check(Some("a"), "--into codex", "openoxide link a --into codex");
        check(Some("-a"), "--into codex", "openoxide link --into codex -- -a");
        check(Some("-a"), "", "openoxide link -- -a");
        check(Some("a --host=x"), "--into codex", "openoxide link --into codex -- a --host=x");
        check(None, "", "openoxide link");
    }

    #[test]
    fn options_that_decide_what_is_seen_are_kept() {
        let common = Common {
            project: vec!["my app".into()],
            host: Some("codex@seed".to_owned()),
            agent: Some("review".to_owned()),
            config: vec!["skills.claude=false".to_owned()],
            json: true,
            ..Common::default()
        };
        let expected =
            "openoxide explain a --project 'my app' --host codex@seed --agent review --config skills.claude=false";
        assert_eq!(command(&common, "explain", Some("a"), ""), expected);
        let expected = "openoxide explain --project 'my app' --agent review --config skills.claude=false -- -a";
        assert_eq!(command(&for_all(&common), "explain", Some("-a"), ""), expected);
    }
}
