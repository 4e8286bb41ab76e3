//! `show --json`: one skill with all its fields; and skills as lines of a list.

use std::collections::BTreeMap;

use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::skill::{SkillContext, SkillInterface, SkillPolicy, ToolDependency};
use openoxide_skills::text::{path_text, tokens};

use crate::{JsonSchema, ProblemLine, SchemaVersion, Serialize};

/// A skill that is active.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkillLine {
    /// What is known about it.
    #[serde(flatten)]
    pub facts: SkillFacts,
    /// Always `active` here.
    pub status: String,
}

/// What is known about a skill that is active.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkillFacts {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its file.
    pub path: String,
    /// Its folder.
    pub dir: String,
    /// Whose it is: `repo`, `user`, `system`, `admin`, `plugin`.
    pub scope: String,
    /// The root it was found in.
    pub root: String,
    /// Whether the model may call it.
    pub model: bool,
    /// Whether the user may call it.
    pub user: bool,
    /// What it costs.
    pub tokens: Tokens,
    /// The file as it was found, if a link leads there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The provider that people know the place by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The plugin it came with, as `name@marketplace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Other names that call it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The license.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// What it needs of its surroundings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// Free pairs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Tools it wants without asking.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    /// A shorter description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_description: Option<String>,
    /// How it presents itself to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<InterfaceLine>,
    /// What it needs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<DependencyLine>,
    /// Who may call it, if it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyLine>,
}

/// What a skill costs, estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tokens {
    /// Its line in the catalog.
    pub listed: u64,
    /// Its text.
    pub body: u64,
}

/// How a skill presents itself to people.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InterfaceLine {
    /// The name people see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// One line for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_description: Option<String>,
    /// A small picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon_small: Option<String>,
    /// A large picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon_large: Option<String>,
    /// A color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brand_color: Option<String>,
    /// What to ask it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_prompt: Option<String>,
}

/// One thing a skill needs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DependencyLine {
    /// What kind of thing.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name.
    pub value: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How to reach a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// The command that starts a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Where a server listens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Who may call a skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PolicyLine {
    /// Whether the model may call it by itself.
    pub allow_implicit_invocation: bool,
    /// The products it is made for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<String>,
}

/// A file that was found and is ignored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OtherLine {
    /// What it is called.
    pub name: String,
    /// What it is for, if it says so.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its file.
    pub path: String,
    /// Whose it is.
    pub scope: String,
    /// The root it was found in.
    pub root: String,
    /// `shadowed`, `disabled`, `invalid`, `dormant`, `denied` or `untrusted`.
    pub status: String,
    /// A stable code, a colon and a sentence.
    pub reason: String,
    /// The file as it was found, if a link leads there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The skill that is active instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Everything about one skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShowAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// The skill.
    pub skill: SkillDetail,
    /// What its permission profile would add for what it runs, after consent, and what of it has no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<String>,
    /// Findings about its files.
    pub problems: Vec<ProblemLine>,
}

/// A skill and all its fields.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkillDetail {
    /// What a list says.
    #[serde(flatten)]
    pub line: SkillLine,
    /// Why it is ignored, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When to use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// What its arguments are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
    /// The names of its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Tools it wants to do without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disallowed_tools: Vec<String>,
    /// The model it wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_name: Option<String>,
    /// `inline` or `fork`.
    pub context: String,
    /// Files that wake it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Files it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub globs: Vec<String>,
    /// Whether it wants to apply always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_apply: Option<bool>,
    /// Events it has handlers for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<String>,
    /// Fields without a meaning.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown: BTreeMap<String, String>,
}

impl SkillLine {
    /// Makes the line of an entry; `listed` is the cost of its line in the catalog.
    pub fn new(catalog: &Catalog, entry: &Entry, listed: u64) -> SkillLine {
        SkillLine { facts: SkillFacts::new(catalog, entry, listed), status: entry.status.as_str().to_owned() }
    }
}

