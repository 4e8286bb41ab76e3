//! The tools of the blueprints, word by word, and of our own.

use std::sync::Arc;

use openoxide_permissions::Action;
use openoxide_runtime::{
    Activation, Answer, Call, CallArguments, Record, Session, Tool, ToolRegistry, ToolResult, Toolbox, contracts, drive,
};
use openoxide_skills::host::{Caller, Hosts, Role};
use openoxide_skills::render::Model;
use serde_json::{Value, json};

use crate::scene::{Scene, Script};

fn toolbox(scene: &Scene, host: &str) -> Toolbox {
    Toolbox::new(scene.runtime_of(host), &mut ToolRegistry::default(), Model::default(), str::to_owned).unwrap()
}

fn tools(scene: &Scene, host: &str) -> Vec<Tool> {
    let runtime = scene.runtime_of(host);
    contracts(runtime.view(), runtime.catalog(), Model::default()).unwrap()
}

fn call(toolbox: &Toolbox, tool: &str, arguments: &Value) -> ToolResult {
    let mut script = Script::new(|_| Answer::Once);
    toolbox.call(&mut Session::new("s"), tool, arguments, &mut script, |run| panic!("{run:?}"))
}

fn project(scene: &Scene, path: &str) -> String {
    scene.context.project().join(path).display().to_string()
}

/// The first blueprint: a tool of a plugin.
mod pepper {
    use super::*;

    fn scene() -> Scene {
        let scene = Scene::new();
        scene.context.tree(
            "//- project/files/skills/rfc-format/SKILL.md\n---\nname: other\n---\nFrom the registry.\n\
             //- project/.opencode/skills/rfc-format.md\nFrom the local folder.\n\
             //- project/.opencode/skills/local-test.md\nA local one.\n",
        );
        scene
    }

    #[test]
    fn the_tool_of_pepper() {
        let tools = tools(&scene(), "pepper");
        assert_eq!(tools.len(), 1);
        assert_eq!(tools[0].names(), ["skill", "pepper_skill"]);
        let about = "Load a knowledge skill by name (e.g., 'rfc-format', 'prd-methodology')";
        assert_eq!((tools[0].name.as_str(), tools[0].description.as_str()), ("skill", about));
        let schema = json!({
            "type": "object",
            "properties": { "name": { "type": "string", "description": "Name of the skill to load" } },
            "required": ["name"],
            "additionalProperties": false,
        });
        assert_eq!(tools[0].input_schema, schema);
    }

    #[test]
    fn the_registry_wins_and_metadata_says_where_a_skill_is_from() {
        let scene = scene();
        let toolbox = toolbox(&scene, "pepper");
        let path = project(&scene, "files/skills/rfc-format/SKILL.md");
        let result = call(&toolbox, "skill", &json!({ "name": "rfc-format" }));
        let comment = format!("<!-- Skill: rfc-format | Source: registry | Path: {path} -->");
        assert_eq!(result.output, format!("{comment}\n\n---\nname: other\n---\nFrom the registry.\n"));
        let metadata = json!({ "name": "rfc-format", "source": "registry", "path": path });
        assert_eq!(Value::from(result.metadata), metadata);

        let path = project(&scene, ".opencode/skills/local-test.md");
        let result = call(&toolbox, "skill", &json!({ "name": "local-test" }));
        let comment = format!("<!-- Skill: local-test | Source: local | Path: {path} -->");
        assert_eq!(result.output, format!("{comment}\n\nA local one.\n"));
        assert!(!result.is_error && result.follow.is_empty());
    }

    #[test]
    fn both_errors_and_the_empty_list() {
        let scene = scene();
        let toolbox = toolbox(&scene, "pepper");
        let missing = call(&toolbox, "skill", &json!({ "name": "missing" }));
        assert_eq!(missing.output, "Skill 'missing' not found. Available skills: local-test, rfc-format");
        let available = json!({ "name": "missing", "source": "not-found", "available": ["local-test", "rfc-format"] });
        assert_eq!((Value::from(missing.metadata), missing.is_error), (available, false));
        let whole = project(&scene, "files/skills/rfc-format/SKILL.md");
        for name in ["../x", "a b", "", "a.b", "a/b", "a:b", "é", "a\n", whole.as_str()] {
            let text = "Error: Invalid skill name. Use alphanumeric, hyphens, and underscores only.";
            assert_eq!(call(&toolbox, "skill", &json!({ "name": name })).output, text, "{name:?}");
        }
        for name in ["A-b_9", "_", "-"] {
            assert!(call(&toolbox, "skill", &json!({ "name": name })).output.contains("not found"), "{name:?}");
        }
        let nothing = super::toolbox(&Scene::new(), "pepper");
        let text = "Skill 'x' not found. Available skills: none";
        assert_eq!(call(&nothing, "skill", &json!({ "name": "x" })).output, text);
    }

