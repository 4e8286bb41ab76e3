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
    /// Whether only a part of the agent, such as one of its modes, looks here; `link` never uses it.
    #[serde(default)]
    pub narrow: bool,
    /// Neighboring roots with the same word here are searched together, folder by folder.
    pub together: Option<String>,
    /// Whether the folders of `listed` are sorted by path, together with those of roots with the same `together`.
    #[serde(default)]
    pub sorted: bool,
    /// Roots with the same group are listed as one.
    pub group: Option<String>,
    /// At least one of these settings must be on.
    #[serde(default)]
    pub switches: Vec<String>,
    /// All of these settings must be on.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The setting that lists the folders for `{listed}`.
    pub listed: Option<String>,
    /// The folder that relative paths in that list start from, with placeholders; absent: cwd.
    pub listed_from: Option<String>,
    /// Folders of that list that are also looked for in every folder above.
    #[serde(default)]
    pub climbing: Vec<String>,
    /// Not searched if it is this folder, which another root covers.
    pub unless_same: Option<String>,
    /// How skills are laid out here, if not as in `scan`.
    pub layout: Option<Layout>,
    /// The key of a plugin's manifest that names more folders, or other ones.
    pub manifest_folders: Option<String>,
    /// Whether a skill here loses to one of the same name elsewhere in its plugin.
    #[serde(default)]
    pub yields: bool,
    /// Not searched if it has this folder inside.
    pub without_folder: Option<String>,
    /// Whether a file directly in the root makes the root itself a skill, if not as in `scan`.
    pub root_itself: Option<bool>,
    /// Hidden folders, if not as in `scan`.
    pub hidden: Option<FolderNames>,
    /// Whether a skill's own folder is searched for more skills, if not as in `scan`.
    pub inside_skill: Option<bool>,
    /// Folder names that are never searched, if not as in `scan`.
    pub ignored: Option<Vec<String>>,
    /// Linked folders, if not as in `scan`.
    pub folder_links: Option<Links>,
    /// How a skill is called whose name a root before this one already has, such as `{rel}:{name}`; notes that the texts
    /// have for nested skills follow the descriptions here.
    pub on_clash: Option<String>,
    /// The description of a skill here that has none.
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
    /// Whether a skill here wins over skills of the same name in earlier roots without this rule.
    #[serde(default)]
    pub overrides: bool,
    /// The shape of names here, in addition to `parse.name`.
    pub names: Option<super::NameShape>,
    /// Whether settings cannot switch skills here off.
    #[serde(default)]
    pub unfiltered: bool,
    /// Whether files of one folder stand together in lists, each folder where its first file would stand.
    #[serde(default)]
    pub folders_together: bool,
    /// Frontmatter controls that are ignored here.
    #[serde(default)]
    pub without: Vec<super::Control>,
}

impl RootRule {
    /// Tells whether it is a place in the folders that were added on the command line.
    pub fn is_added(&self) -> bool {
        self.path.starts_with("{added}")
    }
}

/// How a root is searched.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScanRules {
    /// How skills are laid out below a root.
    pub layout: Layout,
    /// File names that make a folder a skill, best first.
    pub files: Vec<String>,
    /// Deepest level of a skill's folder; the root is level 0.
    pub depth: usize,
    /// Most folders that are opened below one root.
    pub folders: usize,
    /// Most files and folders that are looked at below one root.
    pub entries: usize,
    /// Whether a file directly in the root makes the root itself a skill.
    pub root_itself: bool,
    /// Whether a skill's own folder is searched for more skills.
    pub inside_skill: bool,
    /// Hidden folders.
    pub hidden: FolderNames,
    /// Folder names that are never searched.
    pub ignored: Vec<String>,
    /// Linked folders.
    pub folder_links: Links,
    /// A skill file that is a link.
    pub file_links: Links,
    /// Largest skill file, in bytes.
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

/// How skills are laid out below a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Folders at any depth.
    #[default]
    Tree,
    /// Folders directly below the root.
    Child,
    /// Single Markdown files at any depth; folders become part of the name.
    Flat,
    /// The root itself is the only skill.
    Single,
    /// Single Markdown files directly in the root.
    Files,
}

impl Layout {
    /// Tells whether skills are single files.
    pub fn is_flat(self) -> bool {
        matches!(self, Layout::Flat | Layout::Files)
    }
}

/// What happens to some folders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FolderNames {
    /// Searched.
    Enter,
    /// Skipped.
    #[default]
    Skip,
}

/// What happens to links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// Followed.
    #[default]
    Follow,
    /// Skipped.
    Skip,
}

/// Manifests that prefix the names of the skills below them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NamespaceRules {
    /// Manifest files inside a folder, best first.
    pub manifests: Vec<String>,
    /// Which folders are searched for manifests.
    pub folders: ManifestFolders,
    /// Which characters a prefix may have; with any other, there is no prefix.
    pub chars: super::Chars,
    /// Longest name with its prefix.
    pub max: Option<usize>,
    /// How the name of a plugin becomes a prefix.
    pub plugins: PluginPrefix,
}

/// Which folders are searched for manifests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestFolders {
    /// Those from the skill's own up to the root.
    #[default]
    InRoot,
    /// Those above the skill's own up to the root.
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
    /// The project's root when nothing marks it.
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
    /// The working folder.
    #[default]
    Cwd,
    /// The root of the filesystem.
    Top,
    /// The user's home; outside of it, the root of the filesystem.
    Home,
}

/// What shows that the program is installed. Looking for it runs nothing.
///
/// The last part of a path may end in `*`, which stands for any ending: a folder with a version in its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FoundRules {
    /// Names of the program on `PATH`, best first; one with a `/` is a path, with placeholders as in roots.
    pub programs: Vec<String>,
    /// Files or folders that the program makes for a user, with placeholders as in roots.
    pub home: Vec<String>,
    /// Files or folders of a project that are for this program, seen from each folder between cwd and the project's root.
    pub project: Vec<String>,
    /// Where the version of the installed program can be read, best first. The program is never run.
    pub version: Vec<VersionSource>,
}

/// Where the version of an installed program can be read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VersionSource {
    /// In the `package.json` of the package of this name, beside the program or in a folder above it.
    Package(String),
    /// In the program's path, with links followed: what comes after a folder of this name.
    Folder(String),
}
