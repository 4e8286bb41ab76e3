//! How this program was called: what starts it again, for settings and lines to paste.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// Returns the path that this program was called by, absolute and with links kept: a link stays right when the program
/// behind it is exchanged.
pub(crate) fn path() -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let called = std::env::args_os().next().unwrap_or_default();
    let search = std::env::var_os("PATH").unwrap_or_default();
    Ok(find(&called, &search, &std::env::current_dir().unwrap_or_default(), &own).unwrap_or(own))
}

/// Finds what was called. What does not lead to the program that runs is not taken: the caller may say anything.
fn find(called: &OsStr, search: &OsStr, cwd: &Path, own: &Path) -> Option<PathBuf> {
    let is_own = |path: &PathBuf| {
        let real = |path: &Path| fs_err::canonicalize(path).ok();
        real(path).is_some_and(|file| Some(file) == real(own))
    };
    let called = Path::new(called);
    if called.components().count() > 1 {
        return std::path::absolute(cwd.join(called)).ok().filter(is_own);
    }
    std::env::split_paths(search).map(|folder| cwd.join(folder).join(called)).find(is_own)
}

/// Returns what a person types to start this very program: its name, if a shell finds it by that.
pub(crate) fn typed_name() -> anyhow::Result<String> {
    let own = path()?;
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|folder| folder.join("openoxide")).find(|file| file.is_file());
    let real = |path: &Path| fs_err::canonicalize(path).ok();
    let is_own = found.is_some_and(|file| real(&file) == real(&own));
    Ok(if is_own { "openoxide".to_owned() } else { text(own)? })
}

/// Returns a path as text that can be pasted.
pub(crate) fn text(path: PathBuf) -> Result<String, CommandError> {
    path.into_os_string()
        .into_string()
        .map_err(|path| CommandError::failed(format!("`{}` is not text that can be pasted", path.display())))
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;

    #[test]
    fn links_are_kept_and_strangers_are_not_taken() {
        let context = TestContext::new();
        context.tree(
            "//- opt/oo-1.2/openoxide\n//- bin/openoxide -> {root}/opt/oo-1.2/openoxide rooted\n//- other/openoxide\n",
        );
        let root = context.root();
        let own = root.join("opt/oo-1.2/openoxide");
        let check = |called: &str, search: &str, expected: Option<&str>| {
            let search = search.replace("ROOT", &root.to_string_lossy());
            let called = called.replace("ROOT", &root.to_string_lossy());
            let found = find(OsStr::new(&called), OsStr::new(&search), root, &own);
            assert_eq!(found, expected.map(|path| root.join(path)), "{called} in {search}");
        };
        check("openoxide", "ROOT/bin", Some("bin/openoxide"));
        check("openoxide", "ROOT/other:ROOT/bin", Some("bin/openoxide"));
        check("bin/openoxide", "", Some("bin/openoxide"));
        check("./bin/openoxide", "", Some("bin/openoxide"));
        check("ROOT/bin/openoxide", "", Some("bin/openoxide"));
        check("openoxide", "ROOT/other", None);
        check("other/openoxide", "", None);
        check("", "ROOT/bin", None);
    }
}
