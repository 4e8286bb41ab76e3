//! Every lie of a server that is refused, and what is said.

use std::time::Duration;

use openoxide_mcp_client::Limits;
use openoxide_skills::host::Caller;

use crate::{find, load, over_http, over_pipes};

/// Bounds that a test reaches quickly.
fn small() -> Limits {
    Limits { message: 64 * 1024, pages: 5, skills: 25, request: Duration::from_secs(5), ..Limits::default() }
}

#[tokio::test]
async fn what_arrives_must_be_what_was_listed() {
    let rows = [
        ("frontmatter", "`mcp:docs/pdf/SKILL.md` is not used: `description` in its frontmatter is not what was listed"),
        (
            "more-frontmatter",
            "`mcp:docs/pdf/SKILL.md` is not used: `allowed-tools` in its frontmatter is not what was listed",
        ),
        ("digest", "`mcp:docs/pdf/SKILL.md` is not used: it is not what was listed: its digest is another"),
        ("size", "`mcp:docs/pdf/SKILL.md` is not used: 61 bytes arrived, and 52 were listed"),
        ("rotation", "`mcp:docs/pdf/SKILL.md` is not used: it is not what was listed: its digest is another"),
        ("other-content", "the MCP server `docs` answered `resources/read` wrongly: it is the content of another file"),
        ("two-contents", "the MCP server `docs` answered `resources/read` wrongly: it is not the content of one file"),
        ("bad-blob", "the MCP server `docs` answered `resources/read` wrongly: its bytes are not in base 64"),
        ("huge", "the MCP server `docs` cannot be used: a message is longer than 65536 bytes"),
    ];
    for (which, said) in rows {
        let (remote, served) = over_http(which, small());
        assert_eq!(load(&remote, "mcp:docs/pdf").await, Err(said.to_owned()), "{which} over HTTP");
        let reads: Vec<String> = served.seen().into_iter().filter(|line| line.starts_with("resources/read")).collect();
        assert_eq!(reads, ["resources/read skill://pdf/SKILL.md"], "{which}: nothing more is asked for");
        let remote = over_pipes(which, small());
        assert_eq!(load(&remote, "mcp:docs/pdf").await, Err(said.to_owned()), "{which} over pipes");
        remote.close().await;
    }
}

#[tokio::test]
async fn a_file_that_was_swapped_is_not_used_and_the_list_is_asked_for_anew() {
    let (remote, served) = over_http("swap", Limits::default());
    let skill = find(&remote, "mcp:docs/pdf").await.unwrap();
    remote.load(&skill).await.unwrap();
    let error = remote.read(&skill, "references/FORMS.md").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`mcp:docs/pdf/references/FORMS.md` is not used: it is not what was listed: its digest is another"
    );
    remote.list().await;
    assert_eq!(served.seen().iter().filter(|line| *line == "skills/list").count(), 2);
}

#[tokio::test]
async fn only_what_is_listed_is_asked_for() {
    let (remote, served) = over_http("good", Limits::default());
    let skill = find(&remote, "mcp:docs/pdf").await.unwrap();
    let before = served.seen().len();
    for wanted in [
        "other.md",
        "../refunds/SKILL.md",
        "/etc/passwd",
        "",
        "skill://acme/billing/refunds/SKILL.md",
        "skill://pdf/../acme/billing/refunds/SKILL.md",
        "skill://pdf",
        "file:///etc/passwd",
        "file:/etc/passwd",
        "https://example.com/x",
        "references/forms.md",
    ] {
        let error = remote.read(&skill, wanted).await.unwrap_err().to_string();
        assert!(error.ends_with("is not used: it is not among the files that were listed"), "{wanted}: {error}");
    }
    assert_eq!(served.seen().len(), before, "the server was not asked");
}

#[tokio::test]
async fn a_skill_leads_to_its_own_server_and_no_other() {
    use crate::{at, offers::offer};
    let (one, two) = (offer("good").serve_http(), offer("good").serve_http());
    let servers = vec![at("one", &one.url), at("two", &two.url)];
    let remote = openoxide_mcp_client::Remote::new(servers, openoxide_mcp_client::RemoteOptions::default());
    let listing = remote.list().await;
    assert_eq!(listing.skills.len(), 4);
    assert_ne!(
        listing.skills[1].to_string(),
        listing.skills[3].to_string(),
        "the same address, and not the same skill"
    );
    let skill = find(&remote, "mcp:one/pdf").await.unwrap();
    let before = two.seen();
    remote.load(&skill).await.unwrap();
    remote.read(&skill, "a.bin").await.unwrap();
    assert_eq!(two.seen(), before);
    let unknown = find(&remote, "mcp:three/pdf").await.unwrap_err();
    assert_eq!(unknown.to_string(), "no MCP server is called `three`");
    assert_eq!(unknown.help.as_deref(), Some("there are `one`, `two`"));
}

