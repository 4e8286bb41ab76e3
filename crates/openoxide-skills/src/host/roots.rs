//! Where a host looks for skills and how it searches there; how its program and the root of a project are found.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::skill::SkillScope;

/// One place, or one family of places, where skills are looked for.
///
/// `path` may hold `~`, `${VAR}`, `${VAR:-default}`, a name from `vars`, and one walk:
/// `{project}` the project's root; `{cwd}`; `{up}` each folder from cwd up to the project's root; `{down}` the same,
/// from the top; `{top}` from cwd up to the filesystem's root; `{below}` each folder between cwd and a touched file;
/// `{added}` each folder added on the command line; `{listed}` each folder that `listed` names.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RootRule {
    /// The folder, with placeholders.
    pub path: String,
    /// Whose root it is.
    pub scope: SkillScope,
    /// The provider that people know the place by.
    pub provider: Option<String>,
    /// Whether only a part of the agent, such as one of its modes, looks here, so that no skill is linked into it.
    #[serde(default)]
    pub narrow: bool,
    /// Roots that stand in a row with the same word here, and walk the same way, take turns at each folder of the walk.
    pub together: Option<String>,
    /// Whether folders that are listed, here and in rules that belong together with this one, go by their paths.
    #[serde(default)]
    pub sorted: bool,
    /// Roots with the same group are listed together, as if they were one.
    pub group: Option<String>,
    /// Settings of which at least one must be on.
    #[serde(default)]
    pub switches: Vec<String>,
    /// Settings that must all be on.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The setting whose list of folders `{listed}` stands for.
    pub listed: Option<String>,
    /// Where relative folders in that list start, with placeholders; absent: at cwd.
    pub listed_from: Option<String>,
    /// Folders of that list that also stand for those of the same name further up, to the filesystem's root.
    #[serde(default)]
    pub climbing: Vec<String>,
    /// A folder that is not taken, because another root covers it.
    pub unless_same: Option<String>,
    /// Another depth or layout than the host's own.
    pub layout: Option<Layout>,
    /// The key of a plugin's manifest that adds to this folder, or replaces it.
    pub manifest_folders: Option<String>,
    /// Whether a skill here gives way to one of the same name elsewhere in its plugin.
    #[serde(default)]
    pub yields: bool,
    /// A folder that must not be there, for this root to count.
    pub without_folder: Option<String>,
    /// Whether a file directly in the root makes the root itself a skill, if not as the host's rules say.
    pub root_itself: Option<bool>,
    /// Whether folders whose name begins with a dot are searched, if not as the host's rules say.
    pub hidden: Option<FolderNames>,
    /// Whether a skill's own folder is searched for more skills, if not as the host's rules say.
    pub inside_skill: Option<bool>,
    /// Folder names that are never searched, if not as the host's rules say.
    pub ignored: Option<Vec<String>>,
    /// Another rule for linked folders than the host's own.
    pub folder_links: Option<Links>,
    /// How a skill is called whose name a root before this one already has, such as `{rel}:{name}`; notes that the texts
    /// have for nested skills follow the descriptions here.
    pub on_clash: Option<String>,
    /// What stands in for a missing description here.
    pub description_empty: Option<String>,
    /// Whether the model sees only skills with a description of their own.
    #[serde(default)]
    pub described_only: bool,
    /// Whether a skill here without a description of its own is invalid.
    #[serde(default)]
    pub description_required: bool,
    /// Whether descriptions here become one line without control characters, angle brackets and backticks.
    #[serde(default)]
    pub plain_descriptions: bool,
    /// Whether a skill here takes its name from roots before this one that do not say so too.
    #[serde(default)]
    pub overrides: bool,
    /// What a name here must look like, besides the host's own rules.
    pub names: Option<super::NameShape>,
    /// Whether settings that name skills have no effect here.
    #[serde(default)]
    pub unfiltered: bool,
    /// Controls that have no effect here.
    #[serde(default)]
    pub without: Vec<super::Control>,
}

