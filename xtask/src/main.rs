//! The project's own tasks, run as `cargo xtask TASK`.

#[cfg(test)]
mod architecture;
mod attacks;
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
mod server;
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
    Task {
        name: "test",
        arguments: "",
        about: "Run every check that a change has to pass, as CI does",
        run: test::run,
    },
    Task {
        name: "check",
        arguments: "",
        about: "Run the quick checks: formatting, and lints for Linux and macOS",
        run: check::run,
    },
    Task {
        name: "generate",
        arguments: "[--check]",
        about: "Update the generated files; with --check, fail if one is out of date",
        run: generate::run,
    },
    Task { name: "man", arguments: "", about: "Write the man pages to target/man", run: man::run },
    Task {
        name: "dist",
        arguments: "",
        about: "Build a release in target/dist: binary, man pages, completions and licences",
        run: dist::run,
    },
    Task {
        name: "bench",
        arguments: "[ARGUMENT…]",
        about: "Measure speed, as a ratio to the bare cost of reading the same files",
        run: bench::run,
    },
    Task {
        name: "load",
        arguments: "[SECONDS] | floods [SECONDS [BINARY]]",
        about: "Measure how many requests the server handles, beside nginx; or how it stands up to slow clients",
        run: load::run,
    },
    Task {
        name: "fidelity",
        arguments: "record|live …",
        about: "Record the answers of the real programs, or compare with them live",
        run: fidelity::run,
    },
    Task {
        name: "conformance",
        arguments: "client|server",
        about: "Run the official MCP conformance suite, if it is installed",
        run: conformance::run,
    },
    Task {
        name: "clients",
        arguments: "[CLIENT…]",
        about: "Let installed agents use a skill over MCP, with a scripted model",
        run: clients::run,
    },
    Task {
        name: "openapi",
        arguments: "[ARGUMENT…]",
        about: "Test a running server against its OpenAPI document, with schemathesis if installed",
        run: openapi::task,
    },
    Task {
        name: "modules",
        arguments: "[CRATE]",
        about: "Print which modules of a crate use each other, in layers, and every cycle",
        run: modules::run,
    },
    Task {
        name: "use-cases",
        arguments: "",
        about: "Print which files of the command line, HTTP, MCP and JSON-RPC call each use case",
        run: use_cases::run,
    },
    Task {
        name: "attacks",
        arguments: "",
        about: "Print the table of attacks and faces, from the last run of the tests with the profile `ci`",
        run: attacks::run,
    },
    Task { name: "help", arguments: "", about: "Print this help", run: help },
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
