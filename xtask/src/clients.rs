//! `clients`: lets real agents use a skill over MCP, with a script in place of the model.
//!
//! Each agent is connected by what `mcp --print-config` prints: as a child process, and to a server that asks for the access
//! token. It must hand the skill's text to that model, must get nothing without the token, and approves nothing itself. Then it
//! is given many skills, each of which the model must be shown or told how to find.

mod lists;
mod model;
mod scene;

use anyhow::{Result, ensure};

use crate::shell;
use scene::{AGENTS, Agent, Pasted, Scene, Shown};

/// A way to connect an agent, and what comes of it.
struct Way {
    title: &'static str,
    over_http: bool,
    pasted: Pasted,
    shown: Shown,
}

const WAYS: [Way; 5] = [
    Way { title: "stdio, settings", over_http: false, pasted: Pasted::Settings, shown: Shown::Nothing },
    Way { title: "HTTP, line", over_http: true, pasted: Pasted::Line, shown: Shown::Token },
    Way { title: "HTTP, settings", over_http: true, pasted: Pasted::Settings, shown: Shown::Token },
    Way { title: "HTTP, line, no token", over_http: true, pasted: Pasted::Line, shown: Shown::Nothing },
    Way { title: "HTTP, line, wrong token", over_http: true, pasted: Pasted::Line, shown: Shown::Wrong },
];

/// Runs `cargo xtask clients [CLIENT…]`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let is_known = |name: &&String| AGENTS.iter().any(|agent| agent.client == *name);
    ensure!(args.iter().all(|name| is_known(&name)), "clients: {}", AGENTS.map(|agent| agent.client).join(", "));
    let program = shell::build()?;
    for agent in AGENTS.iter().filter(|agent| args.is_empty() || args.iter().any(|name| name == agent.client)) {
        let Some(found) = agent.find() else {
            let title = agent.title;
            shell::say(format!("SKIPPED: {title} is not installed (set PEERS to the folder that has it)"));
            continue;
        };
        shell::say(format!("{} {}", agent.title, agent.version(&found)));
        for way in &WAYS {
            let scene = Scene::new(agent, &found, &program, way.over_http)?;
            scene.connect(way.pasted)?;
            judge(agent, way, &scene)?;
        }
        for count in lists::COUNTS {
            lists::judge(agent, &Scene::new(agent, &found, &program, false)?, count)?;
        }
    }
    Ok(())
}

/// Lets the agent have one turn, and looks at what its model got.
fn judge(agent: &Agent, way: &Way, scene: &Scene) -> Result<()> {
    let said = scene.turn(way.shown)?;
    let told = scene.told();
    let (title, name) = (way.title, agent.title);
    ensure!(!told.guarded, "{name}, {title}: a skill that only the user can allow reached the model:\n{said}");
    if way.over_http && !matches!(way.shown, Shown::Token) {
        ensure!(!told.tools && !told.skill, "{name}, {title}: our tools are offered without the token:\n{said}");
        shell::say(format!("  {title}: refused; {}", reason(&format!("{said}{}", scene.list(way.shown)?))));
        return Ok(());
    }
    ensure!(told.tools, "{name}, {title}: our tools are not offered to the model:\n{said}");
    ensure!(told.skill, "{name}, {title}: the skill's text did not reach the model:\n{said}");
    ensure!(told.asks_user == way.over_http, "{name}, {title}: asked who approves: {}\n{said}", told.asks_user);
    let approves = if way.over_http { "; the other needs the user's approval on the page" } else { "" };
    shell::say(format!("  {title}: tools offered, skill called, text arrived{approves}"));
    Ok(())
}

/// Finds what an agent says of a server that refused it.
fn reason(said: &str) -> String {
    let about = ["401", "Unauthorized", "needs authentication", "Disconnected", "MCP"];
    let line = about.iter().find_map(|word| said.lines().find(|line| line.contains(word)));
    line.map_or_else(|| "it says nothing of it".to_owned(), |line| format!("it says: {}", line.trim()))
}
