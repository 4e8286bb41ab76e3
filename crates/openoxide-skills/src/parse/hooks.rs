//! Reads the hooks in a frontmatter: commands by event. A mistake drops its own handler and no other.

use std::time::Duration;

use super::scalar;
use crate::host::BoolRule;
use crate::skill::{HookHandler, SkillHooks};
use crate::text::yaml::{Node, Value};

const LONGEST: Duration = Duration::from_hours(24);

/// Where something is wrong, and what.
type Problem<'n, 's> = (&'n Node<'s>, String);

#[derive(Default)]
pub(super) struct Read<'n, 's> {
    pub(super) hooks: SkillHooks,
    pub(super) problems: Vec<Problem<'n, 's>>,
}

/// Reads hooks: events, each with groups of a matcher and handlers.
pub(super) fn read<'n, 's>(value: &'n Node<'s>) -> Read<'n, 's> {
    let mut read = Read::default();
    let Some(events) = value.as_map() else {
        let problem = (value, "`hooks` is a map of events; the value is ignored".to_owned());
        read.problems.extend((!value.is_null()).then_some(problem));
        return read;
    };
    for (event, groups) in events {
        let Some(event) = event.as_text() else { continue };
        let Value::List(groups) = &groups.value else {
            read.problems.push((groups, format!("`hooks.{event}` is a list; the value is ignored")));
            continue;
        };
        let mut handlers = Vec::new();
        for group in groups {
            read.group(event, group, &mut handlers);
        }
        read.hooks.hooks.insert(event.to_owned(), handlers);
    }
    read
}

impl<'n, 's> Read<'n, 's> {
    fn group(&mut self, event: &str, group: &'n Node<'s>, handlers: &mut Vec<HookHandler>) {
        let matcher = match text(group, "matcher") {
            Ok(matcher) => matcher,
            Err((node, what)) => return self.problems.push((node, format!("`hooks.{event}`: {what}"))),
        };
        let Some(Value::List(written)) = group.get("hooks").map(|node| &node.value) else {
            let what = format!("`hooks.{event}` needs a list `hooks` in each group; the group is ignored");
            return self.problems.push((group, what));
        };
        for node in written {
            match handler(node, matcher.as_deref()) {
                Ok(handler) => handlers.push(handler),
                Err((place, what)) => {
                    self.problems.push((place, format!("`hooks.{event}`: {what}; the handler is ignored")));
                }
            }
        }
    }
}

fn handler<'n, 's>(node: &'n Node<'s>, matcher: Option<&str>) -> Result<HookHandler, Problem<'n, 's>> {
    if node.as_map().is_none() {
        return Err((node, "a handler is a map".to_owned()));
    }
    let handler = HookHandler {
        hook_type: text(node, "type")?.unwrap_or_else(|| "command".to_owned()),
        matcher: matcher.map(str::to_owned),
        command: text(node, "command")?.unwrap_or_default(),
        args: words(node, "args")?,
        condition: text(node, "if")?,
        timeout: seconds(node, "timeout")?,
        shell: text(node, "shell")?,
        background: yes(node, "async")? || yes(node, "asyncRewake")?,
        once: yes(node, "once")?,
        status: text(node, "statusMessage")?,
    };
    if handler.hook_type == "command" && handler.command.trim().is_empty() {
        return Err((node, "`command` is missing".to_owned()));
    }
    Ok(handler)
}

fn text<'n, 's>(node: &'n Node<'s>, key: &str) -> Result<Option<String>, Problem<'n, 's>> {
    let Some(value) = node.get_some(key) else { return Ok(None) };
    let found = value.as_text().ok_or_else(|| (value, format!("`{key}` must be text")))?;
    Ok(Some(found.to_owned()))
}

fn words<'n, 's>(node: &'n Node<'s>, key: &str) -> Result<Option<Vec<String>>, Problem<'n, 's>> {
    let Some(value) = node.get_some(key) else { return Ok(None) };
    let Value::List(items) = &value.value else { return Err((value, format!("`{key}` must be a list of texts"))) };
    let problem = |item| (item, format!("`{key}` must be a list of texts"));
    let word = |item: &'n Node<'s>| item.as_text().map(str::to_owned).ok_or_else(|| problem(item));
    items.iter().map(word).collect::<Result<_, _>>().map(Some)
}

