//! What is found, and in which order.

use super::*;

/// Makes a catalog of skills, each a name and a description, and tells the names that a query finds.
fn found(skills: &[(&str, &str)], query: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    for (name, description) in skills {
        let folder = dir.path().join(name);
        fs_err::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nBody\n");
        fs_err::write(folder.join("SKILL.md"), text).unwrap();
    }
    let catalog = crate::catalog::discover_dir(
        dir.path(),
        crate::skill::SkillScope::Repo,
        &crate::host::Hosts::builtin().get("openoxide").unwrap(),
    )
    .unwrap();
    let hits = search(&catalog.skills, query, 10);
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score || is_named(pair[0].entry, query.trim())));
    hits.iter().map(|hit| hit.entry.skill.name.to_string()).collect()
}

const SKILLS: &[(&str, &str)] = &[
    ("pdf", "Fills in forms"),
    ("forms", "Draws web pages with many fields for people to fill in"),
    ("invoice", "Writes an invoice as a pdf"),
    ("pdf-tables", "Takes tables out of a pdf and a pdf alone"),
    ("git-flow", "Branches and commits"),
];

#[test]
fn a_name_counts_more_than_a_description_and_the_exact_name_most() {
    assert_eq!(found(SKILLS, "pdf"), ["pdf", "pdf-tables", "invoice"]);
    assert_eq!(found(SKILLS, " PDF "), ["pdf", "pdf-tables", "invoice"]);
    assert_eq!(found(SKILLS, "git-flow"), ["git-flow"]);
    assert_eq!(found(SKILLS, "tables out of a pdf")[0], "pdf-tables");
    assert_eq!(found(SKILLS, "fill in forms")[0], "forms");
}

#[test]
fn nothing_matches_nothing_and_equals_stand_by_name() {
    assert!(found(SKILLS, "zzz").is_empty() && found(SKILLS, "").is_empty() && found(&[], "pdf").is_empty());
    assert_eq!(found(&[("b", "same words"), ("a", "same words")], "words"), ["a", "b"]);
}

#[test]
fn scripts_without_blanks_are_found() {
    assert_eq!(found(&[("a", "发票处理"), ("b", "other")], "发票"), ["a"]);
    assert_eq!(words("ÄRGER naïve 表b"), ["ärger", "naïve", "表", "b"]);
}

#[test]
fn a_query_is_bounded() {
    // The bound lies within a character.
    assert!(found(SKILLS, &format!("x{}", "ß".repeat(QUERY_MAX))).is_empty());
    assert!(found(SKILLS, &format!("{} pdf", "x ".repeat(600))).is_empty());
    assert!(found(SKILLS, &format!("{} pdf", "x ".repeat(20))).contains(&"pdf".to_owned()));
}
