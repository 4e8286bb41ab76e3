//! `list --json`: the skills that a host sees, and the files that it ignores.

use openoxide_skills::catalog::{Catalog, Entry, LimitReached};
use openoxide_skills::text::path_text;

use crate::{JsonSchema, OtherLine, ProblemLine, RemoteLine, RemoteProblemLine, SchemaVersion, Serialize, SkillLine};

/// What a host sees.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ListAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// The active skills, in the host's order.
    pub skills: Vec<SkillLine>,
    /// Everything else that was found, by path.
    pub others: Vec<OtherLine>,
    /// Findings, by path.
    pub problems: Vec<ProblemLine>,
    /// Limits that were reached.
    pub limits: Vec<LimitLine>,
    /// Skills that MCP servers offer, by server and address; only there if they were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<Vec<RemoteLine>>,
    /// What is wrong with servers, by server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remote_problems: Vec<RemoteProblemLine>,
}

/// A limit that was reached.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Limit")]
pub struct LimitLine {
    /// The root.
    pub root: String,
    /// The stable code.
    pub code: String,
    /// The limit.
    pub limit: usize,
}

impl From<&LimitReached> for LimitLine {
    fn from(reached: &LimitReached) -> LimitLine {
        LimitLine { root: path_text(&reached.root), code: reached.code.to_string(), limit: reached.limit }
    }
}

impl ListAnswer {
    /// Makes the answer: the active skills, each with the cost of its line in the catalog, and the others.
    pub fn new<'c>(
        catalog: &'c Catalog,
        skills: impl IntoIterator<Item = (&'c Entry, u64)>,
        others: impl IntoIterator<Item = &'c Entry>,
    ) -> ListAnswer {
        let skills = skills.into_iter().map(|(entry, listed)| SkillLine::new(catalog, entry, listed));
        ListAnswer {
            schema: SchemaVersion::default(),
            host: catalog.host.clone(),
            skills: skills.collect(),
            others: others.into_iter().map(|entry| OtherLine::new(catalog, entry)).collect(),
            problems: catalog.problems.iter().map(ProblemLine::from).collect(),
            limits: catalog.limits.iter().map(LimitLine::from).collect(),
            remote: None,
            remote_problems: Vec::new(),
        }
    }
}