    #[test]
    fn a_name_that_is_taken_makes_way_for_the_other() {
        let scene = scene();
        let mut registry = ToolRegistry::default();
        registry.take("skill", "the agent").unwrap();
        let make = |registry: &mut ToolRegistry| {
            Toolbox::new(scene.runtime_of("pepper"), registry, Model::default(), str::to_owned).unwrap()
        };
        let toolbox = make(&mut registry);
        assert_eq!(toolbox.tools[0].name, "pepper_skill");
        assert_eq!(toolbox.conflicts[0].to_string(), "`skill` is taken by the agent");
        let result = call(&toolbox, "pepper_skill", &json!({ "name": "local-test" }));
        assert!(result.output.ends_with("A local one.\n"), "{result:?}");
        assert_eq!(call(&toolbox, "skill", &json!({ "name": "local-test" })).output, "no tool is called `skill`");

        let third = make(&mut registry);
        assert!(third.tools.is_empty());
        let why = "the tool cannot be offered: `skill` is taken by the agent, `pepper_skill` is taken by pepper";
        assert_eq!(third.missing[0].to_string(), why);
    }

    #[test]
    fn calls_at_the_same_time_do_not_meet() {
        let scene = scene();
        let toolbox = Arc::new(toolbox(&scene, "pepper"));
        let texts = [("rfc-format", "From the registry.\n"), ("local-test", "A local one.\n"), ("x", "rfc-format")];
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let toolbox = Arc::clone(&toolbox);
                scope.spawn(move || {
                    for round in 0..30 {
                        let (name, end) = texts[(thread + round) % texts.len()];
                        let result = call(&toolbox, "skill", &json!({ "name": name }));
                        assert!(result.output.ends_with(end) && result.output.contains(name), "{name} {result:?}");
                    }
                });
            }
        });
    }
}

/// The second blueprint: the tool whose description is the catalog.
mod opencode {
    use super::*;

    const HOST: &str = "opencode@seed-001";

    fn scene() -> Scene {
        let scene = Scene::new();
        scene.context.tree(
            "//- project/.opencode/skill/review/SKILL.md\n---\nname: code-review\ndescription: Reviews code\n---\n\n\
             # Review\n\nLook at $ARGUMENTS.\n\n\
             //- project/.opencode/skill/web/SKILL.md\n---\nname: deploy-web\ndescription: Deploys\n---\nGo.\n",
        );
        scene
    }

    #[test]
    fn the_description_is_the_catalog() {
        let tools = tools(&scene(), HOST);
        let text = "Load a skill to get detailed instructions for a specific task. \
            Skills provide specialized knowledge and step-by-step guidance. \
            Use this when a task matches an available skill's description. \
            <available_skills>   <skill>     <name>code-review</name>     <description>Reviews code</description>   \
            </skill>   <skill>     <name>deploy-web</name>     <description>Deploys</description>   </skill> \
            </available_skills>";
        assert_eq!((tools.len(), tools[0].name.as_str(), tools[0].description.as_str()), (1, "skill", text));
        let schema = json!({
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "required": ["name"],
            "additionalProperties": false,
        });
        assert_eq!(tools[0].input_schema, schema);
        let text = "Load a skill to get detailed instructions for a specific task. No skills are currently available.";
        assert_eq!(super::tools(&Scene::new(), HOST)[0].description, text);
    }

    #[test]
    fn title_output_metadata_and_a_name_that_is_not_there() {
        let scene = scene();
        let toolbox = toolbox(&scene, HOST);
        let dir = project(&scene, ".opencode/skill/review");
        let result = call(&toolbox, "skill", &json!({ "name": "code-review" }));
        assert_eq!(result.title, "Loaded skill: code-review");
        let body = "# Review\n\nLook at $ARGUMENTS.";
        assert_eq!(result.output, format!("## Skill: code-review\n\n**Base directory**: {dir}\n\n{body}"));
        assert_eq!(Value::from(result.metadata), json!({ "name": "code-review", "dir": dir }));
        let missing = call(&toolbox, "skill", &json!({ "name": "x" }));
        assert_eq!(missing.output, "Skill \"x\" not found. Available skills: code-review, deploy-web");
        assert!(missing.is_error);
        let nothing = super::toolbox(&Scene::new(), HOST);
        let text = "Skill \"x\" not found. Available skills: none";
        assert_eq!(call(&nothing, "skill", &json!({ "name": "x" })).output, text);
    }

