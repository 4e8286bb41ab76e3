//! Renders the templates of a host: exact text, strict about names, with a bound on the work.

use minijinja::{Environment, UndefinedBehavior};

use crate::host::HostSpec;

/// Steps that one rendering may take.
const FUEL: u64 = 10_000_000;

/// Why a text cannot be rendered.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The host has no such template.
    #[error("host `{host}` has no template `{template}.jinja`")]
    Missing {
        /// The host.
        host: String,
        /// The template.
        template: String,
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

/// Some templates of a host, ready to use.
pub(crate) struct Templates<'t> {
    environment: Environment<'t>,
    host: String,
}

impl<'t> Templates<'t> {
    pub(crate) fn new(spec: &'t HostSpec, names: impl IntoIterator<Item = &'t str>) -> Result<Self, RenderError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = minijinja::syntax::SyntaxConfig::builder().trim_blocks(true).build();
        environment.set_syntax(syntax.expect("trimming blocks is valid syntax"));
        environment.set_fuel(Some(FUEL));
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.add_filter("xml", xml);
        // The same characters as `xml`, the apostrophe by its decimal number.
        environment.add_filter("html", |text: &str| xml(text).replace("&#x27;", "&#39;"));
        // A JSON string, escaping no more than JSON asks for.
        environment.add_filter("json", |text: &str| serde_json::Value::from(text).to_string());
        environment.add_filter("trim_start", |text: &str| text.trim_start().to_owned());
        environment.add_filter("file_url", file_url);
        let host = spec.id();
        for name in names {
            let text = spec
                .template(name)
                .ok_or_else(|| RenderError::Missing { host: host.clone(), template: name.to_owned() })?;
            let added = environment.add_template(name, text);
            added.map_err(|source| RenderError::Template { host: host.clone(), source })?;
        }
        Ok(Templates { environment, host })
    }

    pub(crate) fn draw(&self, template: &str, values: minijinja::Value) -> Result<String, RenderError> {
        let drawn = self.environment.get_template(template).and_then(|template| template.render(values));
        drawn.map_err(|source| RenderError::Template { host: self.host.clone(), source })
    }
}

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

/// Writes a path as a `file:` address; letters, digits and marks that need no escape stay.
fn file_url(path: &str) -> String {
    let mut url = "file://".to_owned();
    for byte in path.bytes() {
        let stays = byte.is_ascii_alphanumeric() || b"/-_.~!$&'()*+,;=:@[]|^".contains(&byte);
        if stays { url.push(char::from(byte)) } else { url.extend(format!("%{byte:02X}").chars()) }
    }
    url
}
