//! Lists that change while somebody listens.

use serde_json::{Value, json};

use super::{Client, NEW, OLD, field, project};

/// Waits until notices of these methods came, in any order.
async fn wait(client: &mut Client, methods: &[&str]) -> Vec<Value> {
    let mut notices: Vec<Value> = std::mem::take(&mut client.notices);
    let came = |notices: &[Value], method: &str| notices.iter().any(|notice| notice["method"] == method);
    while !methods.iter().all(|method| came(&notices, method)) {
        let message = client.read().await;
        assert!(message.get("id").is_none(), "{message}");
        notices.push(message);
    }
    notices
}

const LISTS: &[&str] =
    &["notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"];

#[tokio::test]
async fn a_new_skill_is_told_and_served() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    client.ok("skills/list", json!({})).await;
    context.skill("fresh", "Came later");
    wait(&mut client, LISTS).await;
    let uris = field(&client.ok("skills/list", json!({})).await["skills"], "uri");
    assert!(uris.contains(&"skill://fresh/SKILL.md".to_owned()), "{uris:?}");
    fs_err::remove_dir_all(context.project().join(".agents/skills/fresh")).unwrap();
    wait(&mut client, LISTS).await;
    assert_eq!(client.error("skills/get", json!({ "uri": "skill://fresh/SKILL.md" })).await["code"], -32602);
}

#[tokio::test]
async fn a_subscriber_is_told_what_it_subscribed_to() {
    let context = project();
    let mut client = Client::new(&context, NEW).await;
    client.ok("skills/list", json!({})).await;
    let wanted = json!({ "notifications": { "resourcesListChanged": true } });
    let id = client.begin("subscriptions/listen", wanted).await;
    let acknowledged = client.read().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    context.skill("fresh", "Came later");
    let notices = wait(&mut client, &["notifications/resources/list_changed"]).await;
    assert!(notices.iter().all(|notice| notice["method"] == "notifications/resources/list_changed"), "{notices:?}");
    let told = &notices[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(told, &json!(id), "{notices:?}");
}

/// However often a client says hello, it is told about each change once.
#[tokio::test]
async fn who_says_hello_again_is_not_told_twice() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    for _ in 0..20 {
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    }
    client.ok("skills/list", json!({})).await;
    context.skill("fresh", "Came later");
    let mut notices = wait(&mut client, LISTS).await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    client.ok("ping", json!({})).await;
    notices.append(&mut client.notices);
    let told = notices.iter().filter(|notice| notice["method"] == LISTS[0]).count();
    assert!((1..10).contains(&told), "{told} times");
}

/// A host that reads its skills when it starts has lists that do not change, and says so.
#[tokio::test]
async fn fixed_lists_are_not_said_to_change() {
    let context = project();
    for version in [OLD, NEW] {
        let settings = ["host=\"opencode\""];
        let mut client = Client::named(&context, version, ("test", "1"), &settings).await;
        for list in ["tools", "prompts", "resources"] {
            let capability = &client.greeting["capabilities"][list];
            assert!(capability.is_object() && capability.get("listChanged").is_none(), "{list}: {}", client.greeting);
        }
        let before = client.ok("tools/list", json!({})).await;
        context.skill(&format!("later-{version}"), "Came later");
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        assert_eq!(client.ok("tools/list", json!({})).await, before);
        assert_eq!(client.notices, [Value::Null; 0]);
    }
}
