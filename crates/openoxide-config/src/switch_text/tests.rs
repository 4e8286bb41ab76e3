//! What is put in is taken out again to the last byte, in every format and however the text is written.

use super::*;

const JSON: Format = Format::Json(JsonDialect::WithComments);

fn word(word: &str) -> Mark {
    Mark::Word { word: word.to_owned(), any_case: false }
}

fn state(name: &str) -> Mark {
    Mark::State { name: name.to_owned(), on: "on", off: "off" }
}

fn rule(skill: &str) -> Mark {
    Mark::Rule { field: "name", skill: skill.to_owned() }
}

fn switch(text: &str, format: Format, key: &str, mark: &Mark, enabled: bool) -> Result<String, TextError> {
    let key: Vec<String> = key.split('.').map(str::to_owned).collect();
    switched(text, format, &key, &SwitchChange { mark: mark.clone(), enabled, overrule: false })
}

/// Checks the text with the skill off, that it is off only once, and that switching it on restores the first text.
fn check(format: Format, key: &str, mark: &Mark, on: &str, off: &str) {
    let switch =
        |text: &str, enabled| switch(text, format, key, mark, enabled).unwrap_or_else(|why| panic!("{text}\n{why}"));
    assert_eq!(switch(on, true), on, "it is on already");
    assert_eq!(switch(on, false), off);
    assert_eq!(switch(off, false), off, "it is off already");
    assert_eq!(switch(off, true), on);
}

/// Checks that a second skill is put behind the first, and both are taken out in either order.
fn check_two(format: Format, key: &str, marks: [&Mark; 2], on: &str) {
    for order in [[0, 1], [1, 0]] {
        let mut text = on.to_owned();
        for mark in marks {
            text = switch(&text, format, key, mark, false).unwrap();
        }
        for mark in marks {
            assert_eq!(switch(&text, format, key, mark, false).unwrap(), text, "it is off already");
        }
        for index in order {
            text = switch(&text, format, key, marks[index], true).unwrap();
        }
        assert_eq!(text, on, "{order:?}");
    }
}

#[test]
fn states_in_json() {
    let check = |on: &str, off: &str| check(JSON, "skillOverrides", &state("x"), on, off);
    check("", "{\n  \"skillOverrides\": {\n    \"x\": \"off\"\n  }\n}\n");
    check("{}", "{\"skillOverrides\": { \"x\": \"off\" }}");
    check("{}\n", "{\"skillOverrides\": { \"x\": \"off\" }}\n");
    check("{\n}\n", "{\"skillOverrides\": { \"x\": \"off\" }\n}\n");
    check("{\"a\":1}", "{\"a\":1, \"skillOverrides\": { \"x\": \"off\" }}");
    check(
        "{\n    \"a\": [1, 2] // c\n}",
        "{\n    \"a\": [1, 2], // c\n    \"skillOverrides\": {\n        \"x\": \"off\"\n    }\n}",
    );
    check(
        "{\r\n\t\"a\": {},\r\n}\r\n",
        "{\r\n\t\"a\": {},\r\n\t\"skillOverrides\": {\r\n\t\t\"x\": \"off\"\r\n\t},\r\n}\r\n",
    );
    check("{\"skillOverrides\": {}}", "{\"skillOverrides\": {\"x\": \"off\"}}");
    check("{\"skillOverrides\": {\n}}", "{\"skillOverrides\": {\"x\": \"off\"\n}}");
    check("{\"skillOverrides\": { }}", "{\"skillOverrides\": {\"x\": \"off\" }}");
    check(
        "{\"skillOverrides\": {\n  // mine\n  \"a\": \"off\" /* b */\n}, \"z\": 1}",
        "{\"skillOverrides\": {\n  // mine\n  \"a\": \"off\", /* b */\n  \"x\": \"off\"\n}, \"z\": 1}",
    );
    check(
        "// top\n{ \"skillOverrides\": { // } \"\n  \"a\": \"b, {\\\"\" } }\n// end",
        "// top\n{ \"skillOverrides\": { // } \"\n  \"a\": \"b, {\\\"\",\n  \"x\": \"off\" } }\n// end",
    );
    check("{\"a\": 1 // c\n}", "{\"a\": 1, // c\n \"skillOverrides\": { \"x\": \"off\" }\n}");
    check_two(JSON, "a.b", [&state("x"), &state("y")], "{\n  \"z\": 1\n}\n");
    check_two(JSON, "a.b", [&state("x"), &state("y")], "{ \"a\": {\"b\": {}} }");
}

