//! The HTTP API, as its documentation tells it.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::serve::{Server, answer};
use crate::support::{all_blocks, blocks, is_shown, repository};

/// The conversation of the documentation goes as it says.
#[test]
fn the_documentation_tells_the_truth() {
    let page = fs_err::read_to_string(repository("docs/http.md")).unwrap();
    let context = TestContext::new();
    for block in all_blocks(&page) {
        if let Some((path, _)) = block.file() {
            context.tree(&format!("//- {path}\n{}", block.text));
        }
    }
    let server = Server::start(&context, &["--log", "off"]);
    let browser = server.open(&server.line).unwrap();
    let talk = blocks(&page, "http").remove(0).text;
    let mut handle = String::new();
    let mut lines = talk.lines();
    let mut answers = 0;
    while let (Some(sent), Some(shown)) = (lines.next(), lines.next()) {
        let sent = sent.strip_prefix("> ").unwrap().replace("HANDLE", &handle);
        let (sent, is_users) = match sent.strip_suffix(" as the user") {
            Some(sent) => (sent, true),
            None => (sent.as_str(), false),
        };
        let (line, body) = sent.split_at(sent.find(" {").unwrap_or(sent.len()));
        let (status, text) = match is_users {
            true => browser.send(line, if body.is_empty() { "" } else { "application/json" }, body.trim()),
            false => answer(server.send(line, "", body.trim())),
        };
        let came = text.split_once("\r\n\r\n").unwrap().1;
        let (shown_status, shown) = shown.strip_prefix("< ").unwrap().split_once(' ').unwrap();
        assert_eq!(status.to_string(), shown_status, "{sent}: {text}");
        let as_shown = match (serde_json::from_str::<Value>(shown), serde_json::from_str::<Value>(came)) {
            (Ok(mut shown), Ok(came)) => {
                if shown["handle"] == "HANDLE" {
                    came["handle"].as_str().unwrap().clone_into(&mut handle);
                    shown["handle"] = came["handle"].clone();
                }
                is_shown(&shown, &came)
            }
            (Err(_), _) => came.trim_end() == shown,
            _ => false,
        };
        assert!(as_shown, "{sent}: the page has:\n{shown}\nand this came:\n{came}");
        answers += 1;
    }
    assert!(answers > 10 && lines.next().is_none());
}
