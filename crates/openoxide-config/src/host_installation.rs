//! Detects whether a host's program is installed, from files alone and without running anything.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use openoxide_skills::host::{FoundRules, Host, VersionSource};
use openoxide_skills::root::Surroundings;

/// The traces of a host's program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostInstallation {
    /// The executable.
    pub program: Option<PathBuf>,
    /// Its version, where files tell it.
    pub version: Option<String>,
    /// Its files and folders in the user's home.
    pub home: Vec<PathBuf>,
    /// Its files and folders in the project, nearest first.
    pub project: Vec<PathBuf>,
}

impl HostInstallation {
    /// Tells whether the program is installed: there is an executable, or it has files in the user's home.
    pub fn is_installed(&self) -> bool {
        self.program.is_some() || !self.home.is_empty()
    }

    /// Tells whether there is no trace of the program.
    pub fn is_empty(&self) -> bool {
        !self.is_installed() && self.project.is_empty()
    }
}

/// Looks for the traces of a host's program.
pub fn detect_host(host: &Host, around: &Surroundings) -> HostInstallation {
    look_for(&host.found, &host.vars, around)
}

/// Looks for the traces of a program by what a host says of them.
pub(crate) fn look_for(rules: &FoundRules, vars: &BTreeMap<String, String>, around: &Surroundings) -> HostInstallation {
    let expand = |template: &String| around.expand(template, vars);
    let home: Vec<PathBuf> = rules.home.iter().filter_map(expand).filter_map(|path| existing(&path)).collect();
    let places = around.up().into_iter().flat_map(|folder| rules.project.iter().map(move |name| folder.join(name)));
    // If the project is the user's home, its files are counted once, as the home's.
    let project = places.filter_map(|path| existing(&path)).filter(|path| !home.contains(path)).collect();
    let program = rules.programs.iter().find_map(|name| program(name, vars, around));
    let version = program.as_deref().and_then(|program| version(&rules.version, program));
    HostInstallation { program, version, home, project }
}

/// Most bytes of a `package.json` that are read.
const PACKAGE_MAX: u64 = 256 * 1024;

/// Most folders above a program in which its package is looked for.
const PACKAGE_ABOVE: usize = 6;

/// Reads the version of a program from the files around it.
fn version(sources: &[VersionSource], program: &Path) -> Option<String> {
    let real = std::fs::canonicalize(program).ok()?;
    sources.iter().find_map(|source| match source {
        VersionSource::Package(name) => {
            let folders = real.ancestors().skip(1).take(PACKAGE_ABOVE);
            folders.into_iter().find_map(|folder| package_version(&folder.join("package.json"), name))
        }
        VersionSource::Folder(name) => {
            let mut parts = real.components().map(|part| part.as_os_str().to_string_lossy());
            parts.find(|part| part == name)?;
            parts.next().map(std::borrow::Cow::into_owned).filter(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        }
    })
}

fn package_version(path: &Path, name: &str) -> Option<String> {
    // Anything else, such as a pipe, is not opened.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(PACKAGE_MAX).read_to_string(&mut text).ok()?;
    let package: serde_json::Value = serde_json::from_str(&text).ok()?;
    let version = package["version"].as_str().filter(|_| package["name"] == name)?;
    Some(version.to_owned())
}

/// Finds an executable by its name on `PATH`, or by its path.
fn program(name: &str, vars: &BTreeMap<String, String>, around: &Surroundings) -> Option<PathBuf> {
    if name.contains('/') {
        return existing(&around.expand(name, vars)?).filter(|path| is_program(path));
    }
    let folders = around.variables.get("PATH").map(std::env::split_paths).into_iter().flatten();
    // A relative folder on `PATH` is another one in each project, so it proves nothing.
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|stat| stat.is_file() && stat.permissions().mode() & 0o111 != 0)
}

/// Returns the path if it exists. A `*` at its end matches any rest; the last match in order of names is returned.
fn existing(path: &Path) -> Option<PathBuf> {
    let Some(start) = path.file_name()?.to_str().and_then(|name| name.strip_suffix('*')) else {
        return path.exists().then(|| path.to_owned());
    };
    let entries = std::fs::read_dir(path.parent()?).ok()?.flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(start)).map(|entry| entry.path()).max()
}

#[cfg(test)]
mod tests {
    use openoxide_skills::host::Hosts;
    use openoxide_testkit::TestContext;