impl SkillFacts {
    /// Tells what is known about an entry; `listed` is the cost of its line in the catalog.
    pub fn new(catalog: &Catalog, entry: &Entry, listed: u64) -> SkillFacts {
        let searched = &catalog.roots[entry.root].root;
        let skill = &entry.skill;
        SkillFacts {
            name: skill.name.to_string(),
            description: skill.description.to_string(),
            path: path_text(&skill.path),
            dir: path_text(entry.dir()),
            scope: skill.scope.as_str().to_owned(),
            root: path_text(&searched.path),
            model: entry.model,
            user: entry.user,
            tokens: Tokens { listed, body: tokens(entry.size) },
            found: (entry.found() != &*skill.path).then(|| path_text(entry.found())),
            provider: searched.rule.provider.clone(),
            source: searched.plugin.as_ref().map(|plugin| plugin.id.clone()),
            aliases: entry.aliases.clone(),
            license: skill.frontmatter.license.clone(),
            compatibility: skill.frontmatter.compatibility.clone(),
            metadata: skill.frontmatter.metadata.iter().cloned().collect(),
            allowed_tools: skill.frontmatter.allowed_tools.clone(),
            short_description: skill.short_description.clone(),
            interface: skill.interface.as_deref().map(InterfaceLine::from),
            dependencies: skill.dependencies.iter().flat_map(|all| &all.tools).map(DependencyLine::from).collect(),
            policy: (skill.policy != SkillPolicy::default()).then(|| PolicyLine::from(&skill.policy)),
        }
    }
}

impl OtherLine {
    /// Makes the line of an entry that is not active.
    pub fn new(catalog: &Catalog, entry: &Entry) -> OtherLine {
        OtherLine {
            name: entry.skill.name.to_string(),
            description: entry.skill.description.to_string(),
            path: path_text(&entry.skill.path),
            scope: entry.skill.scope.as_str().to_owned(),
            root: path_text(&catalog.roots[entry.root].root.path),
            status: entry.status.as_str().to_owned(),
            reason: reason(entry).unwrap_or_default(),
            found: (entry.found() != &*entry.skill.path).then(|| path_text(entry.found())),
            by: entry.by.as_deref().map(path_text),
        }
    }
}

/// Returns why an entry is ignored: a stable code, a colon and a sentence.
pub(crate) fn reason(entry: &Entry) -> Option<String> {
    entry.reason.as_ref().map(|reason| format!("{}: {}", reason.code, reason.text))
}

impl ShowAnswer {
    /// Makes the answer for an entry.
    pub fn new(catalog: &Catalog, entry: &Entry, listed: u64) -> ShowAnswer {
        let rare = entry.skill.frontmatter.rare();
        let skill = SkillDetail {
            line: SkillLine::new(catalog, entry, listed),
            reason: reason(entry),
            when_to_use: rare.when_to_use.clone(),
            argument_hint: rare.argument_hint.clone(),
            arguments: rare.arguments.clone(),
            disallowed_tools: rare.disallowed_tools.clone(),
            model_name: rare.model.clone(),
            context: if rare.context == SkillContext::Inline { "inline" } else { "fork" }.to_owned(),
            paths: rare.paths.clone(),
            globs: rare.globs.clone(),
            always_apply: rare.always_apply,
            hooks: rare.hooks.hooks.keys().cloned().collect(),
            unknown: entry.skill.frontmatter.unknown.iter().cloned().collect(),
        };
        let problems = entry.problems.iter().map(ProblemLine::from).collect();
        let (schema, permissions) = (SchemaVersion::default(), Vec::new());
        ShowAnswer { schema, host: catalog.host.clone(), skill, permissions, problems }
    }
}

impl From<&SkillInterface> for InterfaceLine {
    fn from(interface: &SkillInterface) -> InterfaceLine {
        InterfaceLine {
            display_name: interface.display_name.clone(),
            short_description: interface.short_description.clone(),
            icon_small: interface.icon_small.as_deref().map(path_text),
            icon_large: interface.icon_large.as_deref().map(path_text),
            brand_color: interface.brand_color.clone(),
            default_prompt: interface.default_prompt.clone(),
        }
    }
}

impl From<&ToolDependency> for DependencyLine {
    fn from(tool: &ToolDependency) -> DependencyLine {
        DependencyLine {
            kind: tool.kind.clone(),
            value: tool.value.clone(),
            description: tool.description.clone(),
            transport: tool.transport.clone(),
            command: tool.command.clone(),
            url: tool.url.clone(),
        }
    }
}

impl From<&SkillPolicy> for PolicyLine {
    fn from(policy: &SkillPolicy) -> PolicyLine {
        PolicyLine { allow_implicit_invocation: policy.allow_implicit_invocation, products: policy.products.clone() }
    }
}
