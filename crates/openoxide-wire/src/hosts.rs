//! `hosts --json`: the hosts, and which skills each of them sees.

use std::collections::BTreeMap;

use crate::{JsonSchema, SchemaVersion, Serialize};

/// The hosts, and which skills each of them sees.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostsAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The hosts.
    pub hosts: Vec<HostLine>,
    /// One row for each skill file.
    pub matrix: Vec<MatrixRow>,
}

/// A host.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HostLine {
    /// Its name.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The program and version whose behavior is stated.
    pub program: String,
    /// Other editions.
    pub editions: Vec<String>,
    /// What shows that the program is on this machine or configured in this project: programs, files, folders.
    pub found: Vec<String>,
    /// How many skills it sees here.
    pub sees: usize,
    /// How many files it found that do not count.
    pub others: usize,
    /// Where it comes from, if it is not built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What is deliberately done differently from the program.
    pub deviations: Vec<String>,
}

/// What each host makes of one file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MatrixRow {
    /// What it is called.
    pub name: String,
    /// The file.
    pub path: String,
    /// The standing in each host that found it.
    #[serde(rename = "standings")]
    pub statuses: BTreeMap<String, String>,
}
