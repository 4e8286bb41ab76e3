//! The list of skills, where each client's model sees it, and within what the client shows.

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use super::{Client, NEW, OLD};

const CLAUDE: (&str, &str) = ("claude-code", "2.1.240");
/// A sentence of 200 characters.
const ABOUT: &str = "Reads what was said, compares it with what was meant, and writes down where the two differ, with the \
                     place, the reason and the next step, so that somebody can decide what is to be done about each one.";

/// A project with so many skills, each with a description of 200 characters.
fn project(count: usize) -> TestContext {
    let context = TestContext::new();
    let tree = |number: usize| {
        format!(
            "//- project/.agents/skills/skill-{number:04}/SKILL.md\n---\nname: skill-{number:04}\ndescription: {ABOUT}\n---\nDo it.\n"
        )
    };
    context.tree(&(0..count).map(tree).collect::<String>());
    context
}

/// What a client's model is shown.
struct Shown {
    instructions: String,
    tool: String,
    argument: String,
    /// The tool, whole.
    whole: Value,
}

impl Shown {
    async fn to(info: (&'static str, &'static str), version: &'static str, context: &TestContext) -> Shown {
        let mut client = Client::named(context, version, info, &[]).await;
        let whole = client.ok("tools/list", json!({})).await["tools"][0].take();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Shown {
            instructions: text(&client.greeting["instructions"]),
            tool: text(&whole["description"]),
            argument: text(&whole["inputSchema"]["properties"]["name"]["description"]),
            whole,
        }
    }

    /// Returns how many skills are listed whole, shortened and by name, wherever that is.
    fn counts(&self) -> (usize, usize, usize) {
        let text = format!("{}\n{}\n{}", self.instructions, self.tool, self.argument);
        let lines = || text.lines().filter(|line| line.starts_with("- skill-"));
        let full = lines().filter(|line| line.ends_with(ABOUT)).count();
        let short = lines().filter(|line| line.contains(": ") && line.ends_with('…')).count();
        (full, short, lines().count() - full - short)
    }
}

fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

#[tokio::test]
async fn a_client_that_cuts_descriptions_gets_the_list_where_it_does_not() {
    let context = project(12);
    for version in [OLD, NEW] {
        let shown = Shown::to(CLAUDE, version, &context).await;
        assert!(length(&shown.tool) <= 2048 && length(&shown.instructions) <= 2048);
        assert!(shown.tool.ends_with("listed with its argument `name`."), "{}", shown.tool);
        assert_eq!(shown.argument.matches(ABOUT).count(), 12);
        assert_eq!(shown.counts(), (12, 0, 0), "every description, and each once");
        let meta = &shown.whole["_meta"];
        assert_eq!(
            (&meta["anthropic/alwaysLoad"], &meta["anthropic/maxResultSizeChars"]),
            (&json!(true), &json!(500_000))
        );
    }
    for info in [("codex-mcp-client", "0.166.0"), ("opencode", "1.18.33"), ("gemini-cli-mcp-client", "0.61.0")] {
        let shown = Shown::to(info, OLD, &context).await;
        assert_eq!(shown.tool.matches(ABOUT).count(), 12, "{info:?}");
        assert_eq!(shown.counts(), (12, 0, 0), "{info:?}: each once");
        assert_eq!(shown.whole.get("_meta"), None, "{info:?}");
    }
}

/// A newer version shows more.
#[tokio::test]
async fn the_limits_are_those_of_the_version() {
    let context = project(12);
    let shown = Shown::to(("claude-code", "2.1.325"), OLD, &context).await;
    assert!(shown.tool.matches(ABOUT).count() == 12 && length(&shown.tool) <= 4096, "{}", length(&shown.tool));
}

#[tokio::test]
async fn an_unknown_client_gets_what_is_safe_in_the_tool_and_the_rest_in_the_instructions() {
    let few = Shown::to(("another", "1"), OLD, &project(2)).await;
    assert_eq!((few.counts(), few.tool.matches(ABOUT).count()), ((2, 0, 0), 2), "{}", few.tool);
    let more = Shown::to(("another", "1"), OLD, &project(12)).await;
    assert!(length(&more.tool) <= 1024 && more.tool.matches("\n- skill-").count() == 12, "{}", more.tool);
    assert_eq!(more.instructions.matches(ABOUT).count(), 12, "{}", more.instructions);
}