#[tokio::test]
async fn a_bad_entry_is_told_and_never_loaded() {
    let entry = |skill: &str, why: &str| format!("`{skill}` of the MCP server `docs` is not loaded: {why}");
    let own = "skill://pdf/SKILL.md";
    let rows = [
        (
            "file-address",
            entry("file:///etc/pdf/SKILL.md", "its address cannot be used: it means a file of this machine"),
        ),
        ("file-short", entry(own, "the address of a file cannot be used: it means a file of this machine")),
        (
            "other-folder",
            entry(own, "the address of a file cannot be used: it has a part that is empty or leads elsewhere"),
        ),
        ("no-resources", entry(own, "`resources` is missing or wrong")),
        ("other-name", entry(own, "it is called `docx`, and its address says `pdf`")),
        ("twice", entry(own, "it is listed twice")),
    ];
    for (which, said) in rows {
        let (remote, served) = over_http(which, Limits::default());
        let listing = remote.list().await;
        let problems: Vec<String> = listing.problems.iter().map(ToString::to_string).collect();
        assert_eq!((listing.skills, problems), (vec![], vec![said.clone()]), "{which}");
        load(&remote, "mcp:docs/pdf").await.unwrap_err();
        assert!(!served.seen().iter().any(|line| line.starts_with("resources/read")), "{which}");
    }
}

#[tokio::test]
async fn an_answer_to_something_else_is_refused() {
    let rows = [
        ("question", "the MCP server `docs` answered `skills/list` wrongly: it is not complete"),
        ("no-list", "the MCP server `docs` answered `skills/list` wrongly: `skills` is missing or wrong"),
        ("other-entry", "the MCP server `docs` answered `skills/get` wrongly: it is the entry of another skill"),
    ];
    for (which, said) in rows {
        assert_eq!(load(&over_http(which, Limits::default()).0, "mcp:docs/pdf").await, Err(said.to_owned()), "{which}");
    }
}

#[tokio::test]
async fn a_list_has_an_end() {
    let rows = [
        ("endless", "the MCP server `docs` lists too much: more than 5 pages", 0),
        ("circle", "the MCP server `docs` lists too much: a page leads back to one before", 0),
        ("crowd", "the MCP server `docs` lists too much: more than 25 skills", 25),
        ("throng", "the MCP server `docs` lists too much: more than 25 skills", 25),
    ];
    for (which, said, skills) in rows {
        let (remote, served) = over_http(which, small());
        let listing = remote.list().await;
        let problems: Vec<String> = listing.problems.iter().map(ToString::to_string).collect();
        assert_eq!((problems, listing.skills.len()), (vec![said.to_owned()], skills), "{which}");
        assert!(served.seen().len() <= 6, "{which}");
    }
    let limits = Limits { listed: 100, ..small() };
    let listing = over_http("crowd", limits).0.list().await;
    assert_eq!(listing.problems[0].to_string(), "the MCP server `docs` lists too much: more than 100 bytes");
}

#[tokio::test]
async fn of_several_with_a_name_none_is_chosen() {
    let remote = over_http("same-name", Limits::default()).0;
    let exact = find(&remote, "mcp:docs/pdf").await.unwrap();
    assert_eq!(exact.offer(Caller::User).about, "Reads forms", "a whole path is exact");
    let error = find(&remote, "mcp:docs/refunds").await.unwrap_err();
    assert_eq!(error.to_string(), "several skills of the MCP server `docs` are called `refunds`");
    assert_eq!(error.help.as_deref(), Some("say which: `mcp:docs/x/refunds`, `mcp:docs/y/refunds`"));
}

#[tokio::test]
async fn a_folder_cannot_name_what_lies_elsewhere() {
    let remote = over_http("astray", Limits::default()).0;
    let skill = find(&remote, "mcp:docs/pdf").await.unwrap();
    assert_eq!(remote.files(&skill).await.unwrap(), ["SKILL.md", "a.md"]);
}

/// What a server calls a skill reaches nobody as it is.
#[tokio::test]
async fn what_a_bad_entry_says_is_one_short_plain_line() {
    let listing = over_http("shouting", Limits::default()).0.list().await;
    let [problem] = listing.problems.as_slice() else { panic!("{:?}", listing.problems) };
    let said = problem.to_string();
    assert!(said.contains("it is called `x\\u{1b}[2J\\u{202e} yyy"), "{said}");
    assert!(said.len() < 600 && !said.contains(char::is_control), "{said}");
}

#[tokio::test]
async fn ten_thousand_doubles_are_told() {
    let listing = over_http("echo", Limits::default()).0.list().await;
    assert_eq!((listing.skills.len(), listing.problems.len()), (0, 5000));
}
