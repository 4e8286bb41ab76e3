//! Patterns of names: `*`, `**`, `?`, `[a-z]`, `{a,b}`, a leading `!`, and `\` before a character that means itself.
//!
//! They match a whole name, case matters, and `*` and `?` stop at `/`. A pattern that is not one matches nothing.
//! `globset` has no leading `!` and reads braces and `*` in other ways; the tests state what the program followed answers.

use std::collections::BTreeSet;

/// The steps that are left for comparing one name with a list of patterns: a project can bring long names and long lists.
pub(crate) struct Steps(usize);

impl Default for Steps {
    fn default() -> Steps {
        Steps(50_000)
    }
}

impl Steps {
    fn take(&mut self) -> Result<(), TooManySteps> {
        self.0 = self.0.checked_sub(1).ok_or(TooManySteps)?;
        Ok(())
    }
}

/// Whether a name matches is not known, because to find out takes too long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooManySteps;

/// A pattern that has been read.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Absent if the text is no pattern.
    tokens: Option<Vec<Token>>,
    negated: bool,
}

/// A part of a pattern. What follows it is the next one, unless it says otherwise, and always stands after it.
#[derive(Debug)]
enum Token {
    Literal(char),
    Slash,
    Any,
    Class(Class),
    Star {
        /// Whether every way through the pattern comes by here, because it is in no braces.
        on_every_way: bool,
    },
    /// `**` as a whole part of a path: any number of parts. What follows its slash stands there.
    Parts {
        after: usize,
    },
    /// `**` as the last part.
    Everything,
    /// `{`: the beginnings of its branches.
    Branches(Vec<usize>),
    /// The end of a branch.
    Jump(usize),
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Pattern {
        let bare = text.trim_start_matches('!');
        let marks = text.len() - bare.len();
        let text: Vec<char> = bare.chars().collect();
        Pattern { tokens: Reader::read(&text, marks == 0), negated: marks % 2 == 1 }
    }

    /// Tells whether a name matches. Follows all ways through the pattern at once, character by character: the steps are at
    /// most as many as tokens times characters.
    pub(crate) fn matches(&self, name: &[char], steps: &mut Steps) -> Result<bool, TooManySteps> {
        steps.take()?;
        let Some(tokens) = &self.tokens else { return Ok(self.negated) };
        let last_slash = name.iter().rposition(|character| *character == '/');
        let mut here = BTreeSet::from([0]);
        for at in 0..=name.len() {
            let way = Way { tokens, name, at, is_last_part: last_slash.is_none_or(|slash| slash < at) };
            let mut next = BTreeSet::new();
            // Whatever is added here stands after the token that adds it, so each has its turn once.
            while let Some(token) = here.pop_first() {
                steps.take()?;
                if token == tokens.len() && at == name.len() {
                    return Ok(!self.negated);
                }
                way.step(token, &mut here, &mut next);
            }
            here = next;
            if here.is_empty() {
                break;
            }
        }
        Ok(self.negated)
    }
}

/// A place in a name that is compared.
struct Way<'p> {
    tokens: &'p [Token],
    name: &'p [char],
    at: usize,
    is_last_part: bool,
}

impl Way<'_> {
    /// Follows a token: to others here, and to those that are next once a character is taken.
    fn step(&self, index: usize, here: &mut BTreeSet<usize>, next: &mut BTreeSet<usize>) {
        let character = self.name.get(self.at).copied();
        let takes = match self.tokens.get(index) {
            None => return,
            Some(Token::Branches(starts)) => return here.extend(starts),
            Some(Token::Jump(to)) => {
                here.insert(*to);
                return;
            }
            Some(Token::Star { on_every_way }) => {
                // Whatever came here before could as well have been taken by this star, and need not be followed.
                if *on_every_way && self.is_last_part {
                    next.clear();
                }
                here.insert(index + 1);
                next.extend(character.filter(|character| *character != '/').map(|_| index));
                return;
            }
            Some(Token::Parts { after }) => {
                if self.at == 0 || self.name[self.at - 1] == '/' {
                    here.insert(*after);
                }
                next.extend(character.map(|_| index));
                return;
            }
            Some(Token::Everything) => {
                here.insert(self.tokens.len());
                next.extend(character.map(|_| index));
                return;
            }
            Some(Token::Literal(literal)) => character == Some(*literal),
            Some(Token::Slash) => character == Some('/'),
            Some(Token::Any) => character.is_some_and(|character| character != '/'),
            Some(Token::Class(class)) => character.is_some_and(|character| class.has(character)),
        };
        if takes {
            next.insert(index + 1);
        }
    }
}

