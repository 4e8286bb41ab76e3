//! Splits a shell text into tokens, and tracks the quotes and substitutions around each of them.
//!
//! This is the only lexer of shell text in the workspace. It never fails: what it does not know is a token of one
//! character. Its users differ: rules that allow a command refuse everything that is more than words, and placeholders in a
//! skill's commands are quoted as their position requires.

/// The construct that surrounds a position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Words, at the top or in `(…)`, `$(…)`.
    Words,
    /// Words in backticks.
    Backticks,
    /// Double quotes.
    Double,
    /// Single quotes.
    Single,
    /// Single quotes after a dollar sign, in which a backslash escapes.
    Escapes,
    /// `$((…))`, with the number of open parentheses.
    Arithmetic(usize),
    /// `${…}`.
    Braces,
    /// A comment.
    Comment,
    /// The text of a here-document that the shell expands.
    Document,
    /// The text of a here-document that the shell leaves as it is.
    QuotedDocument,
}

impl Frame {
    /// Returns whether blanks separate words here.
    pub fn is_words(self) -> bool {
        matches!(self, Frame::Words | Frame::Backticks)
    }
}

/// The smallest part of a text with a meaning of its own: mostly one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellToken<'t> {
    /// Where it begins, in bytes.
    pub start: usize,
    /// The token as it is written.
    pub text: &'t str,
    /// What surrounds it. A token that opens a frame is still outside, one that closes a frame still inside.
    pub frame: Frame,
}

/// A here-document whose text is still to come.
#[derive(Clone, Debug)]
struct Pending {
    end: String,
    tabs: bool,
    quoted: bool,
}

/// Goes through a shell text from left to right.
#[derive(Clone, Debug)]
pub struct Lexer<'t> {
    text: &'t str,
    at: usize,
    frames: Vec<Frame>,
    pending: Vec<Pending>,
    /// Where the text of the here-document that is being read ends.
    document_end: Option<usize>,
    too_deep: bool,
}

impl<'t> Lexer<'t> {
    /// Deepest nesting of quotes and substitutions that is followed.
    pub const MAX_DEPTH: usize = 40;