/// How a root is searched.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScanRules {
    /// How skills lie below a root.
    pub layout: Layout,
    /// File names that make a folder a skill, best first.
    pub files: Vec<String>,
    /// Deepest folder that may be a skill; the root is 0.
    pub depth: usize,
    /// Most folders opened below one root.
    pub folders: usize,
    /// Most entries examined below one root.
    pub entries: usize,
    /// Whether a file directly in the root makes the root itself a skill.
    pub root_itself: bool,
    /// Whether a skill's own folder is searched for more skills.
    pub inside_skill: bool,
    /// Whether folders whose name begins with a dot are searched.
    pub hidden: FolderNames,
    /// Folder names that are never searched.
    pub ignored: Vec<String>,
    /// Linked folders.
    pub folder_links: Links,
    /// A skill file that is itself a link.
    pub file_links: Links,
    /// Largest file that counts, in bytes.
    pub file_max: Option<u64>,
}

impl Default for ScanRules {
    fn default() -> Self {
        ScanRules {
            layout: Layout::Tree,
            files: vec!["SKILL.md".to_owned()],
            depth: 6,
            folders: 50_000,
            entries: 200_000,
            root_itself: false,
            inside_skill: false,
            hidden: FolderNames::Skip,
            ignored: Vec::new(),
            folder_links: Links::Follow,
            file_links: Links::Skip,
            file_max: None,
        }
    }
}

/// How skills lie below a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// In folders at any depth.
    #[default]
    Tree,
    /// In folders directly below the root.
    Child,
    /// As single Markdown files, at any depth; a folder becomes part of the name.
    Flat,
    /// The root itself is the one skill.
    Single,
    /// As single Markdown files directly in the root.
    Files,
}

impl Layout {
    /// Tells whether skills are single files.
    pub fn is_flat(self) -> bool {
        matches!(self, Layout::Flat | Layout::Files)
    }
}

/// Whether some folders are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FolderNames {
    /// They are.
    Enter,
    /// They are not.
    #[default]
    Skip,
}

/// Whether links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// They are.
    #[default]
    Follow,
    /// They are passed over.
    Skip,
}

/// Manifests that prefix the names of the skills below them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NamespaceRules {
    /// Manifest paths inside a folder, best first.
    pub manifests: Vec<String>,
    /// Which folders are looked at for manifests.
    pub folders: ManifestFolders,
    /// Which characters a prefix may have; another one gives none.
    pub chars: super::Chars,
    /// Longest name with its prefix.
    pub max: Option<usize>,
    /// How the name of a plugin becomes a prefix.
    pub plugins: PluginPrefix,
}

/// Which folders are looked at for manifests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestFolders {
    /// Those from the skill's own up to the root.
    #[default]
    InRoot,
    /// Those above the skill's own up to the root: what holds a skill is not a plugin that holds skills.
    AboveSkill,
    /// Those from the skill's own up to the filesystem's root.
    ToTop,
}

/// How the name of a plugin becomes a prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PluginPrefix {
    /// As it is.
    #[default]
    Whole,
    /// Characters of a prefixed name other than letters, digits, `_` and `-` become `-`.
    Plain,
    /// Not at all: the skills of plugins keep their bare names.
    None,
}

/// How the project's root is found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectRules {
    /// Files or folders that mark it; the nearest folder from cwd up that holds one is the root.
    pub markers: Vec<String>,
    /// What is the root when nothing marks it.
    pub unmarked: Unmarked,
    /// Whether folders from the user's home upward are never part of a project.
    pub below_home: bool,
}

impl Default for ProjectRules {
    fn default() -> Self {
        ProjectRules { markers: vec![".git".to_owned()], unmarked: Unmarked::Cwd, below_home: false }
    }
}

/// What is the project's root when nothing marks it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unmarked {
    /// The folder that was started in.
    #[default]
    Cwd,
    /// The root of the filesystem.
    Top,
    /// The user's home; the root of the filesystem where cwd is not below it.
    Home,
}

/// What shows that the program is there. Looking for it runs nothing.
///
/// The last part of a path may end in `*`, which stands for any ending: a folder with a version in its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FoundRules {
    /// Names of the program on `PATH`, best first; one with a `/` is a path, with placeholders as in roots.
    pub programs: Vec<String>,
    /// Files or folders of the user that the program makes, with placeholders as in roots.
    pub home: Vec<String>,
    /// Files or folders of a project that are for this program, seen from each folder between cwd and the project's root.
    pub project: Vec<String>,
}
