//! `read`: files of skills, by name and by address, and everything that is refused.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{json, run, skill_file, skipped, traced, valid_json};

/// A skill with a bit of everything, and a secret beside it.
fn furnished() -> TestContext {
    let context = TestContext::new();
    context.tree(
        "
//- project/outside/secret.md
SECRET
//- project/.agents/skills/pdf/SKILL.md
---
name: pdf
description: Fills in forms
---
Body
//- project/.agents/skills/pdf/references/tables.md
Tables
//- project/.agents/skills/pdf/references/a\\x20b.md escaped
blank
//- project/.agents/skills/pdf/references/a%20b.md
percent
//- project/.agents/skills/pdf/references/what?.md
question
//- project/.agents/skills/pdf/..hidden
dots
//- project/.agents/skills/pdf/data.json
{}
//- project/.agents/skills/pdf/page.mdx
mdx
//- project/.agents/skills/pdf/NOTES.MD
notes
//- project/.agents/skills/pdf/out.md -> ../../../outside/secret.md
//- project/.agents/skills/pdf/out -> ../../../outside
//- project/.agents/skills/pdf/pipe fifo
//- project/.agents/skills/pdf/empty/
//- project/.agents/skills/pdf/nul escaped
a\\x00b
//- project/.agents/skills/pdf/latin escaped
caf\\xe9
//- project/.agents/skills/pdf/esc.md escaped
\\x1b[8mhidden
//- project/.agents/skills/pdf-old/SKILL.md
---
name: pdf-old
description: SECRET of another skill
---
",
    );
    context
}

fn text(context: &TestContext, args: &[&str]) -> String {
    let output = run(context, args);
    assert_eq!(output.status, Some(0), "{args:?}: {output}");
    output.stdout
}

/// Returns the problem's word; asserts that nothing of the machine or of the secret is told.
fn refused(context: &TestContext, args: &[&str]) -> (String, String) {
    let mut all = vec!["read", "--json"];
    all.extend(args);
    let output = run(context, &all);
    assert_eq!(output.status, Some(1), "{args:?}: {output}");
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    assert!(!output.stdout.contains("[ROOT]") && !output.stdout.contains("SECRET"), "{output}");
    let plain = run(context, &[&["read"], args].concat());
    assert_eq!((plain.status, plain.stdout.as_str()), (Some(1), ""), "{args:?}");
    let (_, told) = plain.stderr.split_once("error: ").unwrap();
    assert!(!told.contains("[ROOT]") && !told.contains("SECRET"), "{plain}");
    let field = |name: &str| answer["refused"][name].as_str().unwrap().to_owned();
    (field("problem"), field("text"))
}

#[test]
fn a_file_is_printed_and_nothing_else() {
    let context = furnished();
    insta::assert_snapshot!(run(&context, &["read", "pdf", "references/tables.md"]), @"
    status: 0
    ----- stdout -----
    Tables
    ----- stderr -----
    ");
    let body = "---\nname: pdf\ndescription: Fills in forms\n---\nBody\n";
    assert_eq!(text(&context, &["read", "pdf"]), body);
    assert_eq!(text(&context, &["read", "skill://pdf"]), body);
    assert_eq!(text(&context, &["read", ".agents/skills/pdf"]), body);
    assert_eq!(text(&context, &["read", "pdf", "references"]), "a b.md\na%20b.md\ntables.md\nwhat?.md");
    assert_eq!(text(&context, &["read", "pdf", "empty"]), "(empty folder)");
    insta::assert_snapshot!(text(&context, &["read", "pdf", "--list"]), @"
    empty/
    references/
    ..hidden
    data.json
    esc.md
    latin
    NOTES.MD
    nul
    out (a link that leads out)
    out.md (a link that leads out)
    page.mdx
    pipe (not a regular file)
    SKILL.md
    ");
}

#[test]
fn every_bad_path_has_its_own_reason() {
    let context = furnished();
    let cases = [
        ("", "empty"),
        (".", "itself"),
        ("../pdf-old/SKILL.md", "traversal"),
        ("references/../../pdf-old/SKILL.md", "traversal"),
        ("/etc/passwd", "absolute"),
        ("~/x", "home"),
        ("a\\x00b", "nul"),
        ("out.md", "escapes"),
        ("out/secret.md", "escapes"),
        ("nothing.md", "not-found"),
        ("pipe", "special"),
        ("nul", "binary"),
        ("latin", "not-utf8"),
    ];
    for (path, problem) in cases {
        assert_eq!(refused(&context, &["pdf", path]).0, problem, "{path:?}");
    }
    assert_eq!(text(&context, &["read", "pdf", "references/../SKILL.md"]), text(&context, &["read", "pdf"]));
    insta::assert_snapshot!(run(&context, &["read", "pdf", "../x"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error: `../x` climbs out of the skill's folder
    hint: `openoxide read NAME --list` shows what is in a skill's folder
    ");
}

#[test]
fn the_answer_in_json_has_a_schema() {
    let context = furnished();
    let file = valid_json(&context, &["read", "pdf", "references/tables.md", "--json"]);
    assert_eq!(
        (&file["text"], &file["content_type"], &file["size"]),
        (&"Tables\n".into(), &"text/markdown".into(), &7.into())
    );
    let folder = valid_json(&context, &["read", "pdf", "--list", "--json"]);
    let out = folder["items"].as_array().unwrap().iter().find(|item| item["name"] == "out.md").unwrap();
    assert_eq!(out["kind"], "leads-out");
    valid_json(&context, &["read", "pdf", "../x", "--json"]);
    let bytes = valid_json(&context, &["read", "pdf", "nul", "--json", "--base64"]);
    assert_eq!((&bytes["base64"], &bytes["text"]), (&"YQBiCg==".into(), &Value::Null));
    context.tree("//- project/.agents/skills/pdf/a.png escaped\n\\x89PNG\\x00\n");
    let image = valid_json(&context, &["read", "pdf", "a.png", "--json", "--base64"]);
    assert_eq!(image["content_type"], "image/png");
    let output = run(&context, &["read", "pdf", "nul", "--base64"]);
    assert_eq!(output.status, Some(2), "{output}");
}

/// The matrix of addresses: what the program answers, with the safe answers where it is unsafe.
#[test]
fn addresses_in_every_form() {
    let context = furnished();
    context.tree(
        "
//- home/.omp/agent/skills/My\\x20Skill/SKILL.md escaped
---
name: My Skill
description: blank
---
//- home/.omp/agent/skills/colon/SKILL.md
---
name: plug:sk
description: colon
---
//- home/.omp/agent/skills/colon/p
file of colon
//- project/.omp/skills -> ../.agents/skills
",
    );
    let manifest = text(&context, &["read", "pdf"]);
    for host in ["omp", "omp@seed", "openoxide"] {
        let ask = |url: &'static str| {
            let output = run(&context, &["read", url, "--host", host, "--json"]);
            assert!(!output.stdout.contains("[ROOT]") && !output.stdout.contains("SECRET"), "{url}: {output}");
            let answer: Value =
                serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{url}: {error}\n{output}"));
            match answer["refused"]["problem"].as_str() {
                Some(problem) => (problem.to_owned(), answer["refused"]["text"].as_str().unwrap().to_owned()),
                None => {
                    (answer["content_type"].as_str().unwrap().to_owned(), answer["text"].as_str().unwrap().to_owned())
                }
            }
        };
        let file = |url: &'static str, kind: &str, content: &str| {
            assert_eq!(ask(url), (kind.to_owned(), content.to_owned()), "{host} {url}");
        };
        let problem = |url: &'static str, problem: &str| assert_eq!(ask(url).0, problem, "{host} {url}");
        for url in
            ["skill://pdf", "skill://pdf/", "skill://pdf/.", "skill://pdf?x#y", "SKILL://pdf", "skill://pdf/./SKILL.md"]
        {
            file(url, "text/markdown", &manifest);
        }
        file("skill://pdf/references/../SKILL.md", "text/markdown", &manifest);
        file("skill://pdf/references/tables.md", "text/markdown", "Tables\n");
        file("skill://pdf/references/a%20b.md", "text/markdown", "blank\n");
        file("skill://pdf/references/a b.md", "text/markdown", "blank\n");
        file("skill://pdf/references/a%2520b.md", "text/markdown", "percent\n");
        file("skill://pdf/references/what%3F.md", "text/markdown", "question\n");
        file("skill://pdf/..hidden", "text/plain", "dots\n");
        file("skill://pdf/NOTES.MD", "text/markdown", "notes\n");
        file("skill://pdf/page.mdx", if host == "omp@seed" { "text/plain" } else { "text/markdown" }, "mdx\n");
        file("skill://pdf/data.json", if host == "openoxide" { "application/json" } else { "text/plain" }, "{}\n");
        for url in ["skill://", "skill:///SKILL.md"] {
            problem(url, "no-name");
        }
        for url in ["skill://PDF", "skill://nope", "skill://user@pdf/x", "skill://pdf:80/x"] {
            problem(url, "unknown-skill");
        }
        for url in [
            "skill://pdf/../pdf-old/SKILL.md",
            "skill://pdf/%2e%2e/pdf-old/SKILL.md",
            "skill://pdf/references/../../pdf-old/SKILL.md",
            "skill://pdf/..%2Fpdf-old%2FSKILL.md",
        ] {
            problem(url, "traversal");
        }
        for url in ["skill://pdf//etc/passwd", "skill://pdf/%2Fetc%2Fpasswd"] {
            problem(url, "absolute");
        }
        problem("skill://pdf/out.md", "escapes");
        problem("skill://pdf/out/secret.md", "escapes");
        problem("skill://pdf/missing.md", "not-found");
        problem("skill://pdf/bad%zz", "encoding");
        problem("skill://pdf/a%00b", "nul");
        problem("skill://pdf/nul", "binary");
        problem("skill://pdf/latin", "not-utf8");
        problem("skill://pdf/pipe", "special");
        if host == "omp@seed" {
            file("skill://pdf/references%2F..%2FSKILL.md", "text/markdown", &manifest);
            assert_eq!(ask("skill://pdf/references"), ("folder".to_owned(), "File not found: references".to_owned()));
        } else {
            problem("skill://pdf/references%2F..%2FSKILL.md", "traversal");
            for url in ["skill://pdf/references", "skill://pdf/references/"] {
                file(url, "text/plain", "a b.md\na%20b.md\ntables.md\nwhat?.md");
            }
            let empty = if host == "omp" { "(empty directory)" } else { "(empty folder)" };
            file("skill://pdf/empty", "text/plain", empty);
        }
        if host != "openoxide" {
            for url in ["skill://My Skill", "skill://My%20Skill"] {
                assert_eq!(ask(url).0, "text/markdown", "{host} {url}");
            }
            for url in ["skill://plug:sk/p", "skill://plug%3Ask/p"] {
                file(url, "text/plain", "file of colon\n");
            }
            problem("skill://plug:sk/../pdf/SKILL.md", "traversal");
            let unknown = ask("skill://nope").1;
            assert_eq!(unknown, "Unknown skill: nope\nAvailable: My Skill, pdf, pdf-old, plug:sk");
            assert_eq!(ask("skill://").1, "skill:// URL requires a skill name: skill://<name>");
            assert_eq!(ask("skill://pdf/missing.md").1, "File not found: missing.md");
            assert_eq!(ask("skill://pdf//x").1, "Absolute paths are not allowed in skill:// URLs");
            assert_eq!(ask("skill://pdf/../x").1, "Path traversal (..) is not allowed in skill:// URLs");
        }
    }
}

#[test]
fn remcochat_speaks_its_own_words() {
    let context = furnished();
    context.tree("//- project/config.toml\n[app.skills]\nenabled = true\nmax_resource_bytes = 1000\n");
    fs_err::write(context.project().join(".agents/skills/pdf/long.md"), "é".repeat(600)).unwrap();
    for host in ["remcochat", "remcochat@code"] {
        let words = |path: &str| refused(&context, &["pdf", path, "--host", host]).1;
        assert_eq!(words("  "), "Missing resource path.");
        assert_eq!(words("/x"), "Absolute paths are not allowed.");
        assert_eq!(words("\\x"), "Absolute paths are not allowed.");
        assert_eq!(words("C:\\x"), "Absolute paths are not allowed.");
        assert_eq!(words("."), "Invalid resource path.");
        assert_eq!(words("references\\..\\..\\x"), "Path traversal is not allowed.");
        assert_eq!(words("missing"), "Resource not found.");
        assert_eq!(words("out.md"), "Access denied.");
        assert_eq!(words("references"), "Not a file.");
        assert_eq!(words("nul"), "Binary not supported.");
        assert_eq!(words("latin"), "Binary not supported.");
        assert_eq!(refused(&context, &["nope", "x", "--host", host]).1, "Unknown skill: nope");
        assert_eq!(text(&context, &["read", "pdf", " references\\tables.md ", "--host", host]), "Tables\n");
        let cut = text(&context, &["read", "pdf", "long.md", "--host", host]);
        let notice = "\n\n[REMCOCHAT_SKILLS_TRUNCATED: resource; 200 bytes removed]";
        assert_eq!(cut, format!("{}{notice}", "é".repeat(500)));
        let address = run(&context, &["read", "skill://pdf", "--host", host]);
        assert_eq!(address.status, Some(2), "{address}");
    }
}

#[test]
fn what_a_caller_may_not_call_cannot_be_read() {
    let context = TestContext::new();
    let skill = |place: &str, name: &str, more: &str| {
        context.tree(&format!(
            "//- {place}/{name}/SKILL.md\n---\nname: {name}\ndescription: d\n{more}---\nBody of {place}\n"
        ));
    };
    skill("home/.agents/skills", "mine", "disable-model-invocation: true\n");
    skill("home/.agents/skills", "models", "user-invocable: false\n");
    skill("home/.agents/skills", "both", "");
    skill("home/.agents/skills", "off", "");
    skill("project/.agents/skills", "both", "");
    assert_eq!(run(&context, &["disable", "off", "--yes", "--host", "openoxide"]).status, Some(0));
    let as_user = |name: &str| run(&context, &["read", name, "--as", "user"]);
    let as_model = |name: &str| run(&context, &["read", name, "--as", "model"]);
    assert_eq!((as_user("mine").status, as_model("mine").status), (Some(0), Some(1)));
    assert_eq!((as_user("models").status, as_model("models").status), (Some(1), Some(0)));
    assert_eq!((as_user("both").status, as_model("both").status), (Some(0), Some(0)));
    assert_eq!((as_user("off").status, as_model("off").status), (Some(1), Some(1)));
    // To the model, what it may not call is not there.
    for name in ["mine", "off", "nope"] {
        let told = as_model(name).stderr;
        let start = format!("error: no skill is called `{name}`; there are: both, models");
        assert!(told.starts_with(&start), "{told}");
    }
    assert!(as_user("off").stderr.contains("may not be called"), "{}", as_user("off"));
    // A name means the skill that has it; the other one is reached by its path.
    assert!(as_user("both").stdout.contains("Body of home"));
    assert!(as_user(".agents/skills/both").stdout.contains("Body of project"));
}

#[test]
fn nothing_hangs_and_nothing_takes_much() {
    let context = furnished();
    let pdf = context.project().join(".agents/skills/pdf");
    let sparse = |name: &str, text: &str| {
        fs_err::write(pdf.join(name), text).unwrap();
        std::fs::File::options().write(true).open(pdf.join(name)).unwrap().set_len(8 << 30).unwrap();
    };
    sparse("large.md", &"x".repeat(2_500_000));
    sparse("zeros", "");
    let _socket = std::os::unix::net::UnixListener::bind(pdf.join("socket")).unwrap();
    // Zeros follow the part that would be sent: it is no text.
    assert_eq!(refused(&context, &["pdf", "large.md"]).0, "binary");
    assert_eq!(refused(&context, &["pdf", "zeros"]).0, "binary");
    assert_eq!(refused(&context, &["pdf", "socket"]).0, "special");
    assert_eq!(refused(&context, &["pdf", "pipe"]).0, "special");
    assert_eq!(json(&context, &["read", "pdf", "zeros", "--json", "--base64"])["refused"]["problem"], "too-large");
    for args in [&["read", "pdf", "large.md"][..], &["read", "pdf", "zeros"], &["read", "pdf", "zeros", "--base64"]] {
        let Some(calls) = traced(&context, "trace=read,readv,pread64,preadv,preadv2", args) else {
            return skipped("strace does not run here, so what is read was not counted");
        };
        let bytes: u64 = calls.lines().filter_map(|line| line.rsplit_once(" = ")?.1.parse::<u64>().ok()).sum();
        assert!((1..64 << 20).contains(&bytes), "{args:?} reads {bytes} bytes of 8 GiB");
    }
}

#[test]
fn rules_on_reading_hold_and_a_denied_name_does_not_leak() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "open", "open"));
    context.tree(&skill_file("project/.agents/skills", "closed", "closed"));
    context.tree(
        "//- project/.agents/skills/open/a.md\nA\n//- project/.agents/skills/open/b.md\nB\n//- home/.openoxide/config.toml\n\
         [permission.skill]\nclosed = \"deny\"\n[permission.read]\n\"open/a.md\" = \"deny\"\n\"open/b.md\" = \"ask\"\n",
    );
    for caller in ["user", "model"] {
        let read = |args: &[&str]| run(&context, &[&["read", "--as", caller][..], args].concat());
        assert_eq!(read(&["open"]).status, Some(0), "{caller}");
        let denied = read(&["open", "a.md", "--yes"]);
        assert_eq!((denied.status, denied.stdout.as_str()), (Some(1), ""), "{denied}");
        let asked = read(&["open", "b.md"]);
        assert_eq!((asked.status, asked.stdout.as_str()), (Some(1), ""), "{asked}");
        assert!(asked.stderr.contains("reading `open/b.md` needs your approval"), "{asked}");
        assert_eq!(read(&["open", "b.md", "--yes"]).stdout, "B\n");
        assert_eq!(read(&["closed"]).status, Some(1));
    }
    let unknown = run(&context, &["read", "--as", "model", "none"]).to_string();
    let denied = run(&context, &["read", "--as", "model", "closed"]).to_string();
    assert_eq!(denied.replace("closed", "none"), unknown, "the model cannot tell one from the other");
    assert!(!unknown.contains("closed"), "{unknown}");
}

#[test]
fn a_folder_that_may_not_be_read_is_not_listed() {
    let context = TestContext::new();
    context.tree(&skill_file("project/.agents/skills", "open", "open"));
    context.tree(
        "//- project/.agents/skills/open/notes/a.md\nA\n//- home/.openoxide/config.toml\n\
         [permission.read]\n\"open/notes\" = \"deny\"\n\"open/notes/*\" = \"deny\"\n",
    );
    let denied = run(&context, &["read", "open", "notes", "--json"]);
    assert_eq!(denied.status, Some(1), "{denied}");
    assert!(denied.to_string().contains("forbidden") && !denied.to_string().contains("a.md"), "{denied}");
}