    /// Begins at the start of a text.
    pub fn new(text: &'t str) -> Lexer<'t> {
        let frames = vec![Frame::Words];
        Lexer { text, at: 0, frames, pending: Vec::new(), document_end: None, too_deep: false }
    }

    /// Returns where the next token begins.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the text that is left.
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Returns what surrounds the next token.
    pub fn frame(&self) -> Frame {
        self.frames.last().copied().unwrap_or(Frame::Words)
    }

    /// Returns every frame that is open around the next token, outermost first.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Returns whether the next token is the line that ends a here-document.
    pub fn is_at_document_end(&self) -> bool {
        self.document_end.is_some_and(|end| self.at >= end)
    }

    /// Returns whether something was nested too deeply to be followed. What came after it may have been misread.
    pub fn is_too_deep(&self) -> bool {
        self.too_deep
    }

    /// Continues at a later position. The caller knows that the text in between opens and closes nothing.
    pub fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    fn push(&mut self, frame: Frame) {
        if self.frames.len() >= Self::MAX_DEPTH {
            self.too_deep = true;
        } else {
            self.frames.push(frame);
        }
    }

    fn pop(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    /// Reads the token at the start of `rest`, opens or closes frames, and returns its length.
    fn take(&mut self, rest: &str) -> usize {
        match self.frame() {
            Frame::Single => self.quoted(rest, false),
            Frame::Escapes => self.quoted(rest, true),
            Frame::Comment | Frame::QuotedDocument => self.plain(rest),
            Frame::Arithmetic(open) => self.arithmetic(rest, open),
            Frame::Words | Frame::Backticks => self.words(rest),
            Frame::Double | Frame::Document | Frame::Braces => self.expanded(rest),
        }
    }

    fn quoted(&mut self, rest: &str, escapes: bool) -> usize {
        if escapes && rest.starts_with('\\') {
            return two(rest);
        }
        if rest.starts_with('\'') {
            self.pop();
        }
        one(rest)
    }

    /// Reads a character that has no special meaning. The end of the line ends a comment.
    fn plain(&mut self, rest: &str) -> usize {
        if rest.starts_with('\n') && self.frame() == Frame::Comment {
            self.pop();
            return self.line_end();
        }
        one(rest)
    }

    fn arithmetic(&mut self, rest: &str, open: usize) -> usize {
        let open = match rest.as_bytes()[0] {
            b'(' => open + 1,
            b')' => open - 1,
            _ => return self.substitution(rest).unwrap_or_else(|| one(rest)),
        };
        self.pop();
        if open > 0 {
            self.push(Frame::Arithmetic(open));
        }
        1
    }

    /// Reads what double quotes, here-documents and braces have in common.
    fn expanded(&mut self, rest: &str) -> usize {
        match (self.frame(), rest.as_bytes()[0]) {
            (_, b'\\') => return two(rest),
            (Frame::Double, b'"') | (Frame::Braces, b'}') => self.pop(),
            (Frame::Braces, b'"') => self.push(Frame::Double),
            (Frame::Braces, b'\'') => self.push(Frame::Single),
            _ => return self.substitution(rest).unwrap_or_else(|| one(rest)),
        }
        1
    }

    fn words(&mut self, rest: &str) -> usize {
        match rest.as_bytes()[0] {
            b'\\' => return two(rest),
            b'\'' => self.push(Frame::Single),
            b'"' => self.push(Frame::Double),
            b'(' if rest.starts_with("((") => {
                self.push(Frame::Arithmetic(2));
                return 2;
            }
            b'(' => self.push(Frame::Words),
            b')' => self.pop(),
            b'#' if self.text[..self.at].chars().next_back().is_none_or(starts_comment) => self.push(Frame::Comment),
            b'<' if rest.starts_with("<<<") => return 3,
            b'<' if rest.starts_with("<<") => return self.document(rest),
            b'\n' => return self.line_end(),
            b'$' if rest.starts_with("$'") => {
                self.push(Frame::Escapes);
                return 2;
            }
            _ => return self.substitution(rest).unwrap_or_else(|| one(rest)),
        }
        1
    }

    /// Reads the start of something that the shell expands, or the end of backticks.
    fn substitution(&mut self, rest: &str) -> Option<usize> {
        if rest.starts_with('`') {
            match self.frames.iter().rposition(|frame| *frame == Frame::Backticks) {
                Some(open) => self.frames.truncate(open.max(1)),
                None => self.push(Frame::Backticks),
            }
            return Some(1);
        }
        let (frame, length) = match rest {
            _ if rest.starts_with("$((") => (Frame::Arithmetic(2), 3),
            _ if rest.starts_with("$[") => (Frame::Arithmetic(1), 2),
            _ if rest.starts_with("$(") => (Frame::Words, 2),
            _ if rest.starts_with("${") => (Frame::Braces, 2),
            _ => return None,
        };
        self.push(frame);
        Some(length)
    }

    /// Reads the mark of a here-document: `<<END`, `<<-END`, `<<'END'`.
    fn document(&mut self, rest: &str) -> usize {
        let tabs = rest[2..].starts_with('-');
        let mark = rest[2 + usize::from(tabs)..].trim_start_matches([' ', '\t']);
        let word = mark.find(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')'));
        let word = &mark[..word.unwrap_or(mark.len())];
        let quote = |c: char| matches!(c, '\'' | '"' | '\\');
        if !word.is_empty() {
            self.pending.push(Pending { end: word.replace(quote, ""), tabs, quoted: word.contains(quote) });
        }
        rest.len() - mark.len() + word.len()
    }

    /// Reads the end of a line, after which the text of here-documents begins.
    fn line_end(&mut self) -> usize {
        if !self.pending.is_empty() {
            self.begin_document(self.at + 1);
        }
        1
    }

    fn begin_document(&mut self, at: usize) {
        let pending = self.pending.remove(0);
        let mut end = at.min(self.text.len());
        for line in self.text[end..].split_inclusive('\n') {
            let bare = line.trim_end_matches('\n');
            let bare = if pending.tabs { bare.trim_start_matches('\t') } else { bare };
            if bare == pending.end {
                break;
            }
            end += line.len();
        }
        self.document_end = Some(end);
        // The depth limit does not apply: users rely on this frame to know that the text is data.
        self.frames.push(if pending.quoted { Frame::QuotedDocument } else { Frame::Document });
    }

    /// Leaves a here-document and whatever was left open in it. The line that ends it is one token.
    fn end_document(&mut self) -> ShellToken<'t> {
        self.document_end = None;
        let is_document = |frame: &Frame| matches!(frame, Frame::Document | Frame::QuotedDocument);
        if let Some(open) = self.frames.iter().rposition(is_document) {
            self.frames.truncate(open.max(1));
        }
        let (start, text) = (self.at, self.rest().split_inclusive('\n').next().unwrap_or_default());
        self.at += text.len();
        if !self.pending.is_empty() {
            self.begin_document(self.at);
        }
        ShellToken { start, text, frame: Frame::QuotedDocument }
    }
}

