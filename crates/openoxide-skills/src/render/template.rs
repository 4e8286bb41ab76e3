//! The templates of a host: exact text, strict about names, with a bound on work.

use minijinja::{Environment, UndefinedBehavior, context};

use crate::catalog::Entry;
use crate::host::HostSpec;

/// Steps that one rendering may take.
const FUEL: u64 = 10_000_000;

/// Why a catalog cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The host has no such template.
    #[error("host `{host}` has no template `{template}.jinja`")]
    Missing {
        /// The host.
        host: String,
        /// The template.
        template: &'static str,
    },
    /// A template is wrong.
    #[error("a template of host `{host}` is not usable")]
    Template {
        /// The host.
        host: String,
        /// What is wrong.
        #[source]
        source: minijinja::Error,
    },
}

/// A root and its short name.
#[derive(Clone, Debug)]
pub(super) struct AliasLine {
    pub(super) alias: String,
    pub(super) path: String,
}

/// The two templates of a catalog, ready to use.
pub(super) struct Templates<'t> {
    environment: Environment<'t>,
    host: String,
}

impl<'t> Templates<'t> {
    pub(super) fn new(spec: &'t HostSpec) -> Result<Templates<'t>, RenderError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = minijinja::syntax::SyntaxConfig::builder().trim_blocks(true).build();
        environment.set_syntax(syntax.expect("trimming blocks is valid syntax"));
        environment.set_fuel(Some(FUEL));
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.add_filter("xml", xml);
        environment.add_filter("html", html);
        environment.add_filter("json", json);
        environment.add_filter("file_url", file_url);
        let host = spec.id();
        for name in ["entry", "catalog"] {
            let text =
                spec.template(name).ok_or_else(|| RenderError::Missing { host: host.clone(), template: name })?;
            let added = environment.add_template(name, text);
            added.map_err(|source| RenderError::Template { host: host.clone(), source })?;
        }
        Ok(Templates { environment, host })
    }

    /// Draws one entry with the given text for its description.
    pub(super) fn entry(
        &self,
        name: &str,
        entry: &Entry,
        description: &str,
        path: &str,
    ) -> Result<String, RenderError> {
        let scope = entry.skill.scope.as_str();
        self.draw("entry", context! { name, description, path, scope })
    }

    /// Draws the frame around the entries.
    pub(super) fn catalog(&self, entries: &str, roots: &[AliasLine], left_out: usize) -> Result<String, RenderError> {
        let roots: Vec<_> = roots.iter().map(|root| context! { alias => &root.alias, path => &root.path }).collect();
        Ok(self.draw("catalog", context! { entries, roots, left_out })? + "\n")
    }

    fn draw(&self, template: &str, values: minijinja::Value) -> Result<String, RenderError> {
        let drawn = self.environment.get_template(template).and_then(|template| template.render(values));
        drawn.map_err(|source| RenderError::Template { host: self.host.clone(), source })
    }
}

/// Escapes the five characters that XML reserves.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#x27;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Escapes the same characters, the apostrophe by its decimal number.
fn html(text: &str) -> String {
    xml(text).replace("&#x27;", "&#39;")
}

/// Writes a path as a `file:` address; letters, digits and marks that need no escape stay.
fn file_url(path: &str) -> String {
    let mut url = "file://".to_owned();
    for byte in path.bytes() {
        let stays = byte.is_ascii_alphanumeric() || b"/-_.~!$&'()*+,;=:@[]|^".contains(&byte);
        if stays { url.push(char::from(byte)) } else { url.extend(format!("%{byte:02X}").chars()) }
    }
    url
}

/// Writes a text as a JSON string, escaping no more than JSON asks for.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