    #[test]
    fn the_question_is_put_and_a_no_is_an_error() {
        let mut scene = scene();
        scene.rule("skill", "deploy-*", Action::Ask);
        let toolbox = toolbox(&scene, HOST);
        let mut script = Script::new(|_| Answer::No);
        let arguments = json!({ "name": "deploy-web" });
        let mut session = Session::recorded(Record::default());
        let result = toolbox.call(&mut session, "skill", &arguments, &mut script, |run| panic!("{run:?}"));
        assert_eq!(script.asked.len(), 1);
        assert!(result.is_error && !result.output.contains("Go."), "{result:?}");
        assert!(session.record.unwrap().all().is_empty());
    }
}

/// The fifth blueprint: one tool for a skill, one for its files.
mod remcochat {
    use super::*;

    fn scene(enabled: bool) -> Scene {
        let scene = Scene::new();
        scene.context.tree(&format!(
            "//- project/config.toml\n[app.skills]\nenabled = {enabled}\nmax_resource_bytes = 1000\n\
             //- project/.skills/demo/SKILL.md\n---\nname: demo\ndescription: Shows things\nlicense: MIT\n---\n\nDo it.\n\
             //- project/.skills/demo/references/a.md\nAll of \"it\".\n\
             //- project/.skills/demo/long.txt\n{}\n",
            "x".repeat(1200)
        ));
        scene
    }

    #[test]
    fn two_tools_where_skills_are_on() {
        let names = |host: &str, enabled| -> Vec<String> {
            tools(&scene(enabled), host).into_iter().map(|tool| tool.name).collect()
        };
        assert_eq!(names("remcochat", true), ["skills.activate", "skills.readResource"]);
        assert_eq!(names("remcochat@code", true), ["skillsActivate", "skillsReadResource"]);
        assert_eq!(names("remcochat", false), [""; 0], "without skills there are no tools");
        let tools = tools(&scene(true), "remcochat");
        let keys = |tool: &Tool| tool.input_schema["required"].clone();
        assert_eq!((keys(&tools[0]), keys(&tools[1])), (json!(["name"]), json!(["name", "path"])));
        for tool in &tools {
            assert!(!tool.description.is_empty() && tool.input_schema["additionalProperties"] == json!(false));
        }
    }

    #[test]
    fn activate_answers_name_frontmatter_and_body() {
        let scene = scene(true);
        let toolbox = toolbox(&scene, "remcochat");
        let result = call(&toolbox, "skills.activate", &json!({ "name": "demo" }));
        let answer: Value = serde_json::from_str(&result.output).unwrap();
        let frontmatter = json!({ "name": "demo", "description": "Shows things", "license": "MIT" });
        assert_eq!(answer, json!({ "name": "demo", "frontmatter": frontmatter, "body": "Do it.\n" }));
        let no = |name: &str| call(&toolbox, "skills.activate", &json!({ "name": name }));
        assert_eq!((no("x").output.as_str(), no("x").is_error), ("Unknown skill: x", true));
        assert_eq!(no("").output, "Missing skill name.");
    }

    #[test]
    fn read_resource_answers_name_path_and_content() {
        let scene = scene(true);
        let toolbox = toolbox(&scene, "remcochat");
        let read =
            |name: &str, path: &str| call(&toolbox, "skills.readResource", &json!({ "name": name, "path": path }));
        let result = read("demo", "./references/a.md");
        let text = r#"{"name":"demo","path":"references/a.md","content":"All of \"it\".\n"}"#;
        assert_eq!(result.output, text);
        let long = read("demo", "long.txt");
        let notice = "[REMCOCHAT_SKILLS_TRUNCATED: resource; 201 bytes removed]";
        assert!(long.output.contains(notice) && long.metadata["truncated"] == json!(true), "{long:?}");
        let rows = [
            ("demo", "/etc/passwd", "Absolute paths are not allowed."),
            ("demo", "../x", "Path traversal is not allowed."),
            ("demo", "", "Missing resource path."),
            ("demo", "nope", "Resource not found."),
            ("demo", "references", "Not a file."),
            ("x", "a", "Unknown skill: x"),
            (" ", "a", "Missing skill name."),
        ];
        for (name, path, text) in rows {
            let result = read(name, path);
            assert_eq!((result.output.as_str(), result.is_error), (text, true), "{name} {path}");
        }
    }
}

