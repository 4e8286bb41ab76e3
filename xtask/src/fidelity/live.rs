//! `fidelity live`: runs the real programs and OpenOxide on the same trees and compares them.

mod options;

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
pub(super) use options::Options;
use serde_json::Value;

use super::peers::{Peer, Program, Rules};
use super::rng::Rng;
use super::scene::Scene;
use super::tally::Tally;
use super::{claude, codex, compare, corpus, omp, opencode, ours, trees};
use crate::shell::say;

/// The comparison with one real program.
struct Match<'a> {
    rules: &'a Rules,
    program: &'a Program,
    bin: &'a Path,
    n_trees: usize,
    n_skills: usize,
    differences: Tally,
}

/// Compares and reports; fails if anything differs.
pub(super) fn run(args: &[String]) -> Result<()> {
    let options = Options::parse(args)?;
    let mut n_differences = 0;
    let rules = match &options.rules {
        Some(rules) => vec![rules.clone()],
        None => Peer::ALL.into_iter().map(Peer::editions).collect::<Result<Vec<_>>>()?.concat(),
    };
    for rules in rules {
        match rules.program() {
            Some(program) => n_differences += compare_with(&rules, &program, &options)?.total(),
            None => say(format_args!(
                "fidelity: {} NOT COMPARED: {} is not installed (`fidelity drift` installs it)",
                rules.id, rules.measured_on
            )),
        }
    }
    ensure!(n_differences == 0, "{n_differences} differences from the real programs");
    Ok(())
}

/// Compares an installed program with rules on random trees, collections and turns.
pub(super) fn compare_with(rules: &Rules, program: &Program, options: &Options) -> Result<Tally> {
    ensure!(options.bin.is_file(), "there is no `{}`; build it with `cargo build --release`", options.bin.display());
    let host = &rules.id;
    let mut game = Match { rules, program, bin: &options.bin, n_trees: 0, n_skills: 0, differences: Tally::default() };
    game.random_trees(options)?;
    if let Some(dir) = &options.corpus {
        game.collections(dir)?;
    }
    let (n_turns, unlike) = super::mentions::live(rules, program, &options.bin, options.seed)?;
    if n_turns > 0 {
        say(format_args!("fidelity: {host} {n_turns} turns, {} differences", unlike.total()));
    }
    game.differences.join(unlike);
    let Match { n_trees, n_skills, differences, .. } = game;
    say(format_args!("fidelity: {host} {n_trees} trees, {n_skills} skills, {} differences", differences.total()));
    Ok(differences)
}

