//! Where a token or a key is, and how it is read: at the moment that it is needed, and held as a secret.

use std::fmt;
use std::path::{Path, PathBuf};

use secrecy::SecretString;

use crate::{Environment, SecretFileError, SecretPlace, read_secret};

const LONGEST: u64 = 8192;

/// Where a token or a key is. It is never in the settings themselves, which people show and share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// In this variable.
    Variable(String),
    /// In this file, whose path is absolute or begins with `~/`.
    File(String),
}

impl TokenSource {
    /// Reads it; otherwise says why that cannot be, without a word of it. `what` is what people call it.
    pub fn read(&self, what: &str, environment: &Environment) -> Result<SecretString, String> {
        let text = match self {
            TokenSource::Variable(name) => {
                environment.variable(name).ok_or_else(|| format!("the variable `{name}` is not set"))?.to_owned()
            }
            TokenSource::File(path) => {
                whole(&at(path, environment)?).map_err(|why| format!("the file `{path}` {why}"))?
            }
        };
        let text = text.trim();
        let is_token =
            !text.is_empty() && text.len() as u64 <= LONGEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token {
            return Err(format!("{self} holds no {what}: letters, digits and signs of ASCII, at most {LONGEST}"));
        }
        Ok(SecretString::from(text))
    }
}

impl fmt::Display for TokenSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenSource::Variable(name) => write!(formatter, "the variable `{name}`"),
            TokenSource::File(path) => write!(formatter, "the file `{path}`"),
        }
    }
}

fn at(path: &str, environment: &Environment) -> Result<PathBuf, String> {
    match (path.strip_prefix("~/"), &environment.home) {
        (None, _) => Ok(PathBuf::from(path)),
        (Some(rest), Some(home)) => Ok(home.join(rest)),
        (Some(_), None) => Err(format!("the file `{path}` cannot be found: there is no home folder")),
    }
}

fn whole(path: &Path) -> Result<String, String> {
    let said = |why: SecretFileError| match why.hint(path) {
        Some(step) => format!("is not used: {why}; {step}"),
        None => format!("cannot be read: {why}"),
    };
    let bytes = read_secret(path, SecretPlace::Setting, LONGEST + 2).map_err(said)?;
    let bytes = bytes.ok_or("cannot be read: there is no such file")?;
    String::from_utf8(bytes).map_err(|_| "cannot be read: it is no text".to_owned())
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn from(source: &TokenSource, home: &Path) -> Result<String, String> {
        let variables = [("GOOD", " hunter2\n"), ("EMPTY", ""), ("BLANK", " "), ("ODD", "hunter2 \u{7}x")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let environment = Environment { home: Some(home.to_owned()), variables, ..Environment::default() };
        source.read("token", &environment).map(|token| token.expose_secret().to_owned())
    }

    #[test]
    fn a_token_comes_from_a_variable() {
        let get = |name: &str| from(&TokenSource::Variable(name.to_owned()), Path::new("/"));
        assert_eq!(get("GOOD").unwrap(), "hunter2");
        for unset in ["EMPTY", "NONE"] {
            assert_eq!(get(unset).unwrap_err(), format!("the variable `{unset}` is not set"));
        }
        for odd in ["BLANK", "ODD"] {
            let why = get(odd).unwrap_err();
            assert!(
                why.starts_with(&format!("the variable `{odd}` holds no token")) && !why.contains("hunter2"),
                "{why}"
            );
        }
    }

    #[test]
    fn a_token_comes_from_a_file() {
        let context = openoxide_testkit::TestContext::new();
        let get = |path: &str| from(&TokenSource::File(path.to_owned()), context.root());
        fs_err::write(context.root().join("t"), "hunter2\n").unwrap();
        fs_err::write(context.root().join("long"), "x".repeat(10_000)).unwrap();
        fs_err::write(context.root().join("bytes"), b"\xff\xfe").unwrap();
        fs_err::write(context.root().join("shared"), "hunter2\n").unwrap();
        for (file, mode) in [("t", 0o600), ("long", 0o600), ("bytes", 0o600), ("shared", 0o644)] {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            fs_err::set_permissions(context.root().join(file), mode).unwrap();
        }
        assert_eq!(get("~/t").unwrap(), "hunter2");
        assert_eq!(get(context.root().join("t").to_str().unwrap()).unwrap(), "hunter2");
        let why = get("~/shared").unwrap_err();
        assert!(why.contains("others can read or change it (mode 644); chmod 600 "), "{why}");
        for bad in ["~/long", "~/bytes", "~/none", "/dev/zero", "/"] {
            let why = get(bad).unwrap_err();
            assert!(why.starts_with(&format!("the file `{bad}` ")) && why.len() < 200, "{why}");
        }
    }
}