/// The list gets shorter step by step, and what is not listed is counted.
#[tokio::test]
async fn the_list_gets_shorter_step_by_step() {
    let mut steps = Vec::new();
    for count in [60, 90, 300, 2000] {
        let shown = Shown::to(CLAUDE, OLD, &project(count)).await;
        assert!(length(&shown.argument) < 16_200, "{count}: {}", length(&shown.argument));
        let (full, short, names) = shown.counts();
        let listed = full + short + names;
        let pointer = format!(
            "{} more skills are not listed here: find them by words of the task with `skills_search`.",
            count - listed
        );
        assert_eq!(shown.argument.contains(&pointer), listed < count, "{count}: {}", &shown.argument[..300]);
        steps.push((full > 0, short > 0, names > 0, listed < count));
    }
    let expected = [
        (true, false, false, false),
        (false, true, false, false),
        (true, false, true, false),
        (false, false, true, true),
    ];
    assert_eq!(steps, expected);
}

/// What a client may cut is the end, so what says that there is more comes first.
#[tokio::test]
async fn what_is_not_listed_is_told_before_the_list() {
    let shown = Shown::to(("another", "1"), OLD, &project(2000)).await;
    for text in [&shown.tool, &shown.instructions] {
        let (pointer, list) = (text.find("more skills are not listed here"), text.find("- skill-0000"));
        assert!(pointer.is_some() && pointer < list, "{text}");
    }
}

#[tokio::test]
async fn a_host_that_lists_skills_in_a_tool_keeps_within_the_client_too() {
    let context = project(40);
    for (info, limit) in [(CLAUDE, 2048), (("another", "1"), 1024)] {
        let mut client = Client::named(&context, OLD, info, &["host=\"opencode\""]).await;
        let tool = client.ok("tools/list", json!({})).await["tools"][0].take();
        let text = tool["description"].as_str().unwrap();
        assert!(length(text) <= limit, "{info:?}: {}", length(text));
    }
}

#[tokio::test]
async fn a_long_skill_comes_whole_and_its_result_says_how_long_it_may_be() {
    let context = project(1);
    let body = "a line of the guide\n".repeat(3_000);
    context.tree(&format!(
        "//- project/.agents/skills/guide/SKILL.md\n---\nname: guide\ndescription: Long\n---\n{body}END\n"
    ));
    let mut client = Client::named(&context, OLD, CLAUDE, &[]).await;
    let loaded = client.call("skill", json!({ "name": "guide" })).await;
    assert!(super::text(&loaded).contains(&body) && super::text(&loaded).contains("END"));
    assert_eq!(loaded["_meta"]["anthropic/maxResultSizeChars"], 500_000);
    assert_eq!(loaded["_meta"]["openoxide/facts"]["name"], "guide");
}

/// Codex leaves out the middle of a long result, and says that it is a few words.
#[tokio::test]
async fn a_client_that_cuts_results_is_told_how_long_they_are() {
    let context = project(1);
    let body = "a line of the guide\n".repeat(1_000);
    context
        .tree(&format!("//- project/.agents/skills/guide/SKILL.md\n---\nname: guide\ndescription: Long\n---\n{body}"));
    let codex = ("codex-mcp-client", "0.166.0");
    let mut client = Client::named(&context, OLD, codex, &[]).await;
    let long = client.call("skill", json!({ "name": "guide" })).await;
    let first = long["content"][0]["text"].as_str().unwrap();
    assert!(first.starts_with("Note from OpenOxide: this answer has 20,"), "{first}");
    let short = client.call("skill", json!({ "name": "skill-0000" })).await;
    assert!(!super::text(&short).contains("Note from OpenOxide"), "{short}");
    let mut other = Client::new(&context, OLD).await;
    assert!(!super::text(&other.call("skill", json!({ "name": "guide" })).await).contains("Note from OpenOxide"));
}
