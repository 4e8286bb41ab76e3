//! Tells what a skill's file says as any host reads it: whether it keeps the skill from the model, and what it is called.

use std::collections::BTreeSet;

use super::fields::{CONTROLS_OF_MODEL, is_alike, line_keeps_from_model};
use super::{Head, Parsed, Readings};
use crate::diagnostic::Code;
use crate::host::Hosts;

/// Reads a skill's file in the way of every host at once.
///
/// Hosts differ in where the frontmatter begins and ends and in what they make of bad YAML. A caller that chooses the host must
/// not thereby decide whether a skill is for people only, or which rules apply to it.
#[derive(Clone, Debug, Default)]
pub struct CarefulReader(Readings);

/// What is asked of a file besides whether it keeps the skill from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarefulNames {
    /// What hosts call the skill.
    Wanted,
    /// Nothing: no rule means a skill by its name.
    Unused,
}

/// What a file says as any host reads it.
#[derive(Debug, Default)]
pub(crate) struct CarefulReading {
    pub(crate) keeps_from_model: bool,
    /// What hosts call the skill.
    pub(crate) names: BTreeSet<String>,
}

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

    /// Reads the beginning of a file. Where a host cannot tell what the fields are, a line that looks like a field counts.
    pub(crate) fn read(&self, bytes: &[u8], whole: bool, folder: &str, names: CarefulNames) -> CarefulReading {
        let has_control = mentions_control(bytes);
        if !has_control && names == CarefulNames::Unused {
            return CarefulReading::default();
        }
        let head = Head { bytes, text: std::str::from_utf8(bytes), whole, folder, real_folder: folder };
        // What does not end within what was read cannot be judged.
        let Some(readings) = self.0.read(head) else {
            return CarefulReading { keeps_from_model: has_control, names: names_in_lines(bytes) };
        };
        let is_unclear = bytes.contains(&0) || readings.iter().any(|parsed| is_unclear(parsed));
        let keeps = readings.iter().any(|parsed| parsed.frontmatter.keeps_from_model);
        let mut names: BTreeSet<String> = readings.iter().flat_map(|parsed| names_of(parsed)).collect();
        if is_unclear {
            names.extend(names_in_lines(bytes));
        }
        CarefulReading { keeps_from_model: has_control && (keeps || (is_unclear && a_line_keeps(bytes))), names }
    }
}

fn names_of(parsed: &Parsed) -> impl Iterator<Item = String> {
    let declared = parsed.frontmatter.declared_name.as_deref();
    [Some(&*parsed.name), parsed.own_name.as_deref(), declared].into_iter().flatten().map(str::to_owned)
}

/// Returns the values of lines that look like the name of a skill, wherever they stand.
fn names_in_lines(bytes: &[u8]) -> BTreeSet<String> {
    let bare = |text: &str| text.trim_matches(|sign: char| sign.is_whitespace() || "\"'?".contains(sign)).to_owned();
    let in_text = |text: &String| -> Vec<String> {
        let parts = text.split(LINE_ENDS).flat_map(|line| line.split(['{', '}', ',']));
        let fields = parts.filter_map(|part| part.split_once(':'));
        fields.filter(|(key, _)| is_alike(&bare(key), "name")).map(|(_, value)| bare(value)).collect()
    };
    spellings(bytes).iter().flat_map(in_text).collect()
}

/// Returns a text as it is written, and without comments, which some hosts take out.
fn spellings(bytes: &[u8]) -> [String; 2] {
    let text = String::from_utf8_lossy(bytes).replace(['\0', '\u{feff}'], "");
    let mut bare = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(COMMENT) {
        let Some(length) = rest[start..].find("-->") else { break };
        bare.push_str(&rest[..start]);
        rest = &rest[start + length + "-->".len()..];
    }
    bare.push_str(rest);
    [text, bare]
}

const COMMENT: &str = "<!--";