/// What somebody else wrote is taken out too, wherever it stands; another state is replaced.
#[test]
fn states_of_others_in_json() {
    let check = |text: &str, enabled, expected: &str| {
        assert_eq!(switch(text, JSON, "s", &state("x"), enabled).unwrap(), expected, "{text}");
    };
    check("{\"s\": {\"x\": \"off\", \"y\": \"on\"}}", true, "{\"s\": {\"y\": \"on\"}}");
    check("{\"s\": { \"x\": \"off\" }}", true, "{}");
    check("{ \"s\": { \"x\": \"off\" } }", true, "");
    check("{\"s\": {\n  \"x\": \"off\", // why\n  \"y\": \"on\"\n}}", true, "{\"s\": { // why\n  \"y\": \"on\"\n}}");
    check("{\"s\": {\"x\": \"name-only\"}}", false, "{\"s\": {\"x\": \"off\"}}");
    check("{\"s\": {\"x\": \"name-only\"}}", true, "{\"s\": {\"x\": \"name-only\"}}");
    check("{\"s\": {\"x\": \"on\", \"x\": \"off\"}}", false, "{\"s\": {\"x\": \"on\", \"x\": \"off\"}}");
    let overrule = SwitchChange { mark: state("x"), enabled: true, overrule: true };
    assert_eq!(switched("{}", JSON, &["s".to_owned()], &overrule).unwrap(), "{\"s\": { \"x\": \"on\" }}");
}

#[test]
fn words_in_json() {
    let check = |on: &str, off: &str| check(JSON, "o.d", &word("x"), on, off);
    check("", "{\n  \"o\": {\n    \"d\": [\n      \"x\"\n    ]\n  }\n}\n");
    check("{\"o\": {\"d\": [\"a\"]}}", "{\"o\": {\"d\": [\"a\", \"x\"]}}");
    check("{\"o\": {\"d\": []}}", "{\"o\": {\"d\": [\"x\"]}}");
    check("{\"o\": {\"d\": [\n  \"a\",\n  \"b\",\n]}}", "{\"o\": {\"d\": [\n  \"a\",\n  \"b\",\n  \"x\",\n]}}");
    check_two(JSON, "o.d", [&word("x"), &word("y")], "{\"o\": {\"e\": [true, null]}}");
    let any_case = Mark::Word { word: "X".to_owned(), any_case: true };
    assert_eq!(switch("{\"d\": [\"x\", \"y\"]}", JSON, "d", &any_case, true).unwrap(), "{\"d\": [\"y\"]}");
    assert_eq!(switch("{\"d\": [\"x\"]}", JSON, "d", &any_case, false).unwrap(), "{\"d\": [\"x\"]}");
}

#[test]
fn rules_in_toml() {
    let check = |on: &str, off: &str| check(Format::Toml, "skills.config", &rule("x"), on, off);
    let off = "[[skills.config]]\nname = \"x\"\nenabled = false\n";
    check("", off);
    check("a = 1 # c\n", &format!("a = 1 # c\n\n{off}"));
    check("a = 1", &format!("a = 1\n\n{}", off.trim_end()));
    check("a = 1\r\n[b]\r\n", &format!("a = 1\n[b]\n\n{off}").replace('\n', "\r\n"));
    check("# only a comment\n", &format!("{off}# only a comment\n"));
    check("[skills]\nbundled.enabled = true\n", &format!("[skills]\nbundled.enabled = true\n\n{off}"));
    check(
        "# mine\n[[skills.config]]\npath = '/a' # b\nenabled = true\n\n# next\n[z]\nq = [\n  1, # one\n]\n",
        &format!(
            "# mine\n[[skills.config]]\npath = '/a' # b\nenabled = true\n\n{off}\n# next\n[z]\nq = [\n  1, # one\n]\n"
        ),
    );
    check(
        "skills.config = [{ name = \"old\", enabled = false }] # inline\n",
        "skills.config = [{ name = \"old\", enabled = false }, { name = \"x\", enabled = false }] # inline\n",
    );
    check(
        "# Slow.\n[[skills.config]]\nname = \"x\" # by me\nenabled = true # for now\n",
        "# Slow.\n[[skills.config]]\nname = \"x\" # by me\nenabled = false # for now\n",
    );
    check_two(Format::Toml, "skills.config", [&rule("x"), &rule("y")], "a = 1\n\n[b]\nc = 2\n");
    let overruled = format!("{off}\n[[skills.config]]\npath = \"/p/x/SKILL.md\"\nenabled = true\n");
    let again = switch(&overruled, Format::Toml, "skills.config", &rule("x"), false).unwrap();
    assert_eq!(again, format!("{overruled}\n{off}"), "a later rule by path may switch it on");
}

