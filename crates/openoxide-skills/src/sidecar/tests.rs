//! Tests of reading metadata files.

use super::*;

const GOOD: &str = "interface:\n  display_name: PDF\n  icon_small: ./assets/a.png\n  brand_color: '#A1B2C3'\n\
    dependencies:\n  tools:\n    - type: env_var\n      value: PDF_KEY\n    - type: mcp\n\
    policy:\n  allow_implicit_invocation: false\n  products: [codex]\n\
    permissions:\n  file_system:\n    read: [~/x]\n  network:\n    enabled: true\n  macos_preferences: readonly\n";

fn read_with(text: &str, bad: SidecarBad) -> (Metadata, Vec<String>) {
    let rules = SidecarRules { bad, ..SidecarRules::default() };
    let (metadata, problems) = read(text.as_bytes(), Path::new("/s"), None, &rules);
    (metadata, problems.iter().map(|problem| problem.message.clone()).collect())
}

#[test]
fn every_part_is_read() {
    let (metadata, problems) = read_with(GOOD, SidecarBad::Field);
    let interface = metadata.interface.unwrap();
    assert_eq!(interface.display_name.as_deref(), Some("PDF"));
    assert_eq!(interface.icon_small.as_deref(), Some(Path::new("/s/assets/a.png")));
    assert_eq!(metadata.dependencies.unwrap().tools.len(), 1);
    assert!(!metadata.policy.allow_implicit_invocation);
    let permissions = metadata.permissions.unwrap();
    assert_eq!((permissions.network, permissions.other.len()), (Some(true), 1));
    assert_eq!(problems, ["`dependencies.tools` is ignored: an item needs `type` and `value`"]);
}

#[test]
fn permissions_in_every_form() {
    let profile = |text: &str| {
        let (metadata, problems) = read_with(&format!("permissions:\n{text}"), SidecarBad::File);
        (metadata.permissions.map(|profile| *profile).unwrap_or_default(), problems)
    };
    let (all, problems) = profile(
        "  file_system:\n    read: [./data, ~/x]\n    write: [/tmp/out]\n    exec: [/bin]\n\
         \x20 network:\n    enabled: true\n    allowed_domains: [example.org]\n\
         \x20 macos:\n    preferences: readonly\n    automation: [com.apple.Notes]\n\
         \x20 macos_accessibility: true\n  approval_policy: never\n",
    );
    assert_eq!(problems, [""; 0]);
    assert_eq!(
        (all.file_system_read, all.file_system_write),
        (vec!["./data".into(), "~/x".into()], vec!["/tmp/out".into()])
    );
    assert_eq!((all.network, all.approval_policy.as_deref()), (Some(true), Some("never")));
    let others: Vec<&str> = all.other.keys().map(String::as_str).collect();
    assert_eq!(others, ["file_system.exec", "macos", "macos_accessibility", "network.allowed_domains"]);
    assert_eq!(all.other["network.allowed_domains"], "[example.org]");
    assert_eq!(profile("  network: true\n").0.network, Some(true));
    assert_eq!(profile("  network: {enabled: false}\n").0.network, Some(false));
}

#[test]
fn bad_permissions_are_said_and_cost_nothing_else() {
    let rows = [
        ("permissions: all\n", "`permissions` is ignored: it must be a map"),
        ("permissions: {network: maybe}\n", "`permissions.network` is ignored: it must be `true` or `false`"),
        ("permissions: {approval_policy: [x]}\n", "`permissions.approval_policy` is ignored: it must be a word"),
        (
            "permissions: {file_system: {read: /x}}\n",
            "`permissions.file_system.read` is ignored: it must be a list of paths",
        ),
        (
            "permissions: {file_system: [/x]}\n",
            "`permissions.file_system` is ignored: it must be a map with `read` and `write`",
        ),
    ];
    for (text, expected) in rows {
        let (metadata, problems) = read_with(&format!("interface: {{display_name: X}}\n{text}"), SidecarBad::File);
        assert_eq!((metadata.permissions, problems), (None, vec![expected.to_owned()]));
        assert!(metadata.interface.is_some(), "{text}");
    }
}

