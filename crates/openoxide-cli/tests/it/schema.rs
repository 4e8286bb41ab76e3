//! `schema`: JSON Schemas of every file and answer.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{LOOKS, LOOKS_AT, json, repository, run};

#[test]
fn names() {
    let names = run(&TestContext::new(), &["schema"]).stdout;
    let names: Vec<&str> = names.lines().collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "sorted, and each one once: {names:?}");
    let looks = LOOKS.into_iter().map(|look| look[0]);
    for command in looks.chain(LOOKS_AT).chain(["overview"]) {
        assert!(names.contains(&command), "no schema of what `{command} --json` answers");
    }
}

#[test]
fn each_is_a_schema() {
    let context = TestContext::new();
    let names = run(&context, &["schema"]).stdout;
    assert!(names.lines().count() >= 10);
    for name in names.lines().filter(|name| *name != "openapi") {
        let schema = json(&context, &["schema", name]);
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(!validator.is_valid(&Value::from(1)), "{name} takes anything");
    }
}

/// The document of the HTTP service is no schema itself; those in it are.
#[test]
fn the_document_of_the_service_has_schemas() {
    let document = json(&TestContext::new(), &["schema", "openapi"]);
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1.")), "{document}");
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.len() >= 20, "{}", schemas.len());
    for (name, schema) in schemas {
        assert!(jsonschema::meta::is_valid(schema), "{name}: {schema}");
    }
}

#[test]
fn an_unknown_name_has_a_hint() {
    let output = run(&TestContext::new(), &["schema", "lst"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""));
    assert!(output.stderr.starts_with("error: there is no schema `lst`\nhint: "), "{output}");
}

#[test]
fn built_in_hosts_are_valid() {
    let schema = json(&TestContext::new(), &["schema", "host.toml"]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut seen = 0;
    for entry in fs_err::read_dir(repository("crates/openoxide-skills/hosts")).unwrap() {
        let file = entry.unwrap().path().join("host.toml");
        let host: Value = toml::from_str(&fs_err::read_to_string(&file).unwrap()).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&host).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", file.display());
        seen += 1;
    }
    assert!(seen >= 4);
    let bad = serde_json::json!({"title": "Bad", "program": "bad 1", "roots": [], "rots": []});
    assert!(!validator.is_valid(&bad), "a rule that does not exist is refused");
}

#[test]
fn settings_are_checked() {
    let context = TestContext::new();
    // `config` is what the command answers; the file has a name of its own.
    let names = run(&context, &["schema"]).stdout;
    let name = names.lines().find(|name| name.starts_with("config") && *name != "config");
    let schema = json(&context, &["schema", name.expect("the settings file has a schema")]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good = r#"
        host = "codex"
        [skills]
        paths = ["~/more"]
        config = [{ name = "pdf", enabled = false }, { path = "/x", enabled = true }]
        [limits]
        depth = 4
        [hosts.codex]
        bundled = false
    "#;
    let good: Value = toml::from_str(good).unwrap();
    assert!(
        validator.is_valid(&good),
        "{:#?}",
        validator.iter_errors(&good).map(|e| e.to_string()).collect::<Vec<_>>()
    );
    for bad in ["color = \"pink\"", "[skills]\npaths = \"x\"", "[skills]\npahts = []", "[limits]\ndepth = \"x\""] {
        let value: Value = toml::from_str(bad).unwrap();
        assert!(!validator.is_valid(&value), "{bad}");
    }
}
