//! Replaces advice that a program puts around a skill's text by short marks.
//!
//! The advice is the program's own prose: a recording holds a mark in their place, and a digest, so that a change is noticed.
//! The text around the advice tells where it begins and ends.

use std::ops::Range;

use super::peers::Peer;

/// What stands for a sentence.
const MARK: &str = "{{advice}}";

/// What stands for a file that the program chose by chance.
const FILE_MARK: &str = "<file>{{file}}</file>";

/// The skill that comes with a program, in its list of names.
const BUNDLED: &str = " customize-opencode,";

/// How many files a program names of a folder with more.
const SAMPLE: usize = 10;

/// A text with marks, and the sentences that stood there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) text: String,
    pub(super) sentences: Vec<String>,
}

/// Puts marks in the place of a program's own sentences.
pub(super) fn mark(peer: Peer, skill: &str, text: &str) -> Marked {
    let ranges = match peer {
        Peer::Codex => Vec::new(),
        Peer::ClaudeCode => claude(skill, text),
        Peer::OpenCode => opencode(text),
        Peer::Omp => omp(skill, text),
    };
    let mut marked = Marked { text: String::new(), sentences: Vec::new() };
    let mut kept = 0;
    for range in ranges {
        marked.text.push_str(&text[kept..range.start]);
        marked.text.push_str(MARK);
        kept = range.end;
        marked.sentences.push(plain(&text[range]));
    }
    marked.text.push_str(&text[kept..]);
    marked.text = uncounted(&sampled(&marked.text)).replace(BUNDLED, "");
    marked
}

/// Takes out what differs between two runs: the name of the file that the whole text was saved to.
fn plain(sentence: &str) -> String {
    match sentence.split_once("/tool_") {
        Some((before, id)) => {
            let rest = id.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            format!("{before}/tool_ID{rest}")
        }
        None => sentence.to_owned(),
    }
}

/// A refusal tells what to do instead after saying what is the matter; a note on a repeated call explains itself.
fn claude(skill: &str, text: &str) -> Vec<Range<usize>> {
    let refused = between(text, "due to disable-model-invocation. ", "</tool_use_error>");
    refused.or_else(|| between(text, &format!("(Re-invocation of /{skill} — "), ")\n")).into_iter().collect()
}

/// The lines after the one that names the folder, and those after the notice of a cut.
fn opencode(text: &str) -> Vec<Range<usize>> {
    let cut = text.rfind(" truncated...\n\n").map(|at| at + " truncated...\n\n".len());
    let folder = "Base directory for this skill: ";
    let named = || Some(text.rfind(folder).filter(|at| *at == 0 || text[..*at].ends_with('\n'))? + folder.len());
    match cut.or_else(|| line_end(text, named()?)) {
        Some(start) => lines(text, start),
        None => Vec::new(),
    }
}

/// What is said about the skill's name before its text, and the line after the one that names the folder.
fn omp(skill: &str, text: &str) -> Vec<Range<usize>> {
    let quoted = format!("\"{skill}\"");
    let before = between(text, "[", &quoted);
    let after = before.as_ref().and_then(|range| {
        let start = range.end + quoted.len();
        Some(start..start + text[start..].find(']')?)
    });
    let folder = text.rfind("\n[Skill directory: ").and_then(|at| line_end(text, at + 1));
    let advice = folder.and_then(|start| lines(text, start).into_iter().next());
    [before, after, advice].into_iter().flatten().collect()
}

/// Returns what stands between two texts, if they are there and there is anything.
fn between(text: &str, before: &str, after: &str) -> Option<Range<usize>> {
    let start = text.find(before)? + before.len();
    let end = start + text[start..].find(after)?;
    (start < end).then_some(start..end)
}

/// Returns where the next line begins.
fn line_end(text: &str, at: usize) -> Option<usize> {
    text[at..].find('\n').map(|end| at + end + 1)
}

/// Returns the lines from a place on, up to an empty one.
fn lines(text: &str, mut start: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    for line in text[start..].split('\n').take_while(|line| !line.is_empty()) {
        ranges.push(start..start + line.len());
        start += line.len() + 1;
    }
    ranges
}

/// Takes out how many bytes were cut off, because the program's own sentences are among them.
fn uncounted(text: &str) -> String {
    let Some(at) = text.rfind(" bytes truncated...\n\n") else { return text.to_owned() };
    let before = text[..at].trim_end_matches(|c: char| c.is_ascii_digit());
    format!("{before}{MARK}{}", &text[at..])
}

/// Sorts the files that are named; of a folder with more than are named, the choice is chance.
fn sampled(text: &str) -> String {
    let Some((before, rest)) = text.split_once("\n<skill_files>\n") else { return text.to_owned() };
    let Some((list, after)) = rest.split_once("\n</skill_files>") else { return text.to_owned() };
    let mut files: Vec<&str> = list.split('\n').collect();
    files.sort_unstable();
    if files.len() == SAMPLE {
        files = vec![FILE_MARK; SAMPLE];
    }
    format!("{before}\n<skill_files>\n{}\n</skill_files>{after}", files.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: Peer, text: &str, marked: &str, sentences: &[&str]) {
        let found = mark(peer, "s", text);
        assert_eq!(
            (&*found.text, &*found.sentences),
            (marked, &*sentences.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>())
        );
    }

    #[test]
    fn advice_is_told_by_what_stands_around_it() {
        check(Peer::Codex, "[x \"s\" y]", "[x \"s\" y]", &[]);
        check(
            Peer::Omp,
            "[A \"s\" b.]\n\nt\n\n---\n\n[Skill directory: /d]\nC.\nUser: x",
            "[{{advice}}\"s\"{{advice}}]\n\nt\n\n---\n\n[Skill directory: /d]\n{{advice}}\nUser: x",
            &["A ", " b.", "C."],
        );
        check(
            Peer::OpenCode,
            "t\n\nBase directory for this skill: /d\nA.\nB.\n\nx",
            "t\n\nBase directory for this skill: /d\n{{advice}}\n{{advice}}\n\nx",
            &["A.", "B."],
        );
        check(
            Peer::OpenCode,
            "t\n\n...5 lines truncated...\n\nIn /x/tool_1aB\nC",
            "t\n\n...5 lines truncated...\n\n{{advice}}\n{{advice}}",
            &["In /x/tool_ID", "C"],
        );
        check(
            Peer::OpenCode,
            "t\n\n...5 bytes truncated...\n\nC",
            "t\n\n...{{advice}} bytes truncated...\n\n{{advice}}",
            &["C"],
        );
        check(Peer::ClaudeCode, "(Re-invocation of /s — a.)\n", "(Re-invocation of /s — {{advice}})\n", &["a."]);
        check(
            Peer::ClaudeCode,
            "Base directory for this skill: /d\n\nx",
            "Base directory for this skill: /d\n\nx",
            &[],
        );
    }

    #[test]
    fn files_are_sorted_or_only_counted() {
        let list = |files: &[String]| format!("a\n<skill_files>\n{}\n</skill_files>\nb", files.join("\n"));
        let some = ["<file>b</file>".to_owned(), "<file>a</file>".to_owned()];
        assert_eq!(sampled(&list(&some)), list(&[some[1].clone(), some[0].clone()]));
        let many = (0..SAMPLE).map(|n| format!("<file>{n}</file>")).collect::<Vec<_>>();
        assert_eq!(sampled(&list(&many)), list(&vec![FILE_MARK.to_owned(); SAMPLE]));
    }
}
