//! Compares two answers on the same tree.

use serde_json::Value;

/// One line of an answer, in a form that two programs can agree on.
type Lines = Vec<String>;

/// Compares the skills of Codex, its errors included, with ours.
pub(super) fn codex(real: &Value, ours: &Value) -> Lines {
    let real_active = rows(&real["skills"], |skill| skill["enabled"] == true);
    let our_active = rows(&ours["skills"], |_| true);
    let mut differences = in_order("active", &real_active, &our_active);
    let real_off = paths(&real["skills"], |skill| skill["enabled"] == false);
    let our_off = paths(&ours["others"], |skill| skill["status"] == "disabled");
    differences.extend(as_sets("disabled", &real_off, &our_off));
    let real_bad =
        paths(&real["errors"], |error| error["path"].as_str().is_some_and(|path| path.ends_with("/SKILL.md")));
    let our_bad = paths(&ours["others"], |skill| skill["status"] == "invalid" && unreadable(skill));
    differences.extend(as_sets("invalid", &once(real_bad), &once(our_bad)));
    differences
}

/// Compares whole answers to `skills/list`: every key of every skill, in order, and what is wrong with files.
pub(super) fn codex_whole(real: &Value, ours: &Value) -> Lines {
    let rows = |answer: &Value| items(&answer["skills"]).map(ToString::to_string).collect::<Lines>();
    let mut differences = in_order("skills/list", &rows(real), &rows(ours));
    let is_file = |error: &&Value| error["path"].as_str().is_some_and(|path| path.ends_with("/SKILL.md"));
    let said = |answer: &Value| once(items(&answer["errors"]).filter(is_file).map(error_line).collect());
    differences.extend(as_sets("skills/list errors", &said(real), &said(ours)));
    if real["cwd"] != ours["cwd"] {
        differences.push(format!("skills/list: cwd: real {} ours {}", real["cwd"], ours["cwd"]));
    }
    differences
}

/// Writes an error without the words of a library, which are our own in our answers.
fn error_line(error: &Value) -> String {
    let message = error["message"].as_str().unwrap_or_default();
    let kinds = ["invalid YAML: ", "failed to read file: "];
    let kind = kinds.into_iter().find(|kind| message.starts_with(kind)).unwrap_or(message);
    format!("{} {kind}", error["path"])
}

/// Compares the names that Claude Code lists with ours.
///
/// A text may have lines that look like entries, so names that neither program knows are taken for text. A skill that a
/// rule denies to the model is in our prompt, `shown`, although it cannot call it; not if the line is that of another skill
/// of its name.
pub(super) fn claude(real: &Value, ours: &Value, shown: &[String]) -> Lines {
    let known: Lines = [&ours["skills"], &ours["others"]].into_iter().flat_map(names).collect();
    let called: Lines = items(&real["user"]).filter_map(Value::as_str).map(str::to_owned).collect();
    // Another name may stand in brackets behind a skill's own.
    let own = |name: String| match name.rsplit_once(" (") {
        Some((own, _)) if !known.contains(&name) && name.ends_with(')') => own.to_owned(),
        _ => name,
    };
    let listed = names(&real["listed"]).map(own);
    let real: Lines = listed.filter(|name| known.contains(name) || called.contains(name)).collect();
    let of_model: Lines = items(&ours["skills"]).filter(|skill| skill["model"] == true).map(name).collect();
    let is_shown = |skill: &Value| {
        if of_model.contains(&name(skill)) {
            return false;
        }
        let line = format!("- {}", name(skill));
        let mut rests = shown.iter().filter_map(|shown| shown.strip_prefix(&line));
        rests.any(|rest| rest.is_empty() || rest.starts_with(": ") || rest.starts_with(" ("))
    };
    let ours = items(&ours["skills"]).filter(|skill| skill["model"] == true || is_shown(skill)).map(name);
    in_order("listed", &real, &ours.collect::<Lines>())
}

