//! Tests of reading skill files; the hosts' own tables are in `tests/it`.

use super::{Head, Readings, parse_text};
use crate::host::{Hosts, ParseRules};

/// Reads a file in the folder `pdf` by rules in TOML; answers its name, or the first error.
fn check(rules: &str, file: &str, expected: &str) {
    let rules: ParseRules = toml::from_str(rules).unwrap();
    let parsed = parse_text(file, "pdf", &rules);
    let answer = match parsed.invalid() {
        Some(problem) => format!("{} {}", problem.code, problem.message),
        None => format!("{}: {}", parsed.name, parsed.description),
    };
    assert_eq!(answer, expected, "{file:?}");
}

#[test]
fn shapes_of_names() {
    let named = |shape: &str, name: &str, expected: &str| {
        let rules = format!("name = {{ from = [\"frontmatter\"], must = [{shape}] }}");
        check(&rules, &format!("---\nname: {name}\n---\n"), expected);
    };
    named("'ascii'", "a-Z9", "a-Z9: ");
    named("'ascii'", "a_b", "S0118 `_` is not allowed in a name");
    named("'ascii'", "é", "S0118 `é` is not allowed in a name");
    named("'ascii', { also = '_ ' }", "a_b c", "a_b c: ");
    named("{ never = '/' }", "a/b", "S0118 `/` is not allowed in a name");
    named("'word', { never = '.' }", "a.b", "S0118 `.` is not allowed in a name");
    named("'folder'", "PDF", "S0102 the name differs from its folder");
    named("'folder-any-case'", "PDF", "PDF: ");
}

#[test]
fn a_name_that_the_folder_gives_has_a_shape_too() {
    let text = "---\nname: Any_Name\n---\n";
    check("name = { from = ['folder'], must = ['ascii'] }", text, "pdf: ");
    let short = "name = { from = ['folder'], must = [{ max = 2 }] }";
    check(short, text, "S0114 the name has 3 characters, 2 are allowed");
}

#[test]
fn characters_that_become_hyphens() {
    check("name = { steps = [{ replace = ':/' }] }", "---\nname: a:b/c d\n---\n", "a-b-c d: ");
}

#[test]
fn lengths_have_a_unit() {
    let long = |unit: &str, text: &str, expected: &str| {
        let rules = format!("lengths = '{unit}'\ndescription = {{ max = 3, max_trimmed = true }}");
        check(&rules, &format!("---\ndescription: {text}\n---\n"), expected);
    };
    long("characters", "é😀x", "pdf: é😀x");
    long("utf16", "é😀x", "S0121 the description has 4 UTF-16 units, 3 are allowed");
    long("bytes", "éé", "S0121 the description has 4 bytes, 3 are allowed");
    long("characters", "'  abc  '", "pdf: abc");
}

#[test]
fn descriptions_may_be_empty_where_the_key_is_enough() {
    let rules = "description = { required = true, empty = 'allowed' }";
    check(rules, "---\ndescription: ''\n---\n", "pdf: ");
    check(rules, "---\ndescription:\n---\n", "pdf: ");
    check(rules, "---\nname: a\n---\n", "S0119 the frontmatter has no `description`");
}

#[test]
fn values_become_text_where_the_program_makes_them_so() {
    let rules = "wrong_type = 'coerce'\nnumbers = 'by-value'";
    check(rules, "---\nname: [a, 1.0]\ndescription: {x: y}\n---\n", "a,1: [object Object]");
}

#[test]
fn frontmatter_without_a_field_may_be_invalid() {
    check("", "---\n\n---\n", "pdf: ");
    let expected = "S0104 the frontmatter is not a list of `key: value` lines";
    check("fence.empty = 'invalid'", "---\n\n---\n", expected);
}

#[test]
fn findings_are_said_in_the_order_in_which_the_program_looks() {
    let rules = "
name = { from = ['frontmatter'], must = ['ascii', 'lower', 'folder'] }
description = { required = true }
[[texts]]
code = 'S0119'
text = 'describe it'
[[texts]]
code = 'S0102'
text = 'long: {name} is not {folder}'
lines_below = 2
[[texts]]
code = 'S0102'
text = '{name} is not {folder}'
begins = '---'
";
    check(rules, "---\nname: other\n---\n", "S0119 describe it");
    check(rules, "---\nname: other\ndescription: d\n---\n", "S0102 other is not pdf");
    check(rules, "---\nname: Other\ndescription: d\n---\n", "S0115 the name has upper-case letters");
}

/// Every host must read a file in company as it reads it alone, however much is shared.
#[test]
fn read_alone_and_in_company_is_the_same() {
    let names = [
        "",
        "name: a",
        "name: \"a\\ufeff\"",
        "name: ' a '",
        "name: 1",
        "name: yes",
        "name: A b",
        "name: &x a",
        "Name: a",
    ];
    let descriptions = [
        "",
        "description: Does it",
        "description: 'two  blanks '",
        "description: |\n  Two\n  lines\n",
        "description: 3.50",
        "description: a: b",
        "description: []",
        "description:",
    ];
    let others = [
        "",
        "license: MIT",
        "metadata:\n  a: b\n  short-description: ' x '",
        "metadata:\n  a: 1",
        "metadata: no",
        "allowed-tools: [Read, Write]",
        "allowed-tools: Read Bash(git:*)",
        "disable-model-invocation: true",
        "disableModelInvocation: yes",
        "hide: 1",
        "license: MIT\nlicense: Other",
        "<<: {license: x}",
        "unknown: x",
    ];
    let hosts = Hosts::builtin();
    let ids: Vec<String> = hosts
        .all()
        .flat_map(|spec| {
            let editions: Vec<String> = spec.editions().map(|edition| format!("{}@{edition}", spec.name)).collect();
            std::iter::once(spec.name.clone()).chain(editions)
        })
        .collect();
    let rules: Vec<ParseRules> = ids.iter().map(|id| hosts.get(id).unwrap().host().unwrap().parse).collect();
    let mut readings = Readings::default();
    for rules in &rules {
        readings.add(rules);
    }
    for (name, description) in names.iter().flat_map(|name| descriptions.iter().map(move |text| (name, text))) {
        for other in others {
            let lines = [*name, description, other].join("\n");
            let text = format!("---\n{}\n---\nDo it.\n", lines.trim_matches('\n'));
            let head = Head { bytes: text.as_bytes(), text: Ok(&text), whole: true, folder: "a", real_folder: "a" };
            let shared = readings.read(head).unwrap();
            for (id, rules) in ids.iter().zip(&rules) {
                assert_eq!(*shared[readings.position(rules)], parse_text(&text, "a", rules), "{id}: {text}");
            }
        }
    }
}
