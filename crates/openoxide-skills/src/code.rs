//! The codes of all findings and statuses: one row each, with a short title.
//!
//! A code never changes its meaning. The long text of each lives in `docs/diagnostics/`.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal, $title:literal;)*) => {
        /// What kind of finding or status something is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// Every code, in the order of their numbers.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Returns the code as users write it.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// Returns the title that heads the code's page.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }
        }
    };
}

codes! {
    // Finding and reading files.
    Unreadable = "S0001", "a file or folder cannot be read";
    NotRegular = "S0002", "not a regular file";
    NotUtf8 = "S0003", "not UTF-8 text";
    HeadTooLarge = "S0004", "the frontmatter is too long";
    LinkSkipped = "S0005", "a symbolic link that is not followed";
    LinkDangling = "S0006", "a symbolic link that leads nowhere";
    LinkCycle = "S0007", "a folder that was already searched";
    FileName = "S0008", "the file name is spelled differently";
    HiddenFolder = "S0009", "inside a hidden folder";
    InsideSkill = "S0010", "inside another skill";
    TooDeep = "S0011", "too deep below its root";
    FolderLimit = "S0012", "the limit on folders was reached";
    EntryLimit = "S0013", "the limit on entries was reached";
    NotInLayout = "S0014", "not where this host looks";
    IgnoredFolder = "S0015", "inside a folder that is never searched";
    FileTooLarge = "S0016", "the file is too large";
    SkillLimit = "S0017", "the limit on skills was reached";
    LinkLeadsOut = "S0018", "a symbolic link that leads where it may not";
    PartlyChecked = "S0019", "only the beginning of the file was checked";
    DeceptiveName = "S0020", "a name that can be mistaken for another";
    TextLimit = "S0021", "the limit on text was reached";
    // The frontmatter as a whole.
    NoFrontmatter = "S0100", "no frontmatter";
    Unclosed = "S0101", "the frontmatter is not closed";
    NameFolder = "S0102", "the name differs from its folder";
    BadYaml = "S0103", "the frontmatter is not valid YAML";
    NotMapping = "S0104", "the frontmatter is not a mapping";
    DuplicateKey = "S0105", "a key appears twice";
    Repaired = "S0106", "a value needs quotes";
    ByteOrderMark = "S0107", "a byte-order mark before the frontmatter";
    YamlFeature = "S0108", "YAML that the standard does not allow";
    YamlLimit = "S0109", "YAML beyond the limits";
    // Its fields.
    UnknownField = "S0110", "a field that is not in the standard";
    WrongType = "S0111", "a value of the wrong type";
    NameMissing = "S0112", "no name";
    NameEmpty = "S0113", "an empty name";
    NameLength = "S0114", "the name is too long";
    NameCase = "S0115", "the name has upper-case letters";
    NameHyphenEdge = "S0116", "the name starts or ends with a hyphen";
    NameHyphenDouble = "S0117", "the name has two hyphens in a row";
    NameCharacters = "S0118", "the name has characters that are not allowed";
    DescriptionMissing = "S0119", "no description";
    DescriptionEmpty = "S0120", "an empty description";
    DescriptionLength = "S0121", "the description is too long";
    CompatibilityLength = "S0122", "the compatibility text is too long";
    FieldNotRead = "S0123", "a field that an agent does not read";
    QualifiedNameLength = "S0124", "the name with its prefix is too long";
    MergeKey = "S0125", "a merge key brings fields from elsewhere";
    ForgedItem = "S0126", "a line of the description looks like another skill";
    HiddenText = "S0127", "text that people cannot see";
    Placeholder = "S0128", "the description is a placeholder";
    // Files beside it.
    SidecarInvalid = "S0201", "the metadata file is not usable";
    SidecarField = "S0202", "a field of the metadata file was dropped";
    ManifestInvalid = "S0203", "the plugin manifest is not usable";
    // Statuses.
    ShadowedName = "S0301", "shadowed by a skill of the same name";
    SameFile = "S0302", "the same file was found twice";
    DisabledBySetting = "S0303", "disabled by a setting";
    DisabledByItself = "S0304", "disabled by its own text";
    DormantPaths = "S0305", "waits until a matching file is touched";
    UntrustedLoses = "S0306", "an untrusted folder's skill loses its name";
    OtherProduct = "S0307", "made for other products";
    Ambiguous = "S0308", "the name is ambiguous";
    DormantRoot = "S0309", "waits until a file beside it is touched";
    Denied = "S0310", "denied by a permission rule";
    // Settings and hosts.
    ConfigInvalid = "S0401", "a configuration file is not usable";
    ConfigUnknownKey = "S0402", "an unknown configuration key";
    ConfigType = "S0403", "a configuration value of the wrong type";
    ConfigUntrusted = "S0404", "a project's configuration in an untrusted folder";
    HostInvalid = "S0405", "a host folder is not usable";
    HostFile = "S0406", "a program's own settings file is not usable";
    RootRefused = "S0407", "a root that is not used";
    TrustRefused = "S0408", "a trusted folder that other users can exchange";
}

impl Code {
    /// Finds a code by what users write, in any case.
    pub fn parse(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// Tells whether a search ended before all was looked at.
    pub fn is_limit(self) -> bool {
        matches!(self, Code::FolderLimit | Code::EntryLimit | Code::TextLimit)
    }

    /// Tells whether it says where a file is, not what is wrong with it: a host does not look there.
    pub fn is_about_place(self) -> bool {
        matches!(
            self,
            Code::HiddenFolder
                | Code::InsideSkill
                | Code::TooDeep
                | Code::NotInLayout
                | Code::IgnoredFolder
                | Code::FolderLimit
                | Code::EntryLimit
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_unique_and_found_again() {
        assert!(Code::ALL.windows(2).all(|pair| pair[0].as_str() < pair[1].as_str()));
        for code in Code::ALL {
            assert_eq!(Code::parse(&code.as_str().to_lowercase()), Some(*code));
        }
        assert_eq!(Code::parse("S9999"), None);
    }

    /// The limit on skills is a host's own: what it leaves out was looked at.
    #[test]
    fn every_limit_of_a_search_is_one() {
        let says_so = |code: &Code| code.title().starts_with("the limit on") && *code != Code::SkillLimit;
        assert!(Code::ALL.iter().all(|code| code.is_limit() == says_so(code)));
    }
}