/// Compares the skills of omp with ours: what is listed, from where, and what the model does not see.
pub(super) fn omp(real: &Value, ours: &Value) -> Lines {
    let row = |skill: &Value, source: String, hidden: bool| {
        let fields = ["name", "description", "path"].map(|field| skill[field].to_string()).join(" ");
        format!("{fields} {source} {}", if hidden { "hidden" } else { "shown" })
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let real = items(&real["skills"]).map(|skill| row(skill, text(&skill["source"]), skill["hidden"] == true));
    let ours = items(&ours["skills"]).map(|skill| {
        let level = if skill["scope"] == "user" { "user" } else { "project" };
        row(skill, format!("{}:{level}", text(&skill["provider"])), skill["model"] == false)
    });
    in_order("active", &real.collect::<Lines>(), &ours.collect::<Lines>())
}

/// Compares the skills that `OpenCode` lists with ours; it lists them in no order.
pub(super) fn opencode(real: &Value, ours: &Value) -> Lines {
    let row = |skill: &Value| {
        let text = |key: &str| skill[key].as_str().unwrap_or_default().to_owned();
        format!("{:?} {:?} {:?}", text("path"), text("name"), text("description"))
    };
    let rows = |skills: &Value| items(skills).map(row).collect::<Lines>();
    as_sets("listed", &rows(&real["skills"]), &rows(&ours["skills"]))
}

/// Compares two lists line by line.
pub(super) fn in_order(what: &str, real: &[String], ours: &[String]) -> Lines {
    let mut differences = as_sets(what, real, ours);
    if differences.is_empty() && real != ours {
        let at = real.iter().zip(ours).position(|(real, ours)| real != ours).unwrap_or(0);
        differences.push(format!("{what}: order: real has {} where ours has {}", real[at], ours[at]));
    }
    differences
}

/// Compares two lists without regard to order.
fn as_sets(what: &str, real: &[String], ours: &[String]) -> Lines {
    let mut extra = ours.to_vec();
    let mut differences = Lines::new();
    for line in real {
        match extra.iter().position(|other| other == line) {
            Some(at) => drop(extra.remove(at)),
            None => differences.push(format!("{what}: only real: {line}")),
        }
    }
    differences.extend(extra.iter().map(|line| format!("{what}: only ours: {line}")));
    differences
}

/// Drops repetitions: a broken file that is found twice is one broken file.
fn once(mut lines: Lines) -> Lines {
    lines.sort();
    lines.dedup();
    lines
}

/// Tells whether a skill is invalid for its text; what a host skips silently has other reasons.
fn unreadable(skill: &Value) -> bool {
    let reason = skill["reason"].as_str().unwrap_or_default();
    ["S0001", "S0003", "S0004", "S01"].iter().any(|code| reason.starts_with(code))
}

fn rows(skills: &Value, wanted: impl Fn(&Value) -> bool) -> Lines {
    let fields = ["name", "description", "path", "scope"];
    let row = |skill: &Value| fields.map(|field| skill[field].to_string()).join(" ");
    items(skills).filter(|skill| wanted(skill)).map(row).collect()
}

fn paths(skills: &Value, wanted: impl Fn(&Value) -> bool) -> Lines {
    items(skills).filter(|skill| wanted(skill)).map(|skill| skill["path"].to_string()).collect()
}

fn names(list: &Value) -> impl Iterator<Item = String> {
    items(list).map(name)
}

fn name(item: &Value) -> String {
    item["name"].as_str().unwrap_or_default().to_owned()
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(real: &[&str], ours: &[&str], differences: &[&str]) {
        let owned = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Lines>();
        assert_eq!(in_order("x", &owned(real), &owned(ours)), owned(differences));
    }

    #[test]
    fn differences_of_lists() {
        check(&["a", "b"], &["a", "b"], &[]);
        check(&["a", "b"], &["b", "a"], &["x: order: real has a where ours has b"]);
        check(&["a", "a"], &["a"], &["x: only real: a"]);
        check(&["a"], &["a", "c"], &["x: only ours: c"]);
    }
}
