//! Ways around a rule that allows one command.

use openoxide_testkit::TestContext;

use super::{assert_no_canary, can_run, canary, said, skill};
use crate::support::{json, run};

#[test]
fn a43_a_rule_allows_its_command_and_nothing_beside_it() {
    let context = TestContext::new();
    if !can_run(&context) {
        return;
    }
    let canary = canary(&context);
    let writable = format!("[sandbox]\nwritable = [\"{canary}\"]\n");
    context.tree(&format!(
        "//- home/.openoxide/config.toml\n[permission.shell]\n\"git --version\" = \"allow\"\n{writable}"
    ));
    let around = [
        "git --version; touch X",
        "git --version && touch X",
        "git --version || touch X",
        "git --version | tee X",
        "git --version & touch X",
        "git --version $(touch X)",
        "git --version \"$(touch X)\"",
        "git --version > X",
        "git --version >> X",
        "git --version 2> X",
        "git --version <(touch X)",
        "GIT_TRACE=X git --version",
        "PATH=. git --version",
        "(git --version; touch X)",
        "git  --version\\\n; touch X",
        "git --version --exec-path=X",
    ];
    for command in around {
        let command = command.replace('X', &format!("{canary}/x"));
        skill(&context, "way", "", &format!("```!\n{command}\n```"));
        let text = said(&json(&context, &["activate", "way", "--json", "--no-input"]));
        assert!(text.contains("not trusted to run commands"), "{command}: {text}");
        assert_no_canary(&canary, &command);
    }
    let lines = format!("```!\ngit --version\ntouch {canary}/x\n```\n\nA !`git --version` B");
    skill(&context, "way", "", &lines);
    let output = run(&context, &["activate", "way", "--no-input"]);
    assert!(output.stdout.contains("A git version ") && output.stdout.contains("touch [ROOT]/canary/x"), "{output}");
    assert_no_canary(&canary, &"a line below");
    let ticks = format!("```!\ngit --version `touch {canary}/x`\n```");
    skill(&context, "way", "", &ticks);
    run(&context, &["activate", "way", "--no-input"]);
    assert_no_canary(&canary, &"backticks");
    // The command itself runs, and nobody is asked.
    skill(&context, "way", "", "A !`git --version` B");
    let output = run(&context, &["activate", "way"]);
    assert!(output.stdout.contains("A git version ") && output.stderr.is_empty(), "{output}");
    // A rule that denies is stronger than a yes.
    let deny = "permission.shell.\"git *\"=\"deny\"";
    let output = run(&context, &["activate", "way", "--yes", "--config", deny]);
    assert!(
        output.stdout.contains("a permission rule denies it") && !output.stdout.contains("git version"),
        "{output}"
    );
}
