//! Writes HTML pages that load nothing and escape every text.

use axum::response::{IntoResponse, Response};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("html.css");

/// A page that is being written. Tags and attributes are our own; everything else is escaped.
pub(crate) struct Page {
    html: String,
}

impl Page {
    pub(crate) fn new(title: &str) -> Page {
        let mut page = Page { html: String::from("<!doctype html>\n") };
        page.open("html", &[("lang", "en")]);
        page.open("head", &[]);
        page.html.push_str("<meta charset=\"utf-8\">");
        page.html.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        page.html.push_str("<meta name=\"color-scheme\" content=\"light dark\">");
        page.tag("title", &[], title);
        page.html.push_str("<style>");
        page.html.push_str(STYLE);
        page.html.push_str("</style></head>");
        page.open("body", &[]);
        page
    }

    pub(crate) fn open(&mut self, tag: &'static str, attributes: &[(&'static str, &str)]) {
        self.html.push('<');
        self.html.push_str(tag);
        for (name, value) in attributes {
            self.html.push(' ');
            self.html.push_str(name);
            self.html.push_str("=\"");
            self.text(value);
            self.html.push('"');
        }
        self.html.push('>');
    }

    pub(crate) fn close(&mut self, tag: &'static str) {
        self.html.push_str("</");
        self.html.push_str(tag);
        self.html.push('>');
    }

    /// Writes text, escaped.
    pub(crate) fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.html.push_str("&amp;"),
                '<' => self.html.push_str("&lt;"),
                '>' => self.html.push_str("&gt;"),
                '"' => self.html.push_str("&quot;"),
                '\'' => self.html.push_str("&#39;"),
                letter => self.html.push(letter),
            }
        }
    }

    /// Writes an element with text in it.
    pub(crate) fn tag(&mut self, tag: &'static str, attributes: &[(&'static str, &str)], text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// Writes a sentence in which what stands in backticks is code.
    pub(crate) fn prose(&mut self, tag: &'static str, text: &str) {
        self.open(tag, &[]);
        for (index, piece) in text.split('`').enumerate() {
            if index % 2 == 1 { self.tag("code", &[], piece) } else { self.text(piece) }
        }
        self.close(tag);
    }

    pub(crate) fn send(mut self) -> Response {
        self.close("body");
        self.close("html");
        self.html.push('\n');
        let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        let mut page = Page { html: String::new() };
        page.tag("a", &[("href", "\"><script>")], "<b>&'</b>");
        page.prose("p", "run `a<b` now");
        let expected = "<a href=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&amp;&#39;&lt;/b&gt;</a>\
                        <p>run <code>a&lt;b</code> now</p>";
        assert_eq!(page.html, expected);
    }
}
