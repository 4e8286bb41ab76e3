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
    /// Whether it is one of your agents.
    pub mine: bool,
    /// The program and version that the rules describe.
    pub program: String,
    /// Other editions.
    pub editions: Vec<String>,
    /// The version that is installed, where files tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<InstalledLine>,
    /// What shows that the program is on this machine or configured in this project: programs, files, folders.
    pub found: Vec<String>,
    /// How many skills are active in it here. Programs are not told: they may not know of all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sees: Option<usize>,
    /// How many files it found and ignores; an active skill that is found again, by a link, is none. Programs are not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<usize>,
    /// Where it comes from, if it is not built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What is deliberately done differently from the program.
    pub deviations: Vec<String>,
}

/// The version of an agent that is installed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InstalledLine {
    /// The version.
    pub version: String,
    /// The host, in the edition that is for this version; absent: none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// What to know where the rules that are used are for other versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What each host makes of one file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MatrixRow {
    /// What it is called.
    pub name: String,
    /// The file.
    pub path: String,
    /// The status in each host that found it.
    #[serde(rename = "hosts")]
    pub statuses: BTreeMap<String, String>,
}
