//! Where a text is code: between backticks, or in a fence, as Markdown has it.

use std::collections::HashMap;
use std::ops::Range;

/// The parts of a text that are code, asked for from left to right.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// In order, without overlap.
    ranges: Vec<Range<usize>>,
    /// The first range that does not lie behind us.
    next: usize,
}

impl Code {
    /// Finds the code in a text. A fence that is not closed goes on to the end.
    pub(super) fn find(text: &str) -> Code {
        let mut ranges = Vec::new();
        let mut fence: Option<(Fence, usize)> = None;
        let (mut paragraph, mut at) = (0, 0);
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            match &fence {
                Some((open, start)) if open.is_closed_by(line) => {
                    ranges.push(*start..end);
                    (fence, paragraph) = (None, end);
                }
                Some(_) => {}
                None => {
                    let opened = Fence::opened_by(line);
                    if opened.is_some() || line.trim().is_empty() {
                        spans(text, paragraph..at, &mut ranges);
                        paragraph = end;
                    }
                    fence = opened.map(|opened| (opened, at));
                }
            }
            at = end;
        }
        match fence {
            Some((_, start)) => ranges.push(start..text.len()),
            None => spans(text, paragraph..text.len(), &mut ranges),
        }
        Code { ranges, next: 0 }
    }

    /// Tells whether a place is code; places must be asked for in order.
    pub(super) fn holds(&mut self, at: usize) -> bool {
        while self.ranges.get(self.next).is_some_and(|range| range.end <= at) {
            self.next += 1;
        }
        self.ranges.get(self.next).is_some_and(|range| range.contains(&at))
    }
}

/// What a fence was opened with.
#[derive(Clone, Copy, Debug)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Fence> {
        let (fence, rest) = Fence::read(line)?;
        // What stands behind backticks and holds more of them is a span of code in a line.
        let is_span = fence.mark == '`' && rest.contains('`');
        (!is_span).then_some(fence)
    }

    fn is_closed_by(self, line: &str) -> bool {
        let closes = |(fence, rest): (Fence, &str)| {
            fence.mark == self.mark && fence.length >= self.length && rest.trim().is_empty()
        };
        Fence::read(line).is_some_and(closes)
    }

    /// Reads the marks that a line begins with, at most three spaces in.
    fn read(line: &str) -> Option<(Fence, &str)> {
        let trimmed = line.trim_start_matches(' ');
        let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = trimmed.trim_start_matches(mark);
        let length = trimmed.len() - rest.len();
        (length >= 3 && line.len() - trimmed.len() <= 3).then_some((Fence { mark, length }, rest))
    }
}

/// Finds the code between backticks in a paragraph: a run of them ends at the next run of the same length.
fn spans(text: &str, paragraph: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let runs = runs(text, paragraph);
    let mut nearest: HashMap<usize, usize> = HashMap::new();
    let mut closers = vec![None; runs.len()];
    for (index, run) in runs.iter().enumerate().rev() {
        closers[index] = nearest.insert(run.len(), index);
    }
    let mut index = 0;
    while let Some(run) = runs.get(index) {
        let escaped = run.len() == 1 && text[..run.start].ends_with('\\');
        match closers[index].filter(|_| !escaped) {
            Some(closer) => {
                ranges.push(run.start..runs[closer].end);
                index = closer + 1;
            }
            None => index += 1,
        }
    }
}

/// Returns the runs of backticks in a part of a text.
fn runs(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text[part.clone()].match_indices('`') {
        let at = part.start + at;
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end += 1,
            None => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the code that is found, with `|` between its parts.
    fn check(text: &str, expected: &str) {
        let code = Code::find(text).ranges.into_iter().map(|range| text[range].trim_end().to_owned());
        assert_eq!(code.collect::<Vec<_>>().join("|"), expected, "{text:?}");
    }

    #[test]
    fn spans_and_fences() {
        check("a `b` c ``d ` e`` f", "`b`|``d ` e``");
        check("a `b c", "");
        check("a `b\n\nc` d", "");
        check("a `b\nc` d", "`b\nc`");
        check("\\`a `b`", "`b`");
        check("a\n```sh\nb `c`\n```\nd `e`", "```sh\nb `c`\n```|`e`");
        check("~~~\na\n```\n~~~~ \nb", "~~~\na\n```\n~~~~");
        check("```\nnever closed", "```\nnever closed");
        check("    ```\nfour spaces in", "");
        check("```a``` in a line", "```a```");
    }
}