fn yes<'n, 's>(node: &'n Node<'s>, key: &str) -> Result<bool, Problem<'n, 's>> {
    let Some(value) = node.get_some(key) else { return Ok(false) };
    scalar::boolean(value, BoolRule::Core).ok_or_else(|| (value, format!("`{key}` is `true` or `false`")))
}

fn seconds<'n, 's>(node: &'n Node<'s>, key: &str) -> Result<Option<Duration>, Problem<'n, 's>> {
    let Some(value) = node.get_some(key) else { return Ok(None) };
    let number = value.as_text().and_then(|text| text.parse::<f64>().ok());
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok()).filter(|time| !time.is_zero());
    let time = time.ok_or_else(|| (value, format!("`{key}` is a number of seconds")))?;
    Ok(Some(time.min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::yaml::parse;

    fn check(yaml: &str, handlers: &[&str], problems: &[&str]) {
        let node = parse(yaml).unwrap();
        let read = read(&node);
        let shown = read.hooks.hooks.iter().flat_map(|(event, handlers)| {
            handlers.iter().map(move |one| format!("{event} {} {}", one.matcher.as_deref().unwrap_or("-"), one.command))
        });
        assert_eq!(shown.collect::<Vec<_>>(), handlers, "{yaml}");
        let told: Vec<&str> = read.problems.iter().map(|(_, told)| told.as_str()).collect();
        assert_eq!(told, problems, "{yaml}");
    }

    #[test]
    fn everything_that_a_handler_says_is_read() {
        let yaml = "PreToolUse:\n  - matcher: Bash\n    hooks:\n      - type: command\n        command: ./check\n        \
                    args: [--fast, '${X}']\n        if: Bash(rm *)\n        timeout: 1.5\n        shell: bash\n        \
                    async: true\n        once: true\n        statusMessage: Checking\n";
        let node = parse(yaml).unwrap();
        let expected = HookHandler {
            hook_type: "command".to_owned(),
            matcher: Some("Bash".to_owned()),
            command: "./check".to_owned(),
            args: Some(vec!["--fast".to_owned(), "${X}".to_owned()]),
            condition: Some("Bash(rm *)".to_owned()),
            timeout: Some(Duration::from_millis(1500)),
            shell: Some("bash".to_owned()),
            background: true,
            once: true,
            status: Some("Checking".to_owned()),
        };
        assert_eq!(read(&node).hooks.hooks["PreToolUse"], [expected]);
    }

    #[test]
    fn a_bad_handler_goes_alone() {
        let stop = |handlers: &str| format!("Stop:\n  - hooks: [{handlers}]\n");
        let good = "{command: good}";
        for (bad, what) in [
            ("{type: command}", "`command` is missing"),
            ("text", "a handler is a map"),
            ("{command: [a]}", "`command` must be text"),
            ("{command: a, args: b}", "`args` must be a list of texts"),
            ("{command: a, args: [[b]]}", "`args` must be a list of texts"),
            ("{command: a, timeout: soon}", "`timeout` is a number of seconds"),
            ("{command: a, timeout: -1}", "`timeout` is a number of seconds"),
            ("{command: a, timeout: .nan}", "`timeout` is a number of seconds"),
            ("{command: a, once: perhaps}", "`once` is `true` or `false`"),
        ] {
            let told = format!("`hooks.Stop`: {what}; the handler is ignored");
            check(&stop(&format!("{bad}, {good}")), &["Stop - good"], &[&told]);
        }
        // Handlers of other kinds are judged elsewhere.
        check(&stop("{type: http, url: 'https://x'}"), &["Stop - "], &[]);
    }

    #[test]
    fn a_bad_group_or_event_goes_alone() {
        let good = "Stop: [{hooks: [{command: good}]}]";
        check(&format!("{good}\nX: 1"), &["Stop - good"], &["`hooks.X` is a list; the value is ignored"]);
        let told = "`hooks.X` needs a list `hooks` in each group; the group is ignored";
        check(&format!("{good}\nX: [{{matcher: a}}]"), &["Stop - good"], &[told]);
        let yaml = "X: [{matcher: [a], hooks: []}, {matcher: a|b, hooks: [{command: c}]}]";
        check(yaml, &["X a|b c"], &["`hooks.X`: `matcher` must be text"]);
        check("[]", &[], &["`hooks` is a map of events; the value is ignored"]);
        check("", &[], &[]);
    }
}
