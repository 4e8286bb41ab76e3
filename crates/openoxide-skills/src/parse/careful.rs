//! Tells whether a skill's file keeps it from the model as any host reads it.

use super::fields::{CONTROLS_OF_MODEL, line_keeps_from_model};
use super::{Head, Parsed, Readings};
use crate::diagnostic::Code;
use crate::host::Hosts;

/// Reads a skill's file in the way of every host at once.
///
/// Hosts differ in where the frontmatter begins and ends and in what they make of bad YAML. Who may choose the host must not
/// choose with it whether a skill is for people only.
#[derive(Clone, Debug, Default)]
pub struct CarefulReader(Readings);

impl CarefulReader {
    /// Makes a reader that knows the ways of these hosts, in every edition.
    pub fn of(hosts: &Hosts) -> CarefulReader {
        let mut readings = Readings::default();
        for spec in hosts.all() {
            let editions = spec.editions().filter_map(|edition| hosts.get(&format!("{}@{edition}", spec.name)).ok());
            let specs = std::iter::once(spec.clone()).chain(editions);
            specs.filter_map(|spec| spec.host().ok()).for_each(|host| readings.add(&host.parse));
        }
        CarefulReader(readings)
    }

    /// Tells whether the beginning of a file keeps the skill from the model, as some host reads it. Where a host cannot tell
    /// what the fields are, a line that looks like such a field counts.
    pub(crate) fn keeps_from_model(&self, bytes: &[u8], whole: bool) -> bool {
        if !mentions_control(bytes) {
            return false;
        }
        let head = Head { bytes, text: std::str::from_utf8(bytes), whole, folder: "", real_folder: "" };
        // What does not end within what was read cannot be judged.
        let Some(readings) = self.0.read(head) else { return true };
        let is_unclear = bytes.contains(&0) || readings.iter().any(|parsed| is_unclear(parsed));
        readings.iter().any(|parsed| parsed.frontmatter.keeps_from_model) || (is_unclear && a_line_keeps(bytes))
    }
}

/// Tells whether a name of such a field is anywhere in a text, or may be: an escape can stand for any letter.
fn mentions_control(bytes: &[u8]) -> bool {
    let letters = bytes.iter().filter(|byte| !b"-_\0".contains(byte)).map(u8::to_ascii_lowercase);
    let letters: Vec<u8> = letters.collect();
    let stands = |name: &str| {
        let name = name.replace('-', "");
        letters.windows(name.len()).any(|part| part == name.as_bytes())
    };
    bytes.contains(&b'\\') || CONTROLS_OF_MODEL.iter().any(|(name, _)| stands(name))
}

/// Tells whether a host could not tell what the fields are.
fn is_unclear(parsed: &Parsed) -> bool {
    parsed.problems.iter().any(|problem| {
        matches!(
            problem.code,
            Code::Unclosed
                | Code::HeadTooLarge
                | Code::BadYaml
                | Code::NotMapping
                | Code::YamlLimit
                | Code::YamlFeature
        )
    })
}

/// Tells whether a line of the head looks like a field that keeps the skill from the model. The head ends where the strictest
/// host ends it: at a line of dashes alone.
fn a_line_keeps(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).replace(['\0', '\u{feff}'], "");
    let mut lines =
        text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).skip_while(|line| line.trim().is_empty());
    let opening = lines.next().into_iter();
    let head = opening.chain(lines.take_while(|line| line.trim_end() != "---"));
    head.flat_map(|line| line.split(['{', '}', ','])).any(line_keeps_from_model)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(text: impl AsRef<[u8]>) -> bool {
        CarefulReader::of(&Hosts::builtin()).keeps_from_model(text.as_ref(), true)
    }

    #[test]
    fn what_one_host_reads_counts_for_all() {
        let padded = format!("---\nname: x\nmore: {}\ndisable-model-invocation: true\n---\n", "y".repeat(70_000));
        let wide: Vec<u8> = "---\ndisable-model-invocation: true\n---\n".bytes().flat_map(|byte| [byte, 0]).collect();
        let texts: [&[u8]; 18] = [
            b"---\nname: x\ndisable-model-invocation: true\n---\nBody\n",
            b"---\ndescription: |\n  a\n  ---\n  b\ndisable-model-invocation: true\n---\nBody\n",
            b"---\ndescription: a --- b\nDisable_Model_Invocation: yes\n---\nBody\n",
            b"\n\n---\nname: x\ndisable-model-invocation: true\n---\nBody\n",
            b"  ---\nname: x\ndisable-model-invocation: true\n  ---\nBody\n",
            b"---\rname: x\rdisable-model-invocation: true\r---\rBody\r",
            b"\xef\xbb\xbf---\nname: x\ndisable-model-invocation: true\n---\nBody\n",
            b"<!-- x -->---\nname: x\ndisable-model-invocation: true\n---\nBody\n",
            b"---js\nname: x\ndisable-model-invocation: true\n---\nBody\n",
            b"---\nname: x\ndisable-model-invocation: true\nBody without an end\n",
            b"---\nname: [x\n'disable-model-invocation' : true # why\n---\nBody\n",
            b"---\n{name: x, disable-model-invocation: true, [\n---\nBody\n",
            b"---\nname: x\xff\ndisable-model-invocation: true\n---\nBody\n",
            b"---\nname: x\n\"disable\\x2dmodel-invocation\": true\n---\nBody\n",
            b"---\nname: x\nhide: true\n---\nBody\n",
            b"---\nname: x\nenabled: false\n---\nBody\n",
            padded.as_bytes(),
            &wide,
        ];
        for text in texts {
            assert!(keeps(text), "{}", String::from_utf8_lossy(&text[..text.len().min(200)]));
        }
    }

    #[test]
    fn what_no_host_reads_as_a_field_closes_nothing() {
        let example =
            "```yaml\n---\nname: y\ndisable-model-invocation: true\n---\n```\ndisable-model-invocation: true\n";
        for head in [
            "---\nname: x\ndescription: X\n---\n",
            "---\nname: x\ndescription: Explains `disable-model-invocation: true`\n---\n",
            "---\nname: x\ndescription: |\n  Says what this does:\n  disable-model-invocation: true\n---\n",
            "---\nname: x\ndisable-model-invocation: false\nhide: no\nenabled: true\n---\n",
            "---\nname: x\ndisable-model-invocation:\n---\n",
            "---\nname: x\ndescription: X\nmetadata:\n  disable-model-invocation: true\n---\n",
            "---\nname: [x\ndisable-model-invocation: false\n---\n",
            "---\r\nname: x\r\n---\r\n",
            "# No frontmatter\n\n",
            "",
        ] {
            assert!(!keeps(format!("{head}{example}")), "{head}");
        }
    }

    #[test]
    fn what_does_not_end_within_what_was_read_closes() {
        let reader = CarefulReader::of(&Hosts::builtin());
        assert!(reader.keeps_from_model(b"---\nname: x\n# hide\n", false));
        assert!(!reader.keeps_from_model(b"---\nname: x\n---\nhide and seek, and a longer text than that\n", false));
    }
}
