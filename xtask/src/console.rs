//! Executes the console blocks of a Markdown page: `$ openoxide …`, then what it answers.
//!
//! One `fixture` block holds the tree that the commands run in, as `openoxide-testkit` describes it. Each console block
//! starts from that tree anew, in `project/`, with `HOME` at `home/`, 80 columns, and nothing else around. An answer is
//! standard output, then standard error; the folder that holds the tree is shown as `/demo`.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use openoxide_testkit::TestContext;

/// The length of the path of the folder that holds the tree: what a catalog costs depends on it.
const ROOT_LENGTH: usize = 96;

/// Returns `page` with every answer replaced by what `binary` answers now.
pub(crate) fn answered(page: &str, binary: &Path) -> Result<String> {
    let tree = fixture(page)?;
    let mut result = String::new();
    let mut lines = page.split_inclusive('\n');
    while let Some(line) = lines.next() {
        result.push_str(line);
        if line.trim_end() == "```console" {
            let block = lines.by_ref().take_while(|line| line.trim_end() != "```");
            result.push_str(&run_block(&tree, &block.collect::<String>(), binary)?);
            result.push_str("```\n");
        }
    }
    Ok(result)
}

fn fixture(page: &str) -> Result<String> {
    let mut parts = page.split("```fixture\n");
    let block = parts.nth(1).context("the page has no fixture block")?;
    ensure!(parts.next().is_none(), "the page has more than one fixture block");
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
        let answer = format!("{}{}", output.stdout, output.stderr).replace("[ROOT]", "/demo");
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
