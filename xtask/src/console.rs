//! Runs the console blocks of a Markdown page and compares or rewrites their output.
//!
//! A `fixture` block holds the tree that the commands run in, as `openoxide-testkit` describes it. A block whose opening
//! fence names a path after the language is a file that the reader writes: below the home if the path begins with `~/`,
//! else in the project; with `more` after the path, it is added to the end of that file. Each console block starts anew
//! from the tree and the files above it, in `project/`, with `HOME` at `home/`, 80 columns, and nothing else around. An
//! answer is standard output, then standard error; the folder that holds the tree is shown as `/demo`, and the machine's
//! isolation as that of a common machine.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use openoxide_testkit::TestContext;

/// The length of the path of the folder that holds the tree: what a catalog costs depends on it.
const ROOT_LENGTH: usize = 96;

/// What an example says of a machine's isolation, which is another on every machine.
const ISOLATION: &str = "bubblewrap 0.8.0 (/usr/bin/bwrap), Landlock 7, seccomp";

/// Returns `page` with every answer replaced by what `binary` answers now.
pub(crate) fn answered(page: &str, binary: &Path) -> Result<String> {
    let tree = fixture(page)?;
    let mut files = BTreeMap::new();
    let mut result = String::new();
    let mut lines = page.split_inclusive('\n');
    while let Some(line) = lines.next() {
        result.push_str(line);
        let Some(info) = line.trim_end().strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let block: String = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        if info == "console" {
            let mut tree = tree.clone();
            for (path, text) in &files {
                let _ = write!(tree, "//- {path}\n{text}");
            }
            result.push_str(&run_block(&tree, &block, binary)?);
        } else {
            write_down(&mut files, info, &block);
            result.push_str(&block);
        }
        result.push_str("```\n");
    }
    Ok(result)
}

/// Notes a file that the reader writes, or adds to one.
fn write_down(files: &mut BTreeMap<String, String>, info: &str, block: &str) {
    let mut words = info.split_whitespace().skip(1);
    let Some(path) = words.next() else { return };
    let path = path.strip_prefix("~/").map_or_else(|| format!("project/{path}"), |path| format!("home/{path}"));
    let file = files.entry(path).or_default();
    if words.next() != Some("more") {
        file.clear();
    }
    file.push_str(block);
}

fn fixture(page: &str) -> Result<String> {
    let mut blocks = page.split("```fixture\n").skip(1);
    let block = blocks.next().unwrap_or_default();
    ensure!(blocks.next().is_none(), "the page has more than one fixture block");
    Ok(block.split("```").next().unwrap_or_default().to_owned())
}

fn run_block(tree: &str, block: &str, binary: &Path) -> Result<String> {
    let context = TestContext::padded(ROOT_LENGTH);
    context.tree(tree);
    let mut result = String::new();
    ensure!(block.starts_with("$ "), "a console block must begin with a command, but begins with: {block:.40}");
    for line in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let Some(typed) = line.strip_prefix("openoxide") else { bail!("only `openoxide` is run, not `{line}`") };
        let mut command = context.command(binary, words(typed)?);
        command.env_remove("PATH").env("COLUMNS", "80");
        let output = context.answer(&mut command);
        let answer =
            format!("{}{}", output.stdout, output.stderr).replace("[ROOT]", "/demo").replace("[ISOLATION]", ISOLATION);
        let _ = write!(result, "$ {line}\n{answer}");
        if !result.ends_with('\n') {
            result.push('\n');
        }
    }
    Ok(result)
}

/// Splits what was typed into words; quotes of either kind hold a word together.
fn words(typed: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = typed.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '\'' | '"' => rest[1..].split_once(first).with_context(|| format!("a quote stays open in `{typed}`"))?,
            _ => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_replaced() {
        let page = "<!--\n```fixture\n//- project/note\nhello\n```\n-->\n```console\n$ openoxide note\nold\n```\nend\n";
        let answered = answered(page, Path::new("/bin/cat")).unwrap();
        assert_eq!(answered, page.replace("old", "hello"));
    }

    #[test]
    fn files_are_written_on_the_way() {
        let page = "```text ~/a\none\n```\n```console\n$ openoxide ../home/a\n```\n\
                    ```text ~/a more\ntwo\n```\n```console\n$ openoxide ../home/a\n```\n\
                    ```text ~/a\nthree\n```\n```console\n$ openoxide ../home/a\n```\n";
        let expected = page
            .replacen("$ openoxide ../home/a\n```", "$ openoxide ../home/a\none\n```", 1)
            .replacen("$ openoxide ../home/a\n```", "$ openoxide ../home/a\none\ntwo\n```", 1)
            .replacen("$ openoxide ../home/a\n```", "$ openoxide ../home/a\nthree\n```", 1);
        assert_eq!(answered(page, Path::new("/bin/cat")).unwrap(), expected);
    }

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(words(" new pdf -d 'Fills forms'").unwrap(), ["new", "pdf", "-d", "Fills forms"]);
        assert!(words(" new 'pdf").is_err());
    }

    #[test]
    fn other_programs_are_refused() {
        let page = "```fixture\n```\n```console\n$ rm -r /\n```\n";
        assert!(answered(page, Path::new("/bin/true")).is_err());
    }
}
