//! A question that only the user can answer, as clients receive it.

use crate::{JsonSchema, Serialize};

/// Something only the user can decide. What it would allow is here whole, however long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QuestionLine {
    /// What is asked for: `permission`, `requested-permissions`, `secret`, `server`, `remote`, `login` or `setting`.
    pub kind: String,
    /// The answers that make sense, the safest last: `once`, `session`, `always`, `value`, `no`.
    pub choices: Vec<String>,
    /// The skills that want it.
    pub skills: Vec<String>,
    /// The permission, as rules call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<String>,
    /// What it is for: a skill or a file, the variable whose value is wanted, or the name of a server or a setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What the variable or the server is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The skill's file, or the file with the setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The digest of its folder: the answer is for these bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whether it was allowed before, and its folder has changed since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    /// Everything it would get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<PermissionLine>,
    /// How a server is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// What would be started or connected to, exactly, the page to log in on, the address of a server's skill, or what
    /// the setting would be; absent if it would be removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// One thing that a skill would do beyond being read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PermissionLine {
    /// What it is: `shell`, `script`, `hook`, `tools` or `profile`.
    pub kind: String,
    /// What it means, in words.
    pub title: String,
    /// Every part of it, in full.
    pub items: Vec<String>,
}
