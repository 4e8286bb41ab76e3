use std::sync::Mutex;

use super::*;

#[test]
fn handles_and_long_paths_are_cut() {
    assert_eq!(shown_path("/v1/skills/pdf"), "/v1/skills/pdf");
    assert_eq!(shown_path("/v1/activations/0123456789abcdef0123456789abcdef"), "/v1/activations/0123…");
    assert_eq!(shown_path(&format!("/{}", "x".repeat(9000))).len(), PATH_MAX + "…".len());
}

#[test]
fn a_bare_level_is_about_our_own_events() {
    let enabled = |filter: Option<&str>, verbose, target: &'static str, level: Level| {
        let options = LogOptions { filter: filter.map(str::to_owned), verbose, ..LogOptions::default() };
        filter_of(&options).would_enable(target, &level)
    };
    assert!(enabled(None, false, "openoxide_server::http", Level::INFO));
    assert!(!enabled(None, false, "openoxide_server::http", Level::DEBUG));
    assert!(enabled(None, true, "openoxide_server::http", Level::DEBUG));
    assert!(!enabled(None, true, "rmcp", Level::ERROR));
    assert!(enabled(Some("trace"), false, "openoxide::request", Level::TRACE));
    assert!(!enabled(Some("trace"), false, "rmcp", Level::ERROR));
    assert!(enabled(Some("rmcp=debug"), false, "rmcp::service", Level::DEBUG));
    assert!(enabled(Some("rmcp=debug"), false, "openoxide::request", Level::INFO));
    assert!(!enabled(Some("openoxide=warn"), false, "openoxide::request", Level::INFO));
    assert!(!enabled(Some("warn"), true, "openoxide::request", Level::INFO));
    let bad = LogOptions { filter: Some("openoxide=loud".to_owned()), ..LogOptions::default() };
    assert_eq!(filter(&bad).unwrap_err().to_string(), "`openoxide=loud` is no filter for the log");
}

fn filter_of(options: &LogOptions) -> Targets {
    filter(options).unwrap()
}

/// Runs with a log of a form, and returns its lines without their times.
fn logged(format: LogFormat, emit: impl FnOnce()) -> Vec<String> {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let written = Arc::clone(&lines);
    let layer = LogLayer { format, write: move |line| written.lock().unwrap().push(line) };
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), emit);
    let lines = std::mem::take(&mut *lines.lock().unwrap());
    let today = timestamp()[..10].to_owned();
    let timeless = |line: String| match line.split_once(&today) {
        Some((before, after)) => format!("{before}T{}", &after["T00:00:00.000Z".len()..]),
        None => line,
    };
    lines.into_iter().map(timeless).collect()
}

#[test]
fn lines_have_the_documented_form() {
    let emit = || {
        tracing::info!(
            target: REQUEST, id = "r1", peer = "127.0.0.1:5", method = "GET", path = "/a\u{1b}", status = 200_u16,
            took_us = 1250_u64
        );
        tracing::warn!("no connection: {}", 5);
        let _span = tracing::debug_span!("request", id = "r2").entered();
        tracing::debug!(skill = "pdf", "skill used");
    };
    let expected = [
        r#"{"time":"T","level":"info","id":"r1","peer":"127.0.0.1:5","method":"GET","path":"/a\u001b","status":200,"took_us":1250}"#,
        r#"{"time":"T","level":"warning","message":"no connection: 5"}"#,
        r#"{"time":"T","level":"debug","message":"skill used","skill":"pdf","id":"r2"}"#,
    ];
    assert_eq!(logged(LogFormat::Json, emit), expected);
    let text = logged(LogFormat::Text, emit);
    assert!(text[0].starts_with("T 200 GET /a") && text[0].ends_with(" 1.2 ms 127.0.0.1:5 r1"), "{text:?}");
    assert!(!text[0].contains('\u{1b}'), "{text:?}");
    assert_eq!(text[1..], ["warning: no connection: 5", "debug: skill used skill=pdf id=r2"]);
}

#[test]
fn no_handle_and_no_code_is_in_a_path() {
    let secret = "0123456789abcdef0123456789abcdef";
    for (path, expected) in [
        (format!("/open/{secret}"), "/open/…"),
        ("/open/short".to_owned(), "/open/…"),
        (format!("/session/{secret}/questions/{secret}"), "/session/0123…/questions/0123…"),
        ("/v1/skills/pdf".to_owned(), "/v1/skills/pdf"),
    ] {
        assert_eq!(shown_path(&path), expected);
    }
}
