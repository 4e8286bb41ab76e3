//! Every skill file below a root, and every near miss, is listed with a status and a reason: none goes missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{json, run, skipped};

/// One skill file in every odd place; `{skills}` is a root of the host.
const ODD_PLACES: &str = r"
//- project/{skills}/plain/SKILL.md
---
name: plain
description: In the right place
---
//- project/{skills}/lower/skill.md
---
name: lower
description: Spelled in lower case
---
//- project/{skills}/mixed/Skill.md
---
name: mixed
description: Spelled in mixed case
---
//- project/{skills}/both/SKILL.md
---
name: both
description: Has a second spelling beside it
---
//- project/{skills}/both/skill.md
---
name: both
description: The second spelling
---
//- project/{skills}/a/b/c/d/e/f/g/deep/SKILL.md
---
name: deep
description: Deeper than anyone looks
---
//- project/{skills}/a/two-down/SKILL.md
---
name: two-down
description: Two levels down
---
//- project/{skills}/.hidden/veiled/SKILL.md
---
name: veiled
description: Below a hidden folder
---
//- project/{skills}/.dotted/SKILL.md
---
name: dotted
description: In a hidden folder
---
//- project/{skills}/plain/inner/SKILL.md
---
name: inner
description: Inside another skill
---
//- project/{skills}/plain/references/more/deeper/SKILL.md
---
name: deeper
description: Deep inside another skill
---
//- project/{skills}/SKILL.md
---
name: at-the-root
description: Directly in the root
---
//- project/elsewhere/linked.md
---
name: linked
description: A file that a link leads to
---
//- project/{skills}/linked/SKILL.md -> {root}/project/elsewhere/linked.md rooted
//- project/{skills}/dangling/SKILL.md -> nowhere.md
//- project/{skills}/round/SKILL.md -> SKILL.md
//- project/{skills}/loop/again -> ..
//- project/{skills}/loop/SKILL.md
---
name: loop
description: Has a link back to its parent
---
//- project/{skills}/ring -> .
//- project/{skills}/pipe/SKILL.md fifo
//- project/{skills}/folder/SKILL.md/note.txt
A folder that is called like a skill file.
//- project/{skills}/node_modules/package/SKILL.md
---
name: package
description: Inside installed packages
---
//- project/{skills}/twin/SKILL.md
---
name: plain
description: Has a name that is taken
---
//- project/{skills}/no-frontmatter/SKILL.md
Only text.
//- project/{skills}/unclosed/SKILL.md
---
name: unclosed
description: Has no end
//- project/{skills}/bad-yaml/SKILL.md
---
name: [bad
description: }{
---
//- project/{skills}/not-mapping/SKILL.md
---
- name
- description
---
//- project/{skills}/twice/SKILL.md
---
name: twice
name: twice-again
description: Has a key twice
---
//- project/{skills}/colon/SKILL.md
---
name: colon
description: Use it: now
---
//- project/{skills}/bom/SKILL.md bom
---
name: bom
description: Begins with a byte-order mark
---
//- project/{skills}/alias/SKILL.md
---
name: &n alias
description: *n
---
//- project/{skills}/wrong-type/SKILL.md
---
name: wrong-type
description: [a, list]
---
//- project/{skills}/no-name/SKILL.md
---
description: Has no name
---
//- project/{skills}/no-description/SKILL.md
---
name: no-description
---
//- project/{skills}/empty-name/SKILL.md
---
name: ''
description: Has an empty name
---
//- project/{skills}/empty-description/SKILL.md
---
name: empty-description
description: ''
---
//- project/{skills}/Upper/SKILL.md
---
name: Upper
description: Has an upper-case name
---
//- project/{skills}/slash/SKILL.md
---
name: ../slash
description: Has a name with a slash
---
//- project/{skills}/empty-file/SKILL.md
//- project/{skills}/bytes/SKILL.md escaped
---
name: bytes
description: caf\xe9
---
//- project/{skills}/raw-\xff-name/SKILL.md escaped
---
name: raw
description: In a folder whose name is not UTF-8
---
//- project/{skills}/line\nend/SKILL.md escaped
---
name: line
description: In a folder whose name holds a line end
---
//- project/{skills}/for-others/SKILL.md
---
name: for-others
description: Made for another product
---
//- project/{skills}/for-others/agents/openai.yaml
policy:
  products: [chatgpt]
//- project/{skills}/off/SKILL.md
---
name: off
description: Switched off by its own text
enabled: false
---
//- project/{skills}/sleeping/SKILL.md
---
name: sleeping
description: Waits for a file
paths: ['*.never']
---
//- project/{skills}/locked/SKILL.md mode=000
---
name: locked
description: Nobody may read it
---
//- home/{skills}/plain/SKILL.md
---
name: plain
description: The user's own of the same name
---
//- project/elsewhere/whole/SKILL.md
---
name: whole
description: A folder that a link leads to
---
//- project/{skills}/whole -> {root}/project/elsewhere/whole rooted
//- project/{skills}/whole-again -> {root}/project/elsewhere/whole rooted
//- project/{skills}/gone -> {root}/project/elsewhere/gone rooted
//- home/.codex/config.toml
[[skills.config]]
name = 'both'
enabled = false
//- home/.openoxide/config.toml
[[skills.config]]
name = 'both'
enabled = false
//- home/.claude/settings.json
{ 'skillOverrides': { 'both': 'off' } }
";

fn lay(skills: &str) -> TestContext {
    let context = TestContext::new();
    let tree = ODD_PLACES.replace("{skills}", skills);
    context.tree(&tree.replace("{ 'skillOverrides': { 'both': 'off' } }", r#"{"skillOverrides": {"both": "off"}}"#));
    context
}

/// Returns every path below `dir` that is called like a skill file; links are not followed.
fn on_disk(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.file_name().eq_ignore_ascii_case("SKILL.md") {
            found.push(entry.path());
        } else if entry.file_type().unwrap().is_dir() {
            found.extend(on_disk(&entry.path()));
        }
    }
    found
}

/// Returns what the list says about each path, the path as found included: status and code.
fn listed(list: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in list["skills"].as_array().unwrap().iter().chain(list["others"].as_array().unwrap()) {
        let status = line["status"].as_str().unwrap();
        let reason = line["reason"].as_str().unwrap_or_default();
        let is_coded = reason.len() > 7
            && reason.starts_with('S')
            && reason[1..5].bytes().all(|byte| byte.is_ascii_digit())
            && &reason[5..7] == ": ";
        assert_eq!(status != "active", is_coded, "a reason is a code and a sentence: {line}");
        let code = reason.get(..5).unwrap_or_default();
        for path in [&line["path"], &line["found"]].into_iter().filter_map(Value::as_str) {
            found.entry(path.to_owned()).or_default().insert(format!("{status} {code}").trim_end().to_owned());
        }
    }
    found
}

/// Checks that nothing is missing; returns each file below `skills` and what the list says about it.
fn check(host: &str, skills: &str) -> String {
    let context = lay(skills);
    let list = json(&context, &["list", "--all", "--json", "--host", host]);
    let listed = listed(&list);
    let mut lines = Vec::new();
    let mut missing = Vec::new();
    let root = context.root().to_string_lossy().into_owned();
    for place in ["project", "home"] {
        for path in on_disk(&context.root().join(place).join(skills)) {
            let Some(shown) = path.to_str().map(|path| path.replace(&root, "[ROOT]")) else {
                // JSON has no form for such a path, so it is enough that the folder can be recognized.
                let is_it = |known: &&String| known.contains("/raw-") && known.ends_with("-name/SKILL.md");
                assert_eq!(listed.keys().filter(is_it).count(), 1, "{host} does not list {}", path.display());
                continue;
            };
            let short = shown.replace("[ROOT]/", "").replace(skills, "S").escape_debug().to_string();
            match listed.get(&shown) {
                Some(said) => lines.push(format!("{short}  {}", said.iter().cloned().collect::<Vec<_>>().join(", "))),
                None => missing.push(short),
            }
        }
    }
    assert!(missing.is_empty(), "{host} does not list {missing:#?}");
    lines.sort();
    let at = lines.iter().position(|line| line.contains("/locked/")).unwrap();
    let locked = lines.remove(at);
    if fs_err::File::open(context.project().join(skills).join("locked/SKILL.md")).is_ok() {
        skipped("this user may read everything, so `locked` is not unreadable");
    } else {
        assert!(locked.ends_with("invalid S0001"), "{host}: {locked}");
    }
    lines.join("\n")
}

#[test]
fn openoxide() {
    insta::assert_snapshot!(check("openoxide", ".agents/skills"), @r"
    home/S/plain/SKILL.md  active
    project/S/.dotted/SKILL.md  invalid S0009
    project/S/.hidden/veiled/SKILL.md  invalid S0009
    project/S/SKILL.md  invalid S0007, invalid S0010, invalid S0014
    project/S/Upper/SKILL.md  active
    project/S/a/b/c/d/e/f/g/deep/SKILL.md  invalid S0011
    project/S/a/two-down/SKILL.md  active
    project/S/alias/SKILL.md  active
    project/S/bad-yaml/SKILL.md  invalid S0103
    project/S/bom/SKILL.md  active
    project/S/both/SKILL.md  disabled S0303
    project/S/both/skill.md  invalid S0008
    project/S/bytes/SKILL.md  invalid S0003
    project/S/colon/SKILL.md  active
    project/S/dangling/SKILL.md  invalid S0005
    project/S/empty-description/SKILL.md  invalid S0120
    project/S/empty-file/SKILL.md  invalid S0100
    project/S/empty-name/SKILL.md  active
    project/S/folder/SKILL.md  invalid S0002
    project/S/for-others/SKILL.md  active
    project/S/line\nend/SKILL.md  active
    project/S/linked/SKILL.md  invalid S0005
    project/S/loop/SKILL.md  active
    project/S/lower/skill.md  invalid S0008
    project/S/mixed/Skill.md  invalid S0008
    project/S/no-description/SKILL.md  invalid S0119
    project/S/no-frontmatter/SKILL.md  invalid S0100
    project/S/no-name/SKILL.md  active
    project/S/node_modules/package/SKILL.md  active
    project/S/not-mapping/SKILL.md  invalid S0104
    project/S/off/SKILL.md  disabled S0304
    project/S/pipe/SKILL.md  invalid S0002
    project/S/plain/SKILL.md  untrusted S0306
    project/S/plain/inner/SKILL.md  invalid S0010
    project/S/plain/references/more/deeper/SKILL.md  invalid S0010
    project/S/round/SKILL.md  invalid S0005
    project/S/slash/SKILL.md  invalid S0118
    project/S/sleeping/SKILL.md  dormant S0305
    project/S/twice/SKILL.md  invalid S0105
    project/S/twin/SKILL.md  untrusted S0306
    project/S/unclosed/SKILL.md  invalid S0101
    project/S/wrong-type/SKILL.md  invalid S0111
    ");
}

#[test]
fn codex() {
    insta::assert_snapshot!(check("codex", ".agents/skills"), @r"
    home/S/plain/SKILL.md  active
    project/S/.dotted/SKILL.md  invalid S0009
    project/S/.hidden/veiled/SKILL.md  invalid S0009
    project/S/SKILL.md  active, invalid S0007
    project/S/Upper/SKILL.md  active
    project/S/a/b/c/d/e/f/g/deep/SKILL.md  invalid S0011
    project/S/a/two-down/SKILL.md  active
    project/S/alias/SKILL.md  active
    project/S/bad-yaml/SKILL.md  invalid S0103
    project/S/bom/SKILL.md  invalid S0107
    project/S/both/SKILL.md  disabled S0303
    project/S/both/skill.md  invalid S0008
    project/S/bytes/SKILL.md  invalid S0003
    project/S/colon/SKILL.md  active
    project/S/dangling/SKILL.md  invalid S0005
    project/S/empty-description/SKILL.md  invalid S0120
    project/S/empty-file/SKILL.md  invalid S0100
    project/S/empty-name/SKILL.md  active
    project/S/folder/SKILL.md  invalid S0002
    project/S/for-others/SKILL.md  invalid S0307
    project/S/line\nend/SKILL.md  active
    project/S/linked/SKILL.md  invalid S0005
    project/S/loop/SKILL.md  active
    project/S/lower/skill.md  invalid S0008
    project/S/mixed/Skill.md  invalid S0008
    project/S/no-description/SKILL.md  invalid S0119
    project/S/no-frontmatter/SKILL.md  invalid S0100
    project/S/no-name/SKILL.md  active
    project/S/node_modules/package/SKILL.md  active
    project/S/not-mapping/SKILL.md  invalid S0104
    project/S/off/SKILL.md  active
    project/S/pipe/SKILL.md  invalid S0002
    project/S/plain/SKILL.md  active
    project/S/plain/inner/SKILL.md  active
    project/S/plain/references/more/deeper/SKILL.md  active
    project/S/round/SKILL.md  invalid S0005
    project/S/slash/SKILL.md  active
    project/S/sleeping/SKILL.md  active
    project/S/twice/SKILL.md  invalid S0105
    project/S/twin/SKILL.md  active
    project/S/unclosed/SKILL.md  invalid S0101
    project/S/wrong-type/SKILL.md  invalid S0111
    ");
}

#[test]
fn claude_code() {
    insta::assert_snapshot!(check("claude-code", ".claude/skills"), @r"
    home/S/plain/SKILL.md  active
    project/S/.dotted/SKILL.md  active
    project/S/.hidden/veiled/SKILL.md  invalid S0014
    project/S/SKILL.md  active, invalid S0010, invalid S0014
    project/S/Upper/SKILL.md  active
    project/S/a/b/c/d/e/f/g/deep/SKILL.md  invalid S0014
    project/S/a/two-down/SKILL.md  invalid S0014
    project/S/alias/SKILL.md  active
    project/S/bad-yaml/SKILL.md  active
    project/S/bom/SKILL.md  active
    project/S/both/SKILL.md  disabled S0303
    project/S/both/skill.md  invalid S0008
    project/S/bytes/SKILL.md  active
    project/S/colon/SKILL.md  active
    project/S/dangling/SKILL.md  invalid S0006
    project/S/empty-description/SKILL.md  active
    project/S/empty-file/SKILL.md  active
    project/S/empty-name/SKILL.md  active
    project/S/folder/SKILL.md  invalid S0002
    project/S/for-others/SKILL.md  active
    project/S/line\nend/SKILL.md  invalid S0118
    project/S/linked/SKILL.md  active
    project/S/loop/SKILL.md  active
    project/S/lower/skill.md  invalid S0008
    project/S/mixed/Skill.md  invalid S0008
    project/S/no-description/SKILL.md  active
    project/S/no-frontmatter/SKILL.md  active
    project/S/no-name/SKILL.md  active
    project/S/node_modules/package/SKILL.md  invalid S0014
    project/S/not-mapping/SKILL.md  active
    project/S/off/SKILL.md  active
    project/S/pipe/SKILL.md  invalid S0002
    project/S/plain/SKILL.md  shadowed S0301
    project/S/plain/inner/SKILL.md  invalid S0010
    project/S/plain/references/more/deeper/SKILL.md  invalid S0010
    project/S/round/SKILL.md  invalid S0006
    project/S/slash/SKILL.md  active
    project/S/sleeping/SKILL.md  dormant S0305
    project/S/twice/SKILL.md  active
    project/S/twin/SKILL.md  active
    project/S/unclosed/SKILL.md  active
    project/S/wrong-type/SKILL.md  active
    ");
}

#[test]
fn agentskills() {
    insta::assert_snapshot!(check("agentskills", ".agents/skills"), @r"
    home/S/plain/SKILL.md  shadowed S0301
    project/S/.dotted/SKILL.md  invalid S0102
    project/S/.hidden/veiled/SKILL.md  invalid S0014
    project/S/SKILL.md  invalid S0010, invalid S0014, invalid S0102
    project/S/Upper/SKILL.md  invalid S0115
    project/S/a/b/c/d/e/f/g/deep/SKILL.md  invalid S0014
    project/S/a/two-down/SKILL.md  invalid S0014
    project/S/alias/SKILL.md  invalid S0108
    project/S/bad-yaml/SKILL.md  invalid S0103
    project/S/bom/SKILL.md  invalid S0107
    project/S/both/SKILL.md  active
    project/S/both/skill.md  invalid S0008
    project/S/bytes/SKILL.md  invalid S0003
    project/S/colon/SKILL.md  invalid S0103
    project/S/dangling/SKILL.md  invalid S0006
    project/S/empty-description/SKILL.md  invalid S0120
    project/S/empty-file/SKILL.md  invalid S0100
    project/S/empty-name/SKILL.md  invalid S0113
    project/S/folder/SKILL.md  invalid S0002
    project/S/for-others/SKILL.md  active
    project/S/line\nend/SKILL.md  invalid S0102
    project/S/linked/SKILL.md  active
    project/S/loop/SKILL.md  active
    project/S/lower/skill.md  active
    project/S/mixed/Skill.md  invalid S0008
    project/S/no-description/SKILL.md  invalid S0119
    project/S/no-frontmatter/SKILL.md  invalid S0100
    project/S/no-name/SKILL.md  invalid S0112
    project/S/node_modules/package/SKILL.md  invalid S0014
    project/S/not-mapping/SKILL.md  invalid S0104
    project/S/off/SKILL.md  invalid S0110
    project/S/pipe/SKILL.md  invalid S0002
    project/S/plain/SKILL.md  active
    project/S/plain/inner/SKILL.md  invalid S0010
    project/S/plain/references/more/deeper/SKILL.md  invalid S0010
    project/S/round/SKILL.md  invalid S0006
    project/S/slash/SKILL.md  invalid S0118
    project/S/sleeping/SKILL.md  invalid S0108
    project/S/twice/SKILL.md  invalid S0105
    project/S/twin/SKILL.md  invalid S0102
    project/S/unclosed/SKILL.md  invalid S0101
    project/S/wrong-type/SKILL.md  invalid S0108
    ");
}

/// A link that leads nowhere or round in a circle has no skill file to list, so it is a problem instead.
#[test]
fn links_of_folders_are_reported() {
    for (host, skills) in
        [("openoxide", ".agents/skills"), ("codex", ".agents/skills"), ("claude-code", ".claude/skills")]
    {
        let context = lay(skills);
        let list = json(&context, &["list", "--all", "--json", "--host", host]);
        let has = |code: &str, end: &str| {
            list["problems"].as_array().unwrap().iter().any(|problem| {
                problem["code"] == code && problem["path"].as_str().is_some_and(|path| path.ends_with(end))
            })
        };
        assert!(has("S0006", "/gone"), "{host}: {list:#}");
        assert!(has("S0007", "/ring"), "{host}: {list:#}");
    }
}

/// The text says as much as the JSON: each file once, each with its code.
#[test]
fn text_names_each_file() {
    let context = lay(".agents/skills");
    let list = json(&context, &["list", "--all", "--json", "--host", "openoxide"]);
    let text = run(&context, &["list", "--all", "--host", "openoxide", "--color", "never"]).stdout;
    let lines: Vec<&str> = text.lines().collect();
    let others = list["others"].as_array().unwrap();
    for other in others {
        let code = &other["reason"].as_str().unwrap()[..5];
        assert!(text.contains(&format!("[{code}]")), "{code} is not in\n{text}");
    }
    let reasons = lines.iter().filter(|line| line.ends_with(']')).count();
    // Places that could not be searched are listed too, each with its reason.
    let places = lines.iter().filter(|line| line.starts_with("skipped")).count();
    assert_eq!((reasons, places), (others.len() + places, 2), "{text}");
}

/// Whatever a host makes of a file, it says so.
#[test]
fn every_other_host() {
    for host in ["opencode", "omp", "copilot-cli", "vscode", "gemini-cli", "goose", "zed", "pi", "crush"] {
        assert!(check(host, ".agents/skills").contains("active"), "{host}");
    }
    for (host, skills) in [("qwen-code", ".qwen/skills"), ("roo", ".roo/skills"), ("opencode", ".opencode/skills")] {
        assert!(check(host, skills).contains("active"), "{host}");
    }
}
