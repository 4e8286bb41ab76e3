//! `--help`, `--version`, completions, and what happens when a command is mistyped.

use openoxide_testkit::TestContext;

use crate::support::{LOOKS, LOOKS_AT, OTHERS, run};

#[test]
fn help() {
    insta::assert_snapshot!(run(&TestContext::new(), &["--help"]), @"
    status: 0
    ----- stdout -----
    Find Agent Skills, see which agents use them, and why others ignore them.

    Without a command, shows the agents found, what each of them sees, and what to
    fix.

    Usage: openoxide [OPTIONS] [COMMAND]

    Commands:
      list         List the skills that your agents see, a column for each agent
      show         Show everything about one skill
      explain      Explain why a skill is active or ignored, or what a code means
      hosts        Show your agents, and which skills each of them sees
      roots        Show where a host looks, in what order, and by what settings
      check        Check skills for errors
      prompt       Print the skills as the model would see them
      search       Find skills by words, best match first
      mentions     Show which skills a text names
      activate     Print what the model gets when a skill is called
      read         Read a file of a skill, as the agent would get it
      run          Run a script of a skill, in a sandbox
      serve        Serve skills over HTTP, for agents in any language
      token        Print the access token that clients send to `serve`
      mcp          Serve skills over MCP on standard input and output
      app-server   Answer JSON-RPC on standard input and output
      link         Put skills where another agent looks
      unlink       Take away what `link` put there
      new          Make the files of a new skill
      enable       Switch skills on
      disable      Switch skills off
      trust        Trust a project, so that its skills and settings apply
      config       Show settings and where they come from, or change them
      models       Show your models and servers of models, and try one
      completions  Print a script that completes commands in your shell
      schema       Print the JSON Schema of a file or an answer
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Common options:
          --project <DIR>
              Work in this folder, and the project around it

          --host <HOST[@EDITION]>
              Follow this host's rules [config: host] [env: OPENOXIDE_HOST]

          --agent <NAME>
              Follow this agent's permission rules too; with --host, also one that
              the host has [config: agents]

          --add-dir <DIR>
              Search one more folder (can be repeated)

          --touch <FILE>
              Assume that this file was read or edited (can be repeated)

          --json
              Print JSON

          --color <WHEN>
              When to use color [config: color]

              Possible values:
              - auto:   On a terminal
              - always: Always
              - never:  Never

      -q, --quiet
              Print less

      -v, --verbose
              Print more

          --config <KEY=VALUE>
              Set a setting for this run (can be repeated)
    ----- stderr -----
    ");
}

#[test]
fn help_of_each_command() {
    let context = TestContext::new();
    let help = run(&context, &["--help"]).stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let known: Vec<&str> = LOOKS.iter().map(|args| args[0]).chain(LOOKS_AT).chain(OTHERS).collect();
    let unknown: Vec<&&str> = commands.iter().filter(|command| !known.contains(command)).collect();
    assert!(unknown.is_empty(), "put into a list of `support.rs`: {unknown:?}");
    let gone: Vec<&&str> = known.iter().filter(|command| !commands.contains(command)).collect();
    assert!(gone.is_empty(), "the help lacks {gone:?}");
    // What `help` takes are names of commands.
    for command in commands.into_iter().filter(|command| *command != "help") {
        let output = run(&context, &[command, "--help"]);
        assert_eq!((output.status, output.stderr.as_str()), (Some(0), ""), "{command}");
        let first = output.stdout.lines().next().unwrap();
        assert!(first.starts_with(char::is_uppercase) && !first.ends_with('.'), "{command}: {first}");
        let wide: Vec<&str> = output.stdout.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{command} is wider than 80 columns: {wide:#?}");
        assert_eq!(run(&context, &[command, "-h"]).status, Some(0));
    }
}

#[test]
fn help_of_list() {
    insta::assert_snapshot!(run(&TestContext::new(), &["list", "-h"]), @"
    status: 0
    ----- stdout -----
    List the skills that your agents see, a column for each agent

    Usage: openoxide list [OPTIONS] [WORD]...

    Arguments:
      [WORD]...  List only skills with these words in their name or description

    Options:
          --all   Also list what is ignored, and why
          --mcp   Also ask the MCP servers of your settings for the skills that they
                  offer [config: mcp.servers]
      -h, --help  Print help (see more with '--help')

    Common options:
          --project <DIR>          Work in this folder, and the project around it
          --host <HOST[@EDITION]>  Follow this host's rules [config: host] [env:
                                   OPENOXIDE_HOST]
          --agent <NAME>           Follow this agent's permission rules too; with
                                   --host, also one that the host has [config:
                                   agents]
          --add-dir <DIR>          Search one more folder (can be repeated)
          --touch <FILE>           Assume that this file was read or edited (can be
                                   repeated)
          --json                   Print JSON
          --color <WHEN>           When to use color [config: color] [possible
                                   values: auto, always, never]
      -q, --quiet                  Print less
      -v, --verbose                Print more
          --config <KEY=VALUE>     Set a setting for this run (can be repeated)
    ----- stderr -----
    ");
}

#[test]
fn mistyped() {
    let context = TestContext::new();
    insta::assert_snapshot!(run(&context, &["lst"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: unrecognized subcommand 'lst'

      tip: a similar subcommand exists: 'list'

    Usage: openoxide [OPTIONS] [COMMAND]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(run(&context, &["list", "--hots", "codex"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: unexpected argument '--hots' found

      tip: a similar argument exists: '--host'

    Usage: openoxide list --host <HOST[@EDITION]> [WORD]...

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(run(&context, &["list", "--color", "pink"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid value 'pink' for '--color <WHEN>'
      [possible values: auto, always, never]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(run(&context, &["show"]), @"
    status: 2
    ----- stdout -----
    ----- stderr -----
    error: the following required arguments were not provided:
      <SKILL>

    Usage: openoxide show <SKILL>

    For more information, try '--help'.
    ");
}

#[test]
fn version() {
    let output = run(&TestContext::new(), &["--version"]);
    assert_eq!(output.stdout, format!("openoxide {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_as_a_command() {
    let context = TestContext::new();
    let help = |args: &[&str]| run(&context, &[&["help"], args].concat());
    let flag = |args: &[&str]| run(&context, &[args, &["--help"]].concat());
    let known = LOOKS.iter().map(|args| &args[..1]).chain(LOOKS_AT.iter().chain(&OTHERS).map(std::slice::from_ref));
    let below = [&["config", "get"][..], &["config", "set"], &["config", "unset"], &["config", "path"]];
    for command in known.chain(below).filter(|command| *command != ["help"]) {
        assert_eq!(help(command).to_string(), flag(command).to_string(), "{command:?}");
    }
    assert_eq!(help(&[]).to_string(), flag(&[]).to_string());
    assert_eq!(help(&["nope"]).status, Some(2));
}