#[test]
fn one_bad_value_costs_itself_or_the_file() {
    let text = GOOD.replace("display_name: PDF", "display_name: [PDF]");
    let (metadata, _) = read_with(&text, SidecarBad::Field);
    assert!(metadata.interface.is_some_and(|interface| interface.display_name.is_none()));
    assert!(!metadata.policy.allow_implicit_invocation);
    let (metadata, _) = read_with(&text, SidecarBad::File);
    assert_eq!(metadata, Metadata { keeps_from_model: true, ..Metadata::default() });
}

/// A host may drop the file, or skip the value: a careful reader takes it for a no.
#[test]
fn what_is_unclear_about_the_model_closes() {
    for (text, closes) in [
        ("policy: {allow_implicit_invocation: false}", true),
        ("policy: {allow_implicit_invocation: \"no\"}", true),
        ("policy: {allow_implicit_invocation: [true]}", true),
        ("policy: {allow-implicit-invocation: 0}", true),
        ("policy: [{allow_implicit_invocation: false}]", true),
        ("base: &base {allow_implicit_invocation: false}\npolicy: {<<: *base}", true),
        ("base: &base {policy: {allow_implicit_invocation: false}}\n<<: [*base]", true),
        ("policy: {allow_implicit_invocation: false\n", true),
        ("policy: {allow_implicit_invocation: true}", false),
        ("policy: {allow_implicit_invocation: ~}", false),
        ("policy: {products: [codex]}", false),
        ("interface: {display_name: [X]}", false),
    ] {
        for bad in [SidecarBad::Field, SidecarBad::File] {
            assert_eq!(read_with(text, bad).0.keeps_from_model, closes, "{text}");
        }
    }
    let wrong = read_with("policy: {allow_implicit_invocation: \"no\"}", SidecarBad::Field).0;
    assert!(!wrong.policy.allow_implicit_invocation);
}

#[test]
fn a_login_that_cannot_be_read_costs_the_file_where_a_wrong_value_does() {
    let tools = |oauth: &str, bad| {
        let text = format!("dependencies: {{tools: [{{type: mcp, value: v, oauth: {oauth}}}]}}\n");
        read_with(&text, bad).0.dependencies.is_some()
    };
    let good = ["~", "{}", "{a: b}", "{callbackPort: 80}", "{callback_port: 0}", "{callbackPort: 0x50}"];
    for oauth in good.into_iter().chain(["{callbackPort: 65535}", "{callbackPort: ~}", "{callbackPort: +80}"]) {
        assert!(tools(oauth, SidecarBad::File), "{oauth}");
    }
    let bad = ["x", "[]", "{callbackPort: '80'}", "{callbackPort: 65536}", "{callbackPort: -1}", "{callbackPort: 080}"];
    for oauth in bad.into_iter().chain(["{callbackPort: 80.0}", "{callbackPort: 1, callback_port: 2}"]) {
        assert!(!tools(oauth, SidecarBad::File), "{oauth}");
        assert!(tools(oauth, SidecarBad::Field), "{oauth}");
    }
}

#[test]
fn icons_stay_in_assets() {
    for path in ["../x.png", "/x.png", "assets/../x.png", "images/x.png", ""] {
        let (metadata, problems) = read_with(&format!("interface:\n  icon_small: '{path}'\n"), SidecarBad::Field);
        assert_eq!((metadata.interface, problems.len()), (None, 1), "{path}");
    }
}

#[test]
fn icons_of_a_plugin_may_be_the_plugins_own() {
    let icon = |path: &str, plugin_assets| {
        let rules = SidecarRules { plugin_assets, ..SidecarRules::default() };
        let text = format!("interface:\n  icon_small: '{path}'\n");
        let (metadata, _) = read(text.as_bytes(), Path::new("/p/skills/s"), Some(Path::new("/p")), &rules);
        metadata.interface.and_then(|interface| interface.icon_small)
    };
    assert_eq!(icon("../../assets/x.png", true), Some("/p/assets/x.png".into()));
    assert_eq!(icon("../../assets/x.png", false), None);
    for path in ["../assets/x.png", "../../assets", "../../assets/../x.png", "../../../p2/assets/x", "/p/assets/x.png"]
    {
        assert_eq!(icon(path, true), None, "{path}");
    }
}