#[test]
fn claude_code_launches_and_the_text_follows() {
    let scene = Scene::new();
    scene.context.tree("//- project/.claude/skills/a/SKILL.md\n---\ndescription: Does A\n---\nDo $ARGUMENTS.\n");
    let toolbox = toolbox(&scene, "claude-code");
    let schema = &toolbox.tools[0].input_schema;
    assert_eq!((&schema["required"], schema["properties"]["skill"].get("enum")), (&json!(["skill"]), None));
    let result = call(&toolbox, "Skill", &json!({ "skill": "a", "args": "x y" }));
    assert_eq!(result.output.trim_end(), "Launching skill: a");
    assert_eq!((result.follow.len(), result.follow[0].role), (1, Role::User));
    assert!(result.follow[0].text.contains("Do x y."), "{result:?}");
}

#[test]
fn ours_lists_few_names_and_hides_what_the_model_may_not_call() {
    let mut scene = Scene::new();
    scene.rule("skill", "denied", Action::Deny);
    for name in ["b", "a", "denied"] {
        scene.context.skill(name, "Does things");
    }
    let names = |scene: &Scene| tools(scene, "openoxide")[0].input_schema["properties"]["name"].get("enum").cloned();
    assert_eq!(names(&scene), Some(json!(["a", "b"])));
    let toolbox = toolbox(&scene, "openoxide");
    for tool in ["skill", "skills.readResource"] {
        let result = call(&toolbox, tool, &json!({ "name": "denied", "path": "SKILL.md" }));
        assert!(result.is_error && !result.output.contains("Does things"), "{tool} {result:?}");
    }
    let read = call(&toolbox, "skills.readResource", &json!({ "name": "a", "path": "SKILL.md" }));
    assert!(read.output.contains("Does things") && !read.is_error, "{read:?}");
    for number in 0..49 {
        scene.context.skill(&format!("more-{number}"), "Does more");
    }
    assert_eq!(names(&scene), None, "51 names are not few");
}

#[test]
fn arguments_that_are_none_are_told() {
    let toolbox = toolbox(&Scene::new(), "openoxide");
    let rows = [
        (json!("a"), "the arguments must be an object"),
        (json!({}), "the argument `name` is missing"),
        (json!({ "name": null }), "the argument `name` is missing"),
        (json!({ "name": 1 }), "the argument `name` must be a text"),
        (json!({ "name": "a", "arguments": [] }), "the argument `arguments` must be a text"),
        (json!({ "name": "a", "nmae": "" }), "there is no argument `nmae`"),
    ];
    for (arguments, text) in rows {
        let result = call(&toolbox, "skill", &arguments);
        assert_eq!((result.output.as_str(), result.is_error), (text, true), "{arguments}");
    }
}

/// What a skill still does ends when the model says so, and only for a skill that was called.
#[test]
fn a_skill_is_deactivated_by_a_tool() {
    let scene = Scene::new();
    scene.context.tree("//- project/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Forms\n---\nFill it.\n");
    let toolbox = toolbox(&scene, "openoxide");
    let mut session = Session::new("s");
    let mut said = |tool: &str| {
        let mut script = Script::new(|_| Answer::No);
        let result = toolbox.call(&mut session, tool, &json!({ "name": "pdf" }), &mut script, |run| panic!("{run:?}"));
        (result.output, result.is_error)
    };
    assert_eq!(said("skills.deactivate"), ("`pdf` is not active".to_owned(), true));
    assert!(!said("skill").1);
    assert_eq!(said("skills.deactivate"), ("The skill is not active any more.".to_owned(), false));
}