impl Match<'_> {
    fn random_trees(&mut self, options: &Options) -> Result<()> {
        let indices = options.only.map_or(0..options.trees, |only| only..only + 1);
        for index in indices {
            let seed = options.seed.wrapping_mul(1_000_003).wrapping_add(index);
            let tree = trees::random(self.rules.peer, seed);
            let label = format!("{} --seed {} --only {index}", self.rules.id, options.seed);
            let window = Rng::new(seed ^ 1).pick(&[20_000, 60_000, 150_000, 272_000]).max(self.smallest_window());
            let lay = || {
                let mut scene = Scene::new();
                scene.tree(&tree.text);
                tree.cwd.clone_into(&mut scene.cwd);
                Ok(scene)
            };
            let before = self.differences.total();
            self.play(&label, window, &lay).with_context(|| format!("on {label}"))?;
            if let Some(keep) = options.keep.as_ref().filter(|_| self.differences.total() > before) {
                fs_err::create_dir_all(keep)?;
                let name = format!("{}-{}-{index}.txt", self.rules.id, options.seed);
                fs_err::write(keep.join(name), format!("//- cwd nonl\n{}\n{}", tree.cwd, tree.text))?;
            }
        }
        Ok(())
    }

    fn collections(&mut self, dir: &Path) -> Result<()> {
        for collection in corpus::collections(dir)? {
            let peer = self.rules.peer;
            let label = format!("{} {}", self.rules.id, collection.display());
            let lay = || {
                let scene = Scene::new();
                corpus::lay_out(&collection, &scene, peer)?;
                Ok(scene)
            };
            self.play(&label, 200_000, &lay).with_context(|| format!("on {label}"))?;
        }
        Ok(())
    }

    /// Compares both programs on one tree, which is laid out anew for each because they write into it.
    fn play(&mut self, label: &str, window: u64, lay: &dyn Fn() -> Result<Scene>) -> Result<()> {
        let (real, differences) = match self.rules.peer {
            Peer::Codex => self.play_codex(window, lay)?,
            Peer::ClaudeCode => self.play_claude(window, lay)?,
            Peer::Omp => self.play_omp(lay)?,
            Peer::OpenCode => self.play_opencode(lay)?,
        };
        self.n_trees += 1;
        self.n_skills += real;
        for difference in differences {
            self.differences.add(label, &difference);
        }
        Ok(())
    }

    fn play_codex(&self, window: u64, lay: &dyn Fn() -> Result<Scene>) -> Result<(usize, Vec<String>)> {
        let scene = lay()?;
        let answer = ours::list(self.bin, &scene, self.rules).map(|answer| portable(&scene, answer));
        let prompt = ours::prompt(self.bin, &scene, self.rules, Some(window));
        let served = ours::whole_list(self.bin, &scene, self.rules);
        let whole = codex::whole_list(self.program, &scene)?;
        let real = codex::recorded(&whole, &scene);
        let mut differences = answer.map_or_else(failure, |answer| compare::codex(&real, &answer));
        if broken(&real) {
            return Ok((0, differences));
        }
        differences.extend(served.map_or_else(failure, |served| compare::codex_whole(&whole, &served)));
        let real_catalog = codex::catalog(self.program, &lay()?, Some(window))?;
        differences.extend(prompt.map_or_else(failure, |prompt| {
            let mut differences = compare::in_order("roots", &real_catalog.roots, &prompt.roots);
            differences.extend(compare::in_order("catalog", &real_catalog.lines, &prompt.lines));
            differences
        }));
        Ok((real["skills"].as_array().map_or(0, Vec::len), differences))
    }

    fn play_claude(&self, window: u64, lay: &dyn Fn() -> Result<Scene>) -> Result<(usize, Vec<String>)> {
        let mut scene = lay()?;
        scene.set("CLAUDE_CODE_DISABLE_BUNDLED_SKILLS", "1");
        scene.set("SLASH_COMMAND_TOOL_CHAR_BUDGET", "1000000000");
        let answer = ours::list(self.bin, &scene, self.rules);
        let prompt = ours::prompt(self.bin, &scene, self.rules, None);
        let session = claude::session(self.program, &scene, None)?;
        let real = claude::recorded(&session);
        let shown = prompt.as_ref().map_or(&[][..], |prompt| &prompt.lines);
        let mut differences = answer.map_or_else(failure, |answer| compare::claude(&real, &answer, shown));
        differences
            .extend(prompt.map_or_else(failure, |prompt| compare::in_order("text", &session.listed, &prompt.lines)));
        let mut scene = lay()?;
        scene.set("CLAUDE_CODE_DISABLE_BUNDLED_SKILLS", "1");
        scene.set("ANTHROPIC_MODEL", claude::MODEL);
        let prompt = ours::prompt(self.bin, &scene, self.rules, Some(window));
        let fitted = claude::session(self.program, &scene, Some(window))?;
        differences
            .extend(prompt.map_or_else(failure, |prompt| compare::in_order("catalog", &fitted.listed, &prompt.lines)));
        Ok((real["listed"].as_array().map_or(0, Vec::len), differences))
    }

    fn play_omp(&self, lay: &dyn Fn() -> Result<Scene>) -> Result<(usize, Vec<String>)> {
        let scene = lay()?;
        let answer = ours::list(self.bin, &scene, self.rules).map(|answer| portable(&scene, answer));
        let prompt = ours::prompt(self.bin, &scene, self.rules, None);
        let (real, lines) = omp::ask(self.program, &scene)?;
        let mut differences = answer.map_or_else(failure, |answer| compare::omp(&real, &answer));
        // Control characters in names are escaped in our text only.
        let has_lines = |skill: &Value| skill["name"].as_str().is_some_and(|name| name.contains(char::is_control));
        if !real["skills"].as_array().into_iter().flatten().any(has_lines) {
            let compared = prompt.map_or_else(failure, |prompt| compare::in_order("catalog", &lines, &prompt.lines));
            differences.extend(compared);
        }
        Ok((real["skills"].as_array().map_or(0, Vec::len), differences))
    }

    fn play_opencode(&self, lay: &dyn Fn() -> Result<Scene>) -> Result<(usize, Vec<String>)> {
        let scene = lay()?;
        let answer = ours::list(self.bin, &scene, self.rules).map(|answer| portable(&scene, answer));
        let prompt = ours::prompt(self.bin, &scene, self.rules, None);
        let real = opencode::list(self.program, &scene)?;
        let mut differences = answer.map_or_else(failure, |answer| compare::opencode(&real, &answer));
        let shown = opencode::catalog(self.program, &lay()?)?;
        differences.extend(prompt.map_or_else(failure, |prompt| compare::in_order("catalog", &shown, &prompt.lines)));
        Ok((real["skills"].as_array().map_or(0, Vec::len), differences))
    }

    /// Claude Code refuses to work at all in a window that its own tools fill.
    fn smallest_window(&self) -> u64 {
        match self.rules.peer {
            Peer::Codex | Peer::Omp | Peer::OpenCode => 0,
            Peer::ClaudeCode => 60_000,
        }
    }
}

/// Tells whether Codex could not read its settings, so that it starts no thread.
fn broken(real: &Value) -> bool {
    let messages = real["errors"].as_array().into_iter().flatten().filter_map(|error| error["message"].as_str());
    messages.into_iter().any(|message| message.starts_with("failed to reload config"))
}

#[expect(clippy::needless_pass_by_value, reason = "stands in the place of a closure that takes the error")]
fn failure(error: anyhow::Error) -> Vec<String> {
    vec![format!("{error:#}")]
}

/// Puts `{root}` in the place of the tree's folder, in a whole answer.
fn portable(scene: &Scene, answer: Value) -> Value {
    match answer {
        Value::String(text) => Value::String(scene.portable(&text)),
        Value::Array(items) => items.into_iter().map(|item| portable(scene, item)).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, portable(scene, value))).collect(),
        other => other,
    }
}
