//! Addresses of skills and their files: `skill://NAME` and `skill://NAME/PATH`.

use super::ResourcePath;
use crate::host::{PathLeniency, ReadProblem, ResourceRules};

/// What an address begins with, in any case of letters.
const SCHEME: &str = "skill://";

/// An address, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillUrl {
    /// The skill's name, compared exactly.
    pub name: String,
    /// The file; absent means the skill's own.
    pub path: Result<Option<ResourcePath>, ReadProblem>,
}

impl SkillUrl {
    /// Tells whether a text is meant as an address.
    pub fn is_url(text: &str) -> bool {
        text.get(..SCHEME.len()).is_some_and(|start| start.eq_ignore_ascii_case(SCHEME))
    }

    /// Takes an address apart. The name is everything up to the next `/`, `?` or `#`; what follows `?` or `#` is passed
    /// over; both parts are decoded once.
    ///
    /// A bad path is not an error yet: whether the skill is known is asked first.
    pub fn parse(text: &str, rules: &ResourceRules) -> Result<SkillUrl, ReadProblem> {
        let rest = text.get(SCHEME.len()..).filter(|_| SkillUrl::is_url(text)).ok_or(ReadProblem::NoName)?;
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
        if name.is_empty() {
            return Err(ReadProblem::NoName);
        }
        // A name that cannot be decoded is looked for as it is written: nothing else could have that name.
        let decoded = decoded(name).and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(SkillUrl { name: decoded.unwrap_or_else(|| name.to_owned()), path: path_of(path, rules) })
    }
}

fn path_of(raw: &str, rules: &ResourceRules) -> Result<Option<ResourcePath>, ReadProblem> {
    if raw.starts_with('/') {
        return Err(ReadProblem::Absolute);
    }
    // Climbing is looked for before anything is tidied: an address that climbs out must not end at another file.
    let mut parts: Vec<&str> = Vec::new();
    for part in raw.split('/') {
        match part.to_ascii_lowercase().replace("%2e", ".").as_str() {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or(ReadProblem::Traversal)?;
            }
            _ => parts.push(part),
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let bytes = decoded(&parts.join("/")).ok_or(ReadProblem::Encoding)?;
    // What decoding brought to light: a separator, and with it another `..`.
    let backslash_parent = || bytes.split(|byte| matches!(byte, b'/' | b'\\')).any(|name| name == b"..");
    if !rules.lenient.contains(&PathLeniency::EncodedParents) && backslash_parent() {
        return Err(ReadProblem::Traversal);
    }
    match ResourcePath::from_bytes(&bytes) {
        Err(ReadProblem::Itself) => Ok(None),
        outcome => outcome.map(Some),
    }
}

/// Decodes `%NN` once; `None` if a `%` is followed by anything else.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(text: &str, rules: &ResourceRules) -> String {
        match SkillUrl::parse(text, rules) {
            Err(problem) => problem.as_str().to_owned(),
            Ok(SkillUrl { name, path: Err(problem) }) => format!("{name} {}", problem.as_str()),
            Ok(SkillUrl { name, path: Ok(None) }) => name,
            Ok(SkillUrl { name, path: Ok(Some(path)) }) => format!("{name} {:?}", path.as_path()),
        }
    }

    #[test]
    fn addresses_are_taken_apart() {
        let cases = [
            ("skill://pdf", "pdf"),
            ("skill://pdf/", "pdf"),
            ("skill://pdf/.", "pdf"),
            ("skill://pdf?x#y", "pdf"),
            ("skill://pdf#y/../../x", "pdf"),
            ("SKILL://pdf", "pdf"),
            ("Skill://PDF", "PDF"),
            ("skill://", "no-name"),
            ("skill:///SKILL.md", "no-name"),
            ("skill://?x", "no-name"),
            ("skill://pdf/references/tables.md", r#"pdf "references/tables.md""#),
            ("skill://pdf/./SKILL.md", r#"pdf "SKILL.md""#),
            ("skill://pdf/references/", r#"pdf "references""#),
            ("skill://pdf/../ns/SKILL.md", "pdf traversal"),
            ("skill://pdf/%2e%2e/ns/SKILL.md", "pdf traversal"),
            ("skill://pdf/.%2E/ns", "pdf traversal"),
            ("skill://pdf/references/../../ns/SKILL.md", "pdf traversal"),
            ("skill://pdf/references/../SKILL.md", r#"pdf "SKILL.md""#),
            ("skill://pdf/..%2Fns%2FSKILL.md", "pdf traversal"),
            ("skill://pdf/references%2F..%2FSKILL.md", "pdf traversal"),
            ("skill://pdf/references%5C..%5CSKILL.md", "pdf traversal"),
            ("skill://pdf//etc/passwd", "pdf absolute"),
            ("skill://pdf/%2Fetc%2Fpasswd", "pdf absolute"),
            ("skill://pdf/~/x", "pdf home"),
            ("skill://pdf/..hidden", r#"pdf "..hidden""#),
            ("skill://pdf/a%20b c.md", r#"pdf "a b c.md""#),
            ("skill://pdf/what%3F.md", r#"pdf "what?.md""#),
            ("skill://pdf/a%2520b.md", r#"pdf "a%20b.md""#),
            ("skill://pdf/bad%zz", "pdf encoding"),
            ("skill://pdf/bad%", "pdf encoding"),
            ("skill://pdf/bad%1", "pdf encoding"),
            ("skill://pdf/bad%é9", "pdf encoding"),
            ("skill://pdf/a%00b", "pdf nul"),
            ("skill://pdf/%ff.md", r#"pdf "\xFF.md""#),
            ("skill://My Skill", "My Skill"),
            ("skill://My%20Skill/a", r#"My Skill "a""#),
            ("skill://plug:sk/p", r#"plug:sk "p""#),
            ("skill://plug%3Ask", "plug:sk"),
            ("skill://plug:sk/../x", "plug:sk traversal"),
            ("skill://user@pdf/x", r#"user@pdf "x""#),
            ("skill://pdf:80/x", r#"pdf:80 "x""#),
            ("skill://bad%zz", "bad%zz"),
        ];
        for (text, drawn) in cases {
            assert_eq!(draw(text, &ResourceRules::default()), drawn, "{text}");
        }
    }

    #[test]
    fn an_encoded_parent_may_stay_inside_where_the_host_says_so() {
        let rules = ResourceRules { lenient: vec![PathLeniency::EncodedParents], ..ResourceRules::default() };
        assert_eq!(draw("skill://pdf/references%2F..%2FSKILL.md", &rules), r#"pdf "SKILL.md""#);
        assert_eq!(draw("skill://pdf/..%2Fns%2FSKILL.md", &rules), "pdf traversal");
        assert_eq!(draw("skill://pdf/a%2F..", &rules), "pdf");
    }

    #[test]
    fn only_addresses_are_addresses() {
        assert!(SkillUrl::is_url("sKiLl://x"));
        assert!(
            ["skill:/x", "skills://x", "pdf", "", "skill:", "éskill://x"].iter().all(|text| !SkillUrl::is_url(text))
        );
    }
}