#[derive(Debug)]
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Class {
    fn has(&self, character: char) -> bool {
        self.ranges.iter().any(|(low, high)| (low..=high).contains(&&character)) != self.negated
    }
}

/// Reads the text of a pattern into tokens, without recursion: braces can be nested deeply.
struct Reader<'t> {
    rest: &'t [char],
    tokens: Vec<Token>,
    /// The braces that are open: where their branches begin, and where they end.
    open: Vec<(usize, Vec<usize>)>,
    /// The `**` that are whole parts if a `/` or nothing follows them.
    parts: Vec<usize>,
}

impl Reader<'_> {
    /// Returns nothing if the text is no pattern. `is_start` tells whether a `**` at the beginning may be a whole part.
    fn read(text: &[char], is_start: bool) -> Option<Vec<Token>> {
        let mut reader = Reader { rest: text, tokens: Vec::new(), open: Vec::new(), parts: Vec::new() };
        let mut is_part_start = is_start;
        while let Some((&first, rest)) = reader.rest.split_first() {
            reader.rest = rest;
            reader.token(first, is_part_start)?;
            is_part_start = first == '/';
        }
        reader.open.is_empty().then(|| reader.finished())
    }

    fn token(&mut self, first: char, is_part_start: bool) -> Option<()> {
        let token = match first {
            '*' => self.stars(is_part_start),
            '{' => {
                self.open.push((self.tokens.len(), Vec::new()));
                Token::Branches(vec![self.tokens.len() + 1])
            }
            ',' | '}' if !self.open.is_empty() => return self.end_branch(first == '}'),
            '[' => Token::Class(self.class()?),
            '\\' => Token::Literal(self.take()?),
            '?' => Token::Any,
            '/' => Token::Slash,
            _ => Token::Literal(first),
        };
        self.tokens.push(token);
        Some(())
    }

    fn take(&mut self) -> Option<char> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn stars(&mut self, is_part_start: bool) -> Token {
        let more = self.rest.iter().take_while(|character| **character == '*').count();
        self.rest = &self.rest[more..];
        if is_part_start && more == 1 {
            self.parts.push(self.tokens.len());
        }
        Token::Star { on_every_way: self.open.is_empty() }
    }

    fn end_branch(&mut self, is_last: bool) -> Option<()> {
        let (start, ends) = self.open.last_mut()?;
        ends.push(self.tokens.len());
        self.tokens.push(Token::Jump(0));
        let next = self.tokens.len();
        match &mut self.tokens[*start] {
            Token::Branches(starts) if !is_last => starts.push(next),
            _ => {
                let (_, ends) = self.open.pop()?;
                for end in ends {
                    self.tokens[end] = Token::Jump(next);
                }
            }
        }
        Some(())
    }

    /// Reads a class after its `[`.
    fn class(&mut self) -> Option<Class> {
        let negated = matches!(self.rest.first(), Some('!' | '^'));
        self.rest = &self.rest[usize::from(negated)..];
        let mut ranges = Vec::new();
        loop {
            let low = match self.take()? {
                ']' if !ranges.is_empty() => return Some(Class { negated, ranges }),
                low => self.literal(low)?,
            };
            let high = match self.rest {
                ['-', end, more @ ..] if *end != ']' => {
                    self.rest = more;
                    self.literal(*end)?
                }
                _ => low,
            };
            ranges.push((low, high));
        }
    }

    fn literal(&mut self, character: char) -> Option<char> {
        if character == '\\' { self.take() } else { Some(character) }
    }

    /// Returns the tokens, with ends of branches that lead on at once, and `**` that are whole parts as such.
    fn finished(mut self) -> Vec<Token> {
        for index in (0..self.tokens.len()).rev() {
            if let Token::Jump(to) = self.tokens[index] {
                self.tokens[index] = Token::Jump(self.landing(to));
            }
        }
        for index in std::mem::take(&mut self.parts) {
            let follower = self.landing(index + 1);
            match self.tokens.get(follower) {
                None => self.tokens[index] = Token::Everything,
                Some(Token::Slash) => self.tokens[index] = Token::Parts { after: follower + 1 },
                Some(_) => {}
            }
        }
        self.tokens
    }

    /// Returns the token that follows where an end of a branch may stand.
    fn landing(&self, index: usize) -> usize {
        match self.tokens.get(index) {
            Some(Token::Jump(to)) => *to,
            _ => index,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(pattern: &str, name: &str) -> Result<bool, TooManySteps> {
        let name: Vec<char> = name.chars().collect();
        Pattern::new(pattern).matches(&name, &mut Steps::default())
    }

    fn matches(pattern: &str, name: &str) -> bool {
        answer(pattern, name).unwrap()
    }

    /// What a program that uses such patterns answers.
    #[test]
    fn patterns_match_whole_names() {
        let rows = [
            ("pdf", "pdf", true),
            ("pdf", "PDF", false),
            ("pdf", "pdf-x", false),
            ("*", "pdf", true),
            ("*", "a/b", false),
            ("*", ".x", true),
            ("*", "", true),
            ("pdf-*", "pdf-", true),
            ("pdf-*", "pdf-a/b", false),
            ("**", "a/b", true),
            ("**/b", "a/b", true),
            ("**/b", "b", true),
            ("a/**", "a/b/c", true),
            ("?", "é", true),
            ("?", "", false),
            ("?", "ab", false),
            ("[12]", "2", true),
            ("[0-9]", "5", true),
            ("[!1]", "2", true),
            ("[^1]", "1", false),
            ("{a,b}-x", "b-x", true),
            ("{a,{b,c}}", "c", true),
            ("{a,b}", "c", false),
            ("{pdf,}", "", true),
            ("!pdf", "pdf", false),
            ("!pdf", "docx", true),
            ("!!pdf", "pdf", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a:b", "a:b", true),
            ("+(a)", "a", false),
            ("@(a|b)", "a", false),
            ("a,b", "a", false),
            ("a,b", "a,b", true),
            (" pdf", "pdf", false),
            ("p*f", "pdf", true),
            ("*-*", "a-b-c", true),
            ("[a", "[a", false),
            ("{a*,b}c", "axc", true),
            ("{a*,b}c", "ac/c", false),
            ("{a,{b,c}-*}/**/d", "c-x/y/z/d", true),
            ("{a/**,b}", "a/b/c", true),
            ("{a/**,b}/c", "a/b/c", true),
            ("{a/**,b}c", "a/b/c", false),
            ("**/a*b", "x/a/b", false),
            ("**/a*b", "a/x/ab", true),
            ("*/b*c", "a/bxc", true),
            ("a/***", "a/b/c", false),
            ("x**", "x/y", false),
            ("!{a", "b", true),
            ("a\\", "a", false),
            ("[]]", "]", true),
            ("}", "}", true),
        ];
        for (pattern, name, expected) in rows {
            assert_eq!(matches(pattern, name), expected, "{pattern:?} {name:?}");
        }
    }

    #[test]
    fn stars_and_braces_take_few_steps() {
        // Trying every way to divide the name among these would never end.
        let name = "a".repeat(100);
        let stars = "*a".repeat(400);
        assert!(!matches(&format!("{stars}b"), &name));
        assert!(matches(&"*a".repeat(100), &name));
        assert!(matches(&format!("!{}b", "{a*,*a,**}".repeat(40)), &name));
        assert!(!matches(&format!("{}b", "**/*a".repeat(40)), &"a/".repeat(50)));
    }

    #[test]
    fn patterns_of_any_length_and_depth_are_read() {
        assert!(matches(&"?".repeat(20_000), &"a".repeat(20_000)));
        assert!(matches(&format!("{}a{}", "{".repeat(10_000), "}".repeat(10_000)), "a"));
        assert!(matches(&"{a}".repeat(300), &"a".repeat(300)));
        assert!(!matches(&"{".repeat(60_000), "a"));
        assert!(matches("!x", &"a".repeat(20_000)));
    }

    #[test]
    fn what_takes_too_many_steps_has_no_answer() {
        let pattern = format!("*{}b", "?".repeat(2_000));
        assert_eq!(answer(&pattern, &"a".repeat(2_000)), Err(TooManySteps));
        assert_eq!(answer(&format!("!{pattern}"), &"a".repeat(2_000)), Err(TooManySteps));
    }
}
