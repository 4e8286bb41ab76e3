//! Writes HTML pages that load nothing and escape every text.
//!
//! No template engine: markup is `&'static str`, so the compiler keeps a skill's text from becoming markup.

use axum::response::{IntoResponse, Response};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("html.css");

/// What every page begins with.
const HEAD: &str = concat!(
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    "<meta name=\"color-scheme\" content=\"light dark\">"
);

/// A page that is being written. Markup is our own, and cannot be anyone else's; every other text is escaped.
pub(crate) struct Page {
    html: String,
}

impl Page {
    pub(crate) fn new(title: &str) -> Page {
        let mut page = Page { html: HEAD.to_owned() };
        page.write("<title>{}</title><style>", &[title]);
        page.html += STYLE;
        page.write("</style></head><body><main><h1>{}</h1>", &[title]);
        page
    }

    /// Writes markup, with an escaped text in place of each `{}`.
    pub(crate) fn write(&mut self, markup: &'static str, texts: &[&str]) {
        let mut texts = texts.iter();
        for (index, part) in markup.split("{}").enumerate() {
            if index > 0 {
                self.html += &escaped(texts.next().unwrap_or(&""));
            }
            self.html += part;
        }
    }

    /// Writes a sentence in which what stands in backticks is code.
    pub(crate) fn prose(&mut self, text: &str) {
        for (index, piece) in text.split('`').enumerate() {
            self.write(if index % 2 == 1 { "<code>{}</code>" } else { "{}" }, &[piece]);
        }
    }

    /// Ends a page that sends nothing.
    pub(crate) fn send(self) -> Response {
        self.end("'none'")
    }

    /// Ends a page whose forms go to this server.
    pub(crate) fn send_with_forms(self) -> Response {
        self.end("'self'")
    }

    fn end(mut self, forms: &'static str) -> Response {
        self.html += "</main></body></html>\n";
        let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action {forms}; frame-ancestors 'none'"
        );
        let fixed = HeaderValue::from_static;
        let headers = [
            (CONTENT_TYPE, fixed("text/html; charset=utf-8")),
            (CACHE_CONTROL, fixed("no-store")),
            (X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
            (REFERRER_POLICY, fixed("no-referrer")),
            (CONTENT_SECURITY_POLICY, HeaderValue::try_from(policy).unwrap_or(fixed("default-src 'none'"))),
        ];
        (headers, self.html).into_response()
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        let mut page = Page { html: String::new() };
        page.write("<a href=\"{}\">{}</a><p>", &["\"><script>", "<b>&'{}</b>"]);
        page.prose("run `a<b` now");
        page.write("</p>", &[]);
        let expected = "<a href=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&amp;&#39;{}&lt;/b&gt;</a>\
                        <p>run <code>a&lt;b</code> now</p>";
        assert_eq!(page.html, expected);
    }
}