#[test]
fn words_in_yaml() {
    let check = |on: &str, off: &str| check(Format::Yaml, "disabled", &word("skill:x"), on, off);
    check("", "disabled:\n  - skill:x\n");
    check("a: 1 # c\n", "a: 1 # c\ndisabled:\n  - skill:x\n");
    check("a: 1", "a: 1\ndisabled:\n  - skill:x");
    check("a: 1\r\n", "a: 1\r\ndisabled:\r\n  - skill:x\r\n");
    check("disabled: []\nb: 2\n", "disabled: [skill:x]\nb: 2\n");
    check("disabled: [a, 'b'] # c\n", "disabled: [a, 'b', skill:x] # c\n");
    check("disabled:\n# why\n- a # b\n- \"c\"\n\nb: 2\n", "disabled:\n# why\n- a # b\n- \"c\"\n- skill:x\n\nb: 2\n");
    check("disabled:\n    - a", "disabled:\n    - a\n    - skill:x");
    check_two(Format::Yaml, "disabled", [&word("skill:x"), &word("skill:y")], "a:\n  - b\n");
    let odd = word("a: b #");
    let off = switch("", Format::Yaml, "d", &odd, false).unwrap();
    assert_eq!(
        (off.as_str(), switch(&off, Format::Yaml, "d", &odd, true).unwrap().as_str()),
        ("d:\n  - \"a: b #\"\n", "")
    );
}

#[test]
fn what_is_not_understood_is_left_alone() {
    let check = |text: &str, format, key: &str, mark: &Mark, expected: &str| {
        assert_eq!(switch(text, format, key, mark, false).unwrap_err().to_string(), expected, "{text}");
    };
    check("{\"a\": \"allow\"}", JSON, "a.b", &state("x"), "`a` is not a table there; write it as one first");
    check("{\"a\": {\"b\": 1}}", JSON, "a.b", &state("x"), "`a.b` is not a table there; write it as one first");
    check(
        "{\"d\": {}}",
        JSON,
        "d",
        &word("x"),
        "`d` is written in a way that cannot be changed without touching something else; change it by hand",
    );
    check("[1]", JSON, "d", &word("x"), "it is not a JSON object");
    check(
        "{\"a\": 1,}",
        Format::Json(JsonDialect::Strict),
        "d",
        &word("x"),
        "it is not valid JSON: trailing comma at line 1 column 9",
    );
    let no_list = "`skills.config` is not a list of tables there; write it as one first";
    check("[skills]\nconfig = 1\n", Format::Toml, "skills.config", &rule("x"), no_list);
    check(
        "skills = 1\n",
        Format::Toml,
        "skills.config",
        &rule("x"),
        "`skills` is not a list of tables there; write it as one first",
    );
    check("a = [\n", Format::Toml, "skills.config", &rule("x"), "it is not valid TOML: unclosed array, expected `]`");
    let odd = "`d` is written in a way that cannot be changed without touching something else; change it by hand";
    check("d:\n", Format::Yaml, "d", &word("x"), odd);
    check("d: |\n  - a\n", Format::Yaml, "d", &word("x"), odd);
    check("{d: [a]}\n", Format::Yaml, "d", &word("x"), odd);
    check(
        &"[".repeat(100_000),
        JSON,
        "d",
        &word("x"),
        "it is not valid JSON: recursion limit exceeded at line 1 column 128",
    );
}