    use super::*;

    /// Makes a host with these rules for what shows that it is there.
    fn host(found: &str) -> Host {
        let text =
            format!("title = \"T\"\nprogram = \"t 1\"\nroots = []\n[vars]\nown = \"${{OWN:-~/.t}}\"\n[found]\n{found}");
        toml::from_str(&text).unwrap()
    }

    fn around(context: &TestContext, cwd: &str, variables: &[(&str, &str)]) -> Surroundings {
        let rooted = |text: &str| text.replace("[ROOT]", &context.root().to_string_lossy());
        let variables: BTreeMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), rooted(value))).collect();
        Surroundings {
            cwd: context.root().join(cwd),
            project: context.project(),
            home: Some(context.home()),
            variables,
            ..Surroundings::default()
        }
    }

    /// Shows what was found, relative to the context.
    fn check(context: &TestContext, rules: &str, cwd: &str, variables: &[(&str, &str)], expected: &str) {
        let found = detect_host(&host(rules), &around(context, cwd, variables));
        let shown = |path: &PathBuf| path.strip_prefix(context.root()).unwrap().display().to_string();
        let list = |paths: &[PathBuf]| paths.iter().map(shown).collect::<Vec<_>>().join(" ");
        let program = found.program.as_ref().map(shown).unwrap_or_default();
        assert_eq!(format!("{program}|{}|{}", list(&found.home), list(&found.project)), expected, "{rules} {cwd}");
    }

    #[test]
    fn programs_homes_and_projects_are_found() {
        let context = TestContext::new();
        context.tree(
            "
//- one/t
not a program
//- two/t exec
//- two/other exec
//- three/t/
//- home/.t/config.toml
//- home/.vscode/extensions/me.t-1.0.0/package.json
//- home/.vscode/extensions/me.t-1.1.0/package.json
//- home/moved/
//- project/.t/
//- project/sub/T.md
",
        );
        let path = ("PATH", "two-relative:[ROOT]/three:[ROOT]/one:[ROOT]/two");
        let of = |rules: &str, cwd: &str, expected: &str| check(&context, rules, cwd, &[path], expected);
        of("", "project", "||");
        of("programs = [\"t\"]", "project", "two/t||");
        of("programs = [\"none\", \"other\"]", "project", "two/other||");
        of("programs = [\"~/.t/config.toml\", \"{own}/none\"]", "project", "||");
        of("home = [\"{own}\", \"~/.none\"]", "project", "|home/.t|");
        of("home = [\"~/.vscode/extensions/me.t-*\"]", "project", "|home/.vscode/extensions/me.t-1.1.0|");
        of("home = [\"~/.vscode/extensions/you.t-*\"]", "project", "||");
        of("project = [\".t\", \"T.md\"]", "project", "||project/.t");
        of("project = [\".t\", \"T.md\"]", "project/sub", "||project/sub/T.md project/.t");
        check(&context, "home = [\"{own}\"]", "project", &[("OWN", "[ROOT]/home/moved")], "|home/moved|");
        check(&context, "programs = [\"t\"]", "project", &[("PATH", "two:")], "||");
    }

    #[test]
    fn a_home_that_is_the_project_is_not_counted_twice() {
        let context = TestContext::new();
        context.tree("//- home/.t/\n");
        let mut around = around(&context, "home", &[]);
        around.project = context.home();
        let found = detect_host(&host("home = [\"~/.t\"]\nproject = [\".t\"]"), &around);
        assert_eq!(
            (found.home.len(), found.project.len(), found.is_installed(), found.is_empty()),
            (1, 0, true, false)
        );
    }

    /// Every path must be one that can be looked at: a slip in a placeholder would find nothing for ever.
    #[test]
    fn what_builtin_hosts_look_for_can_be_resolved() {
        let context = TestContext::new();
        let around = around(&context, "project", &[]);
        for spec in Hosts::builtin().all() {
            let host = spec.host().unwrap();
            for path in host.found.home.iter().chain(host.found.programs.iter().filter(|name| name.contains('/'))) {
                let whole = around.expand(path, &host.vars);
                assert!(whole.is_some_and(|whole| !whole.starts_with(&around.cwd)), "{}: {path}", spec.name);
            }
            for path in &host.found.project {
                assert!(Path::new(path).is_relative() && !path.contains('{'), "{}: {path}", spec.name);
            }
        }
    }
}
