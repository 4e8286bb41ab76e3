//! What an honest server offers, in both protocols and over both transports.

use openoxide_mcp_client::{BlockingRemote, Limits, Remote, RemoteName};
use openoxide_skills::host::Caller;
use serde_json::json;

use crate::{find, load, over_http, over_pipes};

const BODY: &str = "---\nname: \"pdf\"\ndescription: \"Reads forms\"\n---\nBody\n";

async fn check(remote: &Remote) {
    let listing = remote.list().await;
    assert_eq!(listing.problems, []);
    assert!(listing.skills.iter().any(|skill| skill.to_string() == "mcp:docs/pdf"));
    let skill = find(remote, "mcp:docs/pdf").await.unwrap();
    assert_eq!(skill.offer(Caller::User).about, "Reads forms");
    assert_eq!(remote.load(&skill).await.unwrap(), BODY);
    assert_eq!(remote.read(&skill, "references/FORMS.md").await.unwrap(), b"Forms\n");
    assert_eq!(remote.read(&skill, "skill://pdf/references/FORMS.md").await.unwrap(), b"Forms\n");
    assert_eq!(remote.read(&skill, "a.bin").await.unwrap(), [0, 255]);
    assert_eq!(remote.files(&skill).await.unwrap(), ["SKILL.md", "a.bin", "references/FORMS.md"]);
    remote.close().await;
}

#[tokio::test]
async fn over_pipes_in_the_new_protocol() {
    check(&over_pipes("good", Limits::default())).await;
}

#[tokio::test]
async fn over_pipes_in_the_old_protocol() {
    check(&over_pipes("legacy", Limits::default())).await;
}

#[tokio::test]
async fn over_http_in_the_old_protocol() {
    check(&over_http("legacy", Limits::default()).0).await;
}

#[tokio::test]
async fn nothing_is_fetched_before_it_is_needed() {
    let (remote, served) = over_http("good", Limits::default());
    assert_eq!(served.seen(), [""; 0]);
    remote.list().await;
    let skill = find(&remote, "mcp:docs/pdf").await.unwrap();
    assert_eq!(served.seen(), ["server/discover", "skills/list"]);
    remote.load(&skill).await.unwrap();
    assert_eq!(served.seen()[2..], ["resources/read skill://pdf/SKILL.md"]);
    remote.read(&skill, "a.bin").await.unwrap();
    assert_eq!(served.seen()[3..], ["resources/read skill://pdf/a.bin"]);
}

#[tokio::test]
async fn each_request_says_who_asks_and_that_skills_are_understood() {
    let (remote, served) = over_http("good", Limits::default());
    remote.list().await;
    for params in served.params() {
        let meta = &params["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        let extensions = &meta["io.modelcontextprotocol/clientCapabilities"]["extensions"];
        assert_eq!(extensions["io.modelcontextprotocol/skills"], json!({}), "{params}");
    }
    let (remote, served) = over_http("legacy", Limits::default());
    remote.list().await;
    let hello = &served.params()[1];
    assert_eq!(hello["protocolVersion"], "2025-11-25");
    assert_eq!(hello["capabilities"]["extensions"]["io.modelcontextprotocol/skills"], json!({}));
}

#[tokio::test]
async fn a_skill_is_found_by_its_path_its_name_or_its_address() {
    let remote = over_http("good", Limits::default()).0;
    for name in [
        "mcp:docs/acme/billing/refunds",
        "mcp:docs/refunds",
        "mcp:docs/skill://acme/billing/refunds",
        "mcp:docs/skill://acme/billing/refunds/SKILL.md",
    ] {
        assert_eq!(find(&remote, name).await.unwrap().to_string(), "mcp:docs/acme/billing/refunds", "{name}");
    }
    let unknown = find(&remote, "mcp:docs/pfd").await.unwrap_err();
    assert_eq!(unknown.to_string(), "the MCP server `docs` has no skill `pfd`");
    assert_eq!(unknown.help.as_deref(), Some("did you mean `mcp:docs/pdf`?"));
}

#[tokio::test]
async fn a_skill_that_is_not_listed_is_asked_for() {
    let (remote, served) = over_http("unlisted", Limits::default());
    assert_eq!(load(&remote, "mcp:docs/pdf").await.as_deref(), Ok(BODY));
    assert!(served.seen().contains(&"skills/get skill://pdf/SKILL.md".to_owned()));
    assert!(load(&remote, "mcp:docs/other").await.unwrap_err().contains("has no skill `other`"));
}

#[tokio::test]
async fn what_is_made_up_as_it_is_asked_for_is_read_too() {
    let remote = over_http("dynamic", Limits::default()).0;
    let skill = find(&remote, "mcp:docs/pdf").await.unwrap();
    assert_eq!(skill.offer(Caller::User).digest, None);
    assert_eq!(remote.load(&skill).await.unwrap(), BODY);
    assert_eq!(remote.read(&skill, "new.md").await.unwrap(), b"new");
    assert_eq!(remote.files(&skill).await.unwrap(), ["SKILL.md", "a.bin", "new.md", "references/FORMS.md"]);
}

#[tokio::test]
async fn a_list_counts_as_long_as_the_server_says() {
    let (remote, served) = over_http("fresh", Limits::default());
    remote.list().await;
    remote.list().await;
    assert_eq!(served.seen(), ["server/discover", "skills/list"]);
    let (remote, served) = over_http("good", Limits::default());
    remote.list().await;
    remote.list().await;
    assert_eq!(served.seen(), ["server/discover", "skills/list"], "a second at least, whatever the server says");
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    remote.list().await;
    assert_eq!(served.seen(), ["server/discover", "skills/list", "skills/list"]);
}

#[test]
fn somebody_who_waits_gets_the_same() {
    let (remote, _served) = over_http("good", Limits::default());
    let remote = BlockingRemote::new(remote).unwrap();
    remote.wait(async |remote| {
        assert_eq!(remote.list().await.skills.len(), 2);
        let skill = remote.find(&RemoteName::parse("mcp:docs/pdf").unwrap()).await.unwrap();
        assert_eq!(remote.load(&skill).await.unwrap(), BODY);
        assert_eq!(remote.read(&skill, "a.bin").await.unwrap(), [0, 255]);
    });
}
