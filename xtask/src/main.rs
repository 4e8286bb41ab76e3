//! The project's own tasks, run as `cargo xtask TASK`.

#[cfg(test)]
mod architecture;
mod bench;
mod check;
mod clients;
mod conformance;
mod console;
mod dist;
mod fidelity;
mod generate;
mod load;
mod man;
mod metadata;
mod modules;
mod needs;
mod openapi;
mod shell;
mod test;
mod use_cases;

use std::process::ExitCode;

use anyhow::{Result, bail};

/// A task: how it is typed, what it does, and the function that does it.
struct Task {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<()>,
}

const TASKS: &[Task] = &[
    Task { name: "test", arguments: "", about: "Run everything that a change has to pass, as CI does", run: test::run },
    Task {
        name: "check",
        arguments: "",
        about: "Run the quick part: formatting and lints, here and for macOS",
        run: check::run,
    },
    Task {
        name: "generate",
        arguments: "[--check]",
        about: "Write the generated pages, the schemas and the answers in examples anew, or say whether they are up to date",
        run: generate::run,
    },
    Task { name: "man", arguments: "", about: "Write the man pages to target/man", run: man::run },
    Task {
        name: "dist",
        arguments: "",
        about: "Build what is handed out: binary, man pages, completions and licences, in target/dist",
        run: dist::run,
    },
    Task {
        name: "bench",
        arguments: "[ARGUMENT…]",
        about: "Measure speed beside the bare cost of reading the same files, and print the ratios",
        run: bench::run,
    },
    Task {
        name: "load",
        arguments: "[SECONDS]",
        about: "Put load on the server, and print how much it bears beside nginx",
        run: load::run,
    },
    Task {
        name: "fidelity",
        arguments: "record|live …",
        about: "Record what the real programs answer, or compare with them live",
        run: fidelity::run,
    },
    Task {
        name: "conformance",
        arguments: "client|server",
        about: "Run the official conformance suite of MCP against the program, where it is installed",
        run: conformance::run,
    },
    Task {
        name: "clients",
        arguments: "",
        about: "Let real agents use a skill over MCP, where they are installed, with a model that is a script",
        run: clients::run,
    },
    Task {
        name: "openapi",
        arguments: "[ARGUMENT…]",
        about: "Ask a running server all that its description allows, by schemathesis where it is installed",
        run: openapi::task,
    },
    Task {
        name: "modules",
        arguments: "[CRATE]",
        about: "Draw which modules of a crate use each other, in layers, and where that is a cycle",
        run: modules::run,
    },
    Task {
        name: "use-cases",
        arguments: "",
        about: "Print which file of which face calls each use case",
        run: use_cases::run,
    },
    Task { name: "help", arguments: "", about: "Print this", run: help },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            shell::complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let Some((name, rest)) = args.split_first() else { return help(&[]) };
    if matches!(name.as_str(), "-h" | "--help") {
        return help(&[]);
    }
    match TASKS.iter().find(|task| task.name == name) {
        Some(task) => (task.run)(rest),
        None => bail!("there is no task `{name}`; `cargo xtask help` lists them"),
    }
}

fn help(args: &[String]) -> Result<()> {
    shell::no_arguments("help", args)?;
    shell::say("The project's own tasks\n\nUsage: cargo xtask TASK\n\nTasks:");
    for task in TASKS {
        let typed = format!("{} {}", task.name, task.arguments);
        shell::say(format!("  {typed:24}{}", task.about));
    }
    Ok(())
}