impl<'t> Iterator for Lexer<'t> {
    type Item = ShellToken<'t>;

    fn next(&mut self) -> Option<ShellToken<'t>> {
        let (start, rest, frame) = (self.at, self.rest(), self.frame());
        if rest.is_empty() {
            return None;
        }
        if self.is_at_document_end() {
            return Some(self.end_document());
        }
        let length = self.take(rest);
        self.at += length;
        Some(ShellToken { start, text: &rest[..length], frame })
    }
}

fn one(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn two(text: &str) -> usize {
    let first = one(text);
    // A dollar sign is a token of its own: a placeholder may begin there, and the code that fills it in decides what the
    // backslash means.
    if text[first..].starts_with('$') { first } else { first + one(&text[first..]) }
}

fn starts_comment(before: char) -> bool {
    before.is_whitespace() || matches!(before, ';' | '&' | '|' | '(' | ')')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the text in each frame: a letter for the frame before every change of it.
    fn check(text: &str, expected: &str) {
        let letter = |frame| match frame {
            Frame::Words => 'w',
            Frame::Backticks => 'b',
            Frame::Double => 'd',
            Frame::Single => 's',
            Frame::Escapes => 'e',
            Frame::Arithmetic(_) => 'a',
            Frame::Braces => 'v',
            Frame::Comment => 'c',
            Frame::Document => 'h',
            Frame::QuotedDocument => 'q',
        };
        let mut shown = String::new();
        let mut last = None;
        for piece in Lexer::new(text) {
            let frame = letter(piece.frame);
            if last != Some(frame) {
                shown.extend(['[', frame, ']']);
                last = Some(frame);
            }
            shown.push_str(piece.text);
        }
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn every_frame_is_known() {
        check("a 'b' \"c\"", "[w]a '[s]b'[w] \"[d]c\"");
        check("a $(b \"c\") d", "[w]a $(b \"[d]c\"[w]) d");
        check("a `b` c", "[w]a `[b]b`[w] c");
        check("a $((1+(2))) b", "[w]a $(([a]1+(2)))[w] b");
        check("a ${b:-'c'} d", "[w]a ${[v]b:-'[s]c'[v]}[w] d");
        check("a $'b\\'c' d", "[w]a $'[e]b\\'c'[w] d");
        check("a # b\nc a#b", "[w]a #[c] b\n[w]c a#b");
        check("a <<E\nb\nE\nc", "[w]a <<E\n[h]b\n[q]E\n[w]c");
        check("a <<'E' <<F\nb\nE\nc\nF\nd", "[w]a <<'E' <<F\n[q]b\nE\n[h]c\n[q]F\n[w]d");
        check("a \\' \"\\\"\" é", "[w]a \\' \"[d]\\\"\"[w] é");
    }

    #[test]
    fn depth_is_bounded() {
        let mut lexer = Lexer::new("$(");
        assert!(lexer.by_ref().count() == 1 && !lexer.is_too_deep());
        let text = "$(".repeat(Lexer::MAX_DEPTH + 1);
        let mut lexer = Lexer::new(&text);
        assert_eq!(lexer.by_ref().count(), Lexer::MAX_DEPTH + 1);
        assert!(lexer.is_too_deep());
    }
}