/// However a path is written, a rule is about the file.
#[test]
fn a_rule_on_reading_holds_for_every_way_to_write_a_path() {
    let mut scene = Scene::new();
    scene.rule("read", "a/private.md", Action::Deny);
    scene.context.skill("a", "Does A");
    scene.context.tree(
        "//- project/.agents/skills/a/private.md\nSECRET\n//- project/.agents/skills/a/b/open.md\nopen\n\
         //- project/.agents/skills/a/b/private.md\nalso open\n",
    );
    let toolbox = toolbox(&scene, "openoxide");
    let read = |path: &str| call(&toolbox, "skills.readResource", &json!({ "name": "a", "path": path }));
    let ways = ["private.md", "./private.md", "b/../private.md", ".//private.md", "private.md/", "\\u{70}rivate.md"];
    for path in ways {
        let result = read(path);
        assert!(result.is_error && !result.output.contains("SECRET"), "{path}: {result:?}");
    }
    assert_eq!((read("b/open.md").output.as_str(), read("./b/private.md").output.as_str()), ("open\n", "also open\n"));
}

/// Calls a skill as the model does; returns what it is told, or the names of what was activated.
fn told_to_model(scene: &Scene, host: &str, skill: &str) -> Result<Vec<String>, String> {
    let call = Call { skill: skill.to_owned(), caller: Caller::Model, arguments: CallArguments::Nothing };
    let mut activation = Activation::new(scene.runtime_of(host), vec![call]);
    let mut script = Script::new(|_| Answer::Once);
    let done = drive(&mut activation, &mut Session::new("s"), &mut script, |run| panic!("{run:?}"));
    match done.refused.first() {
        Some(refusal) => Err(format!("{} {}", refusal.text, refusal.help.as_deref().unwrap_or_default())),
        None => Ok(done.activated.into_iter().map(|activated| activated.name).collect()),
    }
}

#[test]
fn a_path_calls_nothing_for_the_model_in_any_host() {
    let scene = Scene::new();
    for folder in [".agents", ".claude", ".opencode", ".omp"] {
        scene
            .context
            .tree(&format!("//- project/{folder}/skills/a/SKILL.md\n---\nname: a\ndescription: Does A\n---\nDo.\n"));
    }
    let mut by_name = 0;
    for host in Hosts::builtin().names() {
        by_name += usize::from(told_to_model(&scene, host, "a").is_ok());
        for folder in [".agents", ".claude", ".opencode", ".omp"] {
            for path in [format!("{folder}/skills/a"), format!("{folder}/skills/a/SKILL.md")] {
                let told = told_to_model(&scene, host, &project(&scene, &path));
                assert!(told.is_err(), "{host} {path}: {told:?}");
            }
        }
    }
    assert!(by_name > 3, "{by_name} hosts know it by its name");
}

/// Not even how many there are.
#[test]
fn several_skills_of_a_denied_name_are_as_unknown_as_none() {
    let mut scene = Scene::new();
    for folder in ["project/.agents", "home/.agents"] {
        scene.context.tree(&format!("//- {folder}/skills/a/SKILL.md\n---\nname: dpl\ndescription: Does A\n---\nDo.\n"));
    }
    let several = told_to_model(&scene, "codex", "dpl").unwrap_err();
    assert!(several.starts_with("2 skills are called `dpl`") && !several.contains("SKILL.md"), "{several}");
    scene.rule("skill", "dpl", Action::Deny);
    let (denied, unknown) = (told_to_model(&scene, "codex", "dpl"), told_to_model(&scene, "codex", "zzz"));
    assert_eq!(denied.unwrap_err().replace("dpl", "zzz"), unknown.unwrap_err());
}

#[test]
fn an_unknown_name_is_answered_with_near_ones_and_a_bounded_list() {
    let mut scene = Scene::new();
    scene.rule("skill", "deploy-web", Action::Deny);
    for name in ["deploy-docs", "deploy-web", "notes"] {
        scene.context.skill(name, "Does things");
    }
    assert_eq!(
        told_to_model(&scene, "openoxide", "deploy-doc").unwrap_err().trim_end(),
        "no skill is called `deploy-doc`; did you mean `deploy-docs`? Available skills: deploy-docs, notes."
    );
    let denied = told_to_model(&scene, "openoxide", "deploy-web").unwrap_err();
    let unknown = told_to_model(&scene, "openoxide", "deploy-wxb").unwrap_err();
    assert_eq!(denied.replace("deploy-web", "deploy-wxb"), unknown, "the model cannot tell one from the other");
    for number in 0..80 {
        scene.context.skill(&format!("more-{number:02}-{}", "x".repeat(50)), "Does more");
    }
    let long = told_to_model(&scene, "openoxide", &"z".repeat(1_000_000)).unwrap_err();
    assert!(long.len() < 6000 && long.trim_end().ends_with(" and 32 more."), "{} {long:.300}", long.len());
}
