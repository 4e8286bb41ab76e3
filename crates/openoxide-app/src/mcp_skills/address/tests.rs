//! Which addresses there are, and what they mean.

use std::ffi::OsStr;

use openoxide_skills::{catalog::discover_dir, host::Hosts, skill::SkillScope};

use super::*;

fn catalog(tree: &str) -> (tempfile::TempDir, Catalog) {
    let dir = tempfile::tempdir().unwrap();
    openoxide_testkit::Fixture::parse(tree).write(dir.path());
    let host = Hosts::builtin().get("openoxide").unwrap();
    let catalog = discover_dir(dir.path(), SkillScope::Repo, &host).unwrap();
    (dir, catalog)
}

fn skill(path: &str, name: &str) -> String {
    format!("//- {path}/SKILL.md\n---\nname: {name}\ndescription: Does it\n---\nBody\n")
}

fn roots(tree: &str) -> Vec<String> {
    let (_dir, catalog) = catalog(tree);
    Addresses::new(&catalog).roots().map(|(root, _)| root.to_owned()).collect()
}

#[test]
fn names_that_break_the_standard_have_no_address() {
    let tree = ["good-1", "Bad", "bad_one", "a.b"].map(|name| skill(name, name)).concat();
    assert_eq!(roots(&tree), ["skill://good-1"]);
    for bad in ["", "-a", "a-", "a--b", "é", "a/b", "A"] {
        assert!(!is_standard_name(bad), "{bad}");
    }
    assert!(is_standard_name(&"a".repeat(64)) && !is_standard_name(&"a".repeat(65)));
}

#[test]
fn a_namespace_is_a_prefix_unless_it_is_a_skill() {
    let plugin = |name: &str| format!("//- p/.claude-plugin/plugin.json\n{{\"name\":\"{name}\"}}\n");
    let tree = plugin("tools") + &skill("p/inner", "inner") + &skill("other", "other");
    assert_eq!(roots(&tree), ["skill://other", "skill://tools/inner"]);

    // `skill://other/inner/SKILL.md` could be a file of the skill `other`.
    let tree = plugin("other") + &skill("p/inner", "inner") + &skill("other", "other");
    let found = roots(&tree);
    assert_eq!(found.len(), 2);
    assert!(found.iter().any(|root| root.starts_with("skill://~") && root.ends_with("/inner")), "{found:?}");
    let plain = found.iter().find(|root| !root.contains('~')).unwrap();
    assert_eq!(plain, "skill://other");
}

#[test]
fn an_address_means_one_file_or_nothing() {
    let (_dir, catalog) = catalog(&skill("pdf", "pdf"));
    let addresses = Addresses::new(&catalog);
    let path = |uri: &str| {
        let meant = addresses.find(uri)?;
        assert_eq!((meant.root, meant.at), ("skill://pdf", 0));
        Some(meant.path.map_or_else(String::new, |path| path.as_path().to_str().unwrap().to_owned()))
    };
    assert_eq!(path("skill://pdf").as_deref(), Some(""));
    assert_eq!(path("skill://pdf/SKILL.md").as_deref(), Some("SKILL.md"));
    assert_eq!(path("skill://pdf/a%20b/%C3%A9").as_deref(), Some("a b/é"));
    let bad = [
        "skill://pdf/",
        "skill://pdf//a",
        "skill://pdf/../pdf/SKILL.md",
        "skill://pdf/a/%2e%2e/b",
        "skill://pdf/a%2Fb",
        "skill://pdf/%00",
        "skill://pdf/%4",
        "skill://pdf/%zz",
        "skill://pdf/a?b",
        "skill://pdf/a#b",
        "SKILL://pdf",
        "skill://PDF/SKILL.md",
        "skill://%70df/SKILL.md",
        "skill://pd",
        "skill://pdf2/SKILL.md",
        "skill://",
        "file:///x",
    ];
    for uri in bad {
        assert_eq!(path(uri), None, "{uri}");
    }
    assert_eq!(path(&format!("skill://pdf/{}", "a".repeat(ADDRESS_MAX))), None);
}

#[test]
fn every_name_has_an_address_that_means_it() {
    let (_dir, catalog) = catalog(&skill("pdf", "pdf"));
    let addresses = Addresses::new(&catalog);
    for name in [&b"a b?#%/"[..5], b"\xff\xfe", "é:@[]".as_bytes(), b"%2F", b"~tilde"] {
        let file = Path::new("x").join(OsStr::from_bytes(name));
        let uri = address("skill://pdf", &file);
        assert!(uri.is_ascii(), "{uri}");
        assert_eq!(addresses.find(&uri).unwrap().path.unwrap().as_path(), file, "{uri}");
    }
}