/// What ends a line in some host.
const LINE_ENDS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// Tells whether a name of such a field is anywhere in a text, or may be: an escape can stand for any letter, and a comment
/// between letters is taken out by some hosts.
fn mentions_control(bytes: &[u8]) -> bool {
    let letters = bytes.iter().filter(|byte| !b"-_\0".contains(byte)).map(u8::to_ascii_lowercase);
    let letters: Vec<u8> = letters.collect();
    let stands = |name: &str| {
        let name = name.replace('-', "");
        letters.windows(name.len()).any(|part| part == name.as_bytes())
    };
    let has_comment = bytes.windows(COMMENT.len()).any(|part| part == COMMENT.as_bytes());
    has_comment || bytes.contains(&b'\\') || CONTROLS_OF_MODEL.iter().any(|(name, _)| stands(name))
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
    let keeps = |text: &String| {
        let mut lines = text.split(LINE_ENDS).skip_while(|line| line.trim().is_empty());
        let opening = lines.next().into_iter();
        let head = opening.chain(lines.take_while(|line| line.trim_end() != "---"));
        head.flat_map(|line| line.split(['{', '}', ','])).any(line_keeps_from_model)
    };
    spellings(bytes).iter().any(keeps)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::host::ParseRules;
    use crate::parse::parse_head;

    fn keeps(text: impl AsRef<[u8]>) -> bool {
        let reader = CarefulReader::of(&Hosts::builtin());
        reader.read(text.as_ref(), true, "x", CarefulNames::Unused).keeps_from_model
    }

    #[test]
    fn what_one_host_reads_counts_for_all() {
        let padded = format!("---\nname: x\nmore: {}\ndisable-model-invocation: true\n---\n", "y".repeat(70_000));
        let wide: Vec<u8> = "---\ndisable-model-invocation: true\n---\n".bytes().flat_map(|byte| [byte, 0]).collect();
        let texts: [&[u8]; 22] = [
            b"---\nname: x\ndisable-model-<!-- x -->invocation: true\n---\nBody\n",
            b"---\nname: x\nhi<!-- -->de: true\n---\nBody\n",
            b"---\nname: x\nena<!---->bled: false\n---\nBody\n",
            b"---\nname: [x\nhi<!-- -->de: true\n---\nBody\n",
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
        let keeps = |text: &[u8]| reader.read(text, false, "x", CarefulNames::Unused).keeps_from_model;
        assert!(keeps(b"---\nname: x\n# hide\n"));
        assert!(!keeps(b"---\nname: x\n---\nhide and seek, and a longer text than that\n"));
    }

    #[test]
    fn a_skill_has_the_names_that_any_host_reads() {
        let reader = CarefulReader::of(&Hosts::builtin());
        for text in [
            "---\nname: secret\ndescription: X\n---\n",
            "---\ndescription: a --- b\nname: secret\n---\n",
            "---\ndescription: |\n  a\n  ---\n  b\nname: secret\n---\n",
            "\n\n---\nname: secret\ndescription: X\n---\n",
            "---\rname: secret\rdescription: X\r---\r",
            "  ---\nname: secret\ndescription: X\n  ---\n",
            "---yaml\nname: secret\ndescription: X\n---\n",
            "<!-- x -->---\nname: secret\ndescription: X\n---\n",
            "---\n<<: {name: secret}\ndescription: X\n---\n",
            "---\nbase: &m {name: secret}\n<<: *m\ndescription: X\n---\n",
            "---\nname: secret\ndescription: X\nno end\n",
            "---\nname: secret\ndescription: [X\n---\n",
            "---\nname: \0secret\ndescription: X\n---\n",
        ] {
            let names = reader.read(text.as_bytes(), true, "folder", CarefulNames::Wanted).names;
            assert!(names.contains("secret"), "{text:?}: {names:?}");
        }
        let example = b"---\nname: x\ndescription: X\n---\nname: secret\n";
        assert!(!reader.read(example, true, "x", CarefulNames::Wanted).names.contains("secret"));
    }

    static ALL: LazyLock<CarefulReader> = LazyLock::new(|| CarefulReader::of(&Hosts::builtin()));
    static EACH: LazyLock<Vec<(String, ParseRules)>> =
        LazyLock::new(|| Hosts::builtin().all().map(|spec| (spec.name.clone(), spec.host().unwrap().parse)).collect());

    /// Pieces of frontmatter that hosts read in different ways.
    fn pieces() -> impl Strategy<Value = String> {
        let field = prop::sample::select(vec![
            "disable-model-invocation",
            "disable_model_invocation",
            "DISABLE-MODEL-INVOCATION",
            "hide",
            "enabled",
            "name",
            "description",
        ]);
        let value = prop::sample::select(vec!["true", "false", "yes", "[true]", "perhaps", "|", "x: y", "\"true\""]);
        let mark = prop::sample::select(vec![
            "---",
            "---\n",
            "\n---\n",
            "\n",
            "\r",
            "\r\n",
            " ",
            "<!--",
            "-->",
            "<!-- x -->",
            "\u{feff}",
            "{",
            "}",
            ", ",
            "- ",
            "  ",
            "\\",
            "#",
            "<<: ",
            "&a ",
            "*a",
            "...",
            "\t",
            "\u{85}",
            "hi",
            "de: true",
            "text",
        ]);
        let piece = prop_oneof![
            3 => (field, value).prop_map(|(field, value)| format!("{field}: {value}\n")),
            2 => mark.prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..9).prop_map(|pieces| format!("---\n{}", pieces.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn no_host_alone_keeps_what_all_together_give(text in pieces(), is_opened in any::<bool>()) {
            let text = if is_opened { text.as_str() } else { &text[4..] };
            let head =
                Head { bytes: text.as_bytes(), text: Ok(text), whole: true, folder: "x", real_folder: "x" };
            let keeps_in = |(_, rules): &&(String, ParseRules)| {
                parse_head(head, rules).is_some_and(|parsed| parsed.frontmatter.keeps_from_model)
            };
            let keeping: Vec<&String> = EACH.iter().filter(keeps_in).map(|(name, _)| name).collect();
            let together = ALL.read(text.as_bytes(), true, "x", CarefulNames::Unused).keeps_from_model;
            prop_assert!(keeping.is_empty() || together, "{keeping:?} keep {text:?}");
        }
    }
}
