//! `mentions`: the skills that a text names, and why not the rest.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Output, Stdio};

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::support::{bin, furnished, json as answer, repository, run, valid_json};

#[test]
fn names_links_and_commands() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["mentions", "use $sql-review, then $dpeloy; `$deploy`, $HOME and $5"]), @"
    status: 0
    ----- stdout -----
    sql-review  ~/.agents/skills/sql-review/SKILL.md
    ignored  $dpeloy  no skill is called `dpeloy`; did you mean `deploy`? [unknown]
    ignored  $deploy  it stands in code; outside of the backticks it would count
                      [in-code]
    ignored  $HOME    it is the name of an environment variable [blocked-name]
    ----- stderr -----
    these are OpenOxide's own rules; for an agent's, add `--host claude-code`
    1 skill named, 3 ignored
    ");
    insta::assert_snapshot!(run(&context, &["mentions", "/sql-review the last migration, and [$it](.agents/skills/deploy)"]), @"
    status: 0
    ----- stdout -----
    sql-review  ~/.agents/skills/sql-review/SKILL.md
                with the last migration, and [$it](.agents/skills/deploy)
    deploy      .agents/skills/deploy/SKILL.md
    ----- stderr -----
    these are OpenOxide's own rules; for an agent's, add `--host claude-code`
    2 skills named
    ");
    insta::assert_snapshot!(run(&context, &["mentions", "nothing here"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    these are OpenOxide's own rules; for an agent's, add `--host claude-code`
    the text names no skill
    hint: in openoxide a skill is named as `$NAME` or `[$NAME](PATH)` or `/NAME` at the start
    ");
    insta::assert_snapshot!(run(&context, &["mentions", "$deploy", "--host", "pepper"]), @"
    status: 0
    ----- stdout -----
    ----- stderr -----
    the text names no skill
    hint: in pepper no text can name a skill; the model asks for one
    ");
}

#[test]
fn ambiguous_names() {
    let context = furnished();
    let trusted = format!("trust.folders=[{:?}]", context.project());
    insta::assert_snapshot!(run(&context, &["mentions", "$deploy", "--config", &trusted]), @"
    status: 0
    ----- stdout -----
    ignored  $deploy  2 skills are called `deploy`; say which by its path, as
                      `[$deploy](PATH)` [ambiguous]
                      .agents/skills/deploy/SKILL.md
                      ~/.agents/skills/deploy/SKILL.md
    ----- stderr -----
    these are OpenOxide's own rules; for an agent's, add `--host claude-code`
    the text names no skill
    ");
    let ranked = valid_json(
        &context,
        &["mentions", "$deploy", "--json", "--config", &trusted, "--config", "mentions.ambiguous=rank"],
    );
    assert_eq!(ranked["selected"][0]["path"], "[ROOT]/project/.agents/skills/deploy/SKILL.md");
}

#[test]
fn json_has_bytes_and_order() {
    let context = furnished();
    let answer = valid_json(&context, &["mentions", "日本 $sql-review $nope", "--json"]);
    let expected =
        json!([{"name": "sql-review", "path": "[ROOT]/home/.agents/skills/sql-review/SKILL.md", "span": [7, 18]}]);
    assert_eq!(answer["selected"], expected);
    assert_eq!(
        answer["ignored"],
        json!([{"text": "$nope", "span": [19, 24], "reason": "unknown: no skill is called `nope`"}])
    );
    let answer = valid_json(&context, &["mentions", "", "--json"]);
    assert_eq!((&answer["selected"], &answer["ignored"]), (&json!([]), &json!([])));
}

#[test]
fn items_and_connectors() {
    let context = furnished();
    let args = ["mentions", "$deploy $sql-review", "--item", ".agents/skills/deploy", "--item", "x=nowhere"];
    let answer = valid_json(&context, &[&args[..], &["--connector", "SQL Review", "--json"]].concat());
    let expected = json!([{"name": "deploy", "path": "[ROOT]/project/.agents/skills/deploy/SKILL.md", "item": 0}]);
    assert_eq!(answer["selected"], expected);
    let words: Vec<&str> = answer["ignored"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["reason"].as_str().unwrap().split(':').next().unwrap())
        .collect();
    assert_eq!(words, ["path-unknown", "duplicate", "connector-conflict"]);
}

#[test]
fn names_that_are_not_known_are_text() {
    let context = TestContext::new();
    context.tree(
        "//- project/config.toml\n[app.skills]\nenabled = true\n\
         //- project/.skills/known/SKILL.md\n---\nname: known\ndescription: It\n---\n",
    );
    for host in ["remcochat", "remcochat@code"] {
        let selected = |text: &str| answer(&context, &["mentions", text, "--json", "--host", host])["selected"].clone();
        assert_eq!(selected("/unknown go"), json!([]), "{host}");
        let known = &selected("/known \n go ")[0];
        assert_eq!((&known["arguments"], &known["taken_out"]), (&json!("go "), &json!(true)), "{host}");
    }
}

#[test]
fn commands_can_be_switched_off() {
    let context = TestContext::new();
    context.tree(
        "//- project/.omp/skills/a/SKILL.md\n---\nname: a\ndescription: It\n---\n\
         //- home/.omp/agent/config.yml\nskills:\n  enableSkillCommands: false\n",
    );
    let off = answer(&context, &["mentions", "/skill:a go", "--json", "--host", "omp"]);
    assert_eq!(off["ignored"][0]["reason"], "not-user-invocable: the user may not call this skill");
    fs_err::remove_file(context.home().join(".omp/agent/config.yml")).unwrap();
    let on = answer(&context, &["mentions", "/skill:a go", "--json", "--host", "omp"]);
    assert_eq!((&on["selected"][0]["name"], &on["selected"][0]["arguments"]), (&json!("a"), &json!("go")));
}

/// Runs the command on standard input.
fn piped(context: &TestContext, args: &[&str], input: &[u8]) -> Output {
    let mut command = context.command(bin(), args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not want to hear more may close its ears.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn piped_json(context: &TestContext, args: &[&str], input: &[u8]) -> Value {
    let output = piped(context, args, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn standard_input_is_taken_as_it_is() {
    let context = furnished();
    let span = |input: &[u8]| piped_json(&context, &["mentions", "--json"], input)["selected"][0]["span"].clone();
    assert_eq!(span(b"\n $sql-review\n"), json!([2, 13]));
    assert_eq!(span(b"\xff\xfe$sql-review\xff"), json!([2, 13]));
    assert_eq!(span("\u{feff}/sql-review x".as_bytes()), json!([3, 14]));
    assert_eq!(span(b"$nope"), Value::Null);
}

#[test]
fn a_turn_is_read_as_json() {
    let context = furnished();
    let turn = json!({"items": [
        {"type": "text", "text": "go"},
        {"type": "text", "text": "use $sql-review"},
        {"type": "mention", "name": "deploy", "path": "app://deploy"},
    ]});
    let answer = piped_json(&context, &["mentions", "--turn", "--json"], turn.to_string().as_bytes());
    let selected = &answer["selected"][0];
    assert_eq!((&selected["item"], &selected["span"]), (&json!(1), &json!([4, 15])));
    assert_eq!((&answer["ignored"][0]["item"], &answer["ignored"][0]["text"]), (&json!(2), &json!("app://deploy")));
    let output = piped(&context, &["mentions", "--turn"], b"{\"items\": [{}]}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("not a turn") && said.contains("openoxide schema turn"), "{said}");
}

#[test]
fn a_text_without_an_end_is_refused() {
    let context = furnished();
    let output = piped(&context, &["mentions"], &vec![b'$'; 16 * 1024 * 1024 + 1]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("longer than 16 MiB"));
}

/// The same skills as the real programs loaded, in the same order, with the same arguments.
#[test]
fn recorded_turns_name_the_same_skills() {
    let mut n_turns = 0;
    let mut report = String::new();
    for host in ["codex", "claude-code", "omp"] {
        for case in fs_err::read_dir(repository("fidelity").join(host)).unwrap() {
            let folder = case.unwrap().path();
            let Ok(recorded) = fs_err::read_to_string(folder.join("mentions.json")) else { continue };
            let recorded: Value = serde_json::from_str(&recorded).unwrap();
            let turns = recorded["turns"].as_array().unwrap();
            let inputs = fs_err::read_to_string(folder.join("inputs.json")).unwrap();
            let inputs: Vec<Value> = serde_json::from_str(&inputs).unwrap();
            assert!(turns.iter().map(|turn| &turn["input"]).eq(&inputs), "{}: record it anew", folder.display());
            let context = TestContext::new();
            context.tree(&fs_err::read_to_string(folder.join("tree.txt")).unwrap());
            for turn in turns {
                if let Some(line) = difference(&context, host, turn) {
                    writeln!(report, "{} {line}", folder.display()).unwrap();
                }
            }
            n_turns += turns.len();
        }
    }
    assert!(n_turns > 170, "{n_turns} turns are recorded");
    assert!(report.is_empty(), "{report}");
}

fn difference(context: &TestContext, host: &str, turn: &Value) -> Option<String> {
    let input = &turn["input"];
    let items = if input.is_array() { input.clone() } else { json!([{ "type": "text", "text": input }]) };
    let root = context.root().to_string_lossy();
    let handed = json!({ "items": items }).to_string().replace("{root}", &root);
    let answer = piped_json(context, &["mentions", "--turn", "--json", "--host", host], handed.as_bytes());
    let line = |line: &Value| ["name", "path", "arguments"].map(|key| line[key].to_string()).join(" ");
    let lines = |lines: &Value| lines.as_array().unwrap().iter().map(line).collect::<Vec<_>>().join(", ");
    let (real, ours) = (lines(&turn["selected"]), lines(&answer["selected"]).replace(&*root, "{root}"));
    (real != ours).then(|| format!("{input}: real {real}, ours {ours}"))
}

/// Nothing that a text holds reaches the terminal as a command.
#[test]
fn hostile_text_is_shown_not_obeyed() {
    let context = furnished();
    let output = run(&context, &["mentions", "[$a](\u{1b}[31m\u{202e})", "--host", "codex"]);
    assert!(output.stdout.contains(r"[$a](\u{1b}[31m\u{202e})") && !output.stdout.contains('\u{1b}'), "{output}");
}
