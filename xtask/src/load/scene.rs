//! What is measured: a release build, and a project with skills.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::shell::{cargo, run as run_command, step};

/// How many skills there are beside the one that is asked for.
const OTHERS: usize = 50;

/// Builds what is measured: what is handed out, as the sources are now; how long that takes is seen.
pub(super) fn build() -> Result<()> {
    step("build of the release, if it is not the newest", || {
        run_command(&mut cargo(&["build", "--release", "--package", "openoxide-cli"]))
    })
}

/// Writes a project with a skill of 5 KB, and others.
pub(super) fn tree(folder: &Path) -> Result<()> {
    let write = |name: &str, text: &str| -> Result<()> {
        let path = folder.join("project/.agents/skills").join(name);
        fs_err::create_dir_all(path.parent().context("a folder")?)?;
        Ok(fs_err::write(path, text)?)
    };
    fs_err::create_dir_all(folder.join("home"))?;
    let line = "Read the notes first, then change one thing at a time, and look at what came of it.\n";
    let head = |name: &str| format!("---\nname: {name}\ndescription: Does something for {name}\n---\n");
    write("guide/SKILL.md", &format!("{}{}", head("guide"), line.repeat(5 * 1024 / line.len())))?;
    write("guide/references/notes.md", &line.repeat(20))?;
    (0..OTHERS).try_for_each(|number| {
        let name = format!("other-{number}");
        write(&format!("{name}/SKILL.md"), &format!("{}{line}", head(&name)))
    })
}
