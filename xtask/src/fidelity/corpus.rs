//! Lays out public collections of skills as each host expects them.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::peers::Peer;
use super::scene::Scene;

/// Returns the collections in a folder: its folders, by name.
pub(super) fn collections(dir: &Path) -> Result<Vec<PathBuf>> {
    Ok(children(dir)?.into_iter().filter(|path| path.is_dir()).collect())
}

/// Puts a collection where a host looks: whole, or skill by skill if the host looks only one level deep.
pub(super) fn lay_out(collection: &Path, scene: &Scene, peer: Peer) -> Result<()> {
    let project = scene.root().join("project");
    let name = collection.file_name().unwrap_or_default();
    match peer {
        Peer::Codex => copy(collection, &project.join(".agents/skills").join(name)),
        Peer::ClaudeCode => {
            for folder in skill_folders(collection)? {
                copy_skill(&folder, &project.join(".claude/skills"))?;
            }
            Ok(())
        }
        Peer::Omp => {
            // One place asks for descriptions, the other does not.
            for folder in skill_folders(collection)? {
                if is_misread(&fs_err::read(folder.join("SKILL.md"))?) {
                    continue;
                }
                copy_skill(&folder, &project.join(".omp/skills"))?;
                copy_skill(&folder, &project.join(".agents/skills"))?;
            }
            Ok(())
        }
        Peer::OpenCode => opencode_skills(collection, &project.join(".opencode/skills").join(name)),
    }
}

/// Tells whether a head holds what omp's YAML library misreads, which is a stated deviation.
fn is_misread(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let head = text.split("\n---").next().unwrap_or_default();
    head.contains(" --- ") || head.contains('\0')
}

/// Copies skill files in their folders; a name that several have goes to the first, because the program would race.
fn opencode_skills(collection: &Path, root: &Path) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    for folder in skill_folders(collection)? {
        let text = String::from_utf8_lossy(&fs_err::read(folder.join("SKILL.md"))?).into_owned();
        let line = text.lines().find(|line| line.starts_with("name:")).unwrap_or_default();
        let name = line.trim_start_matches("name:").trim().trim_matches(['"', '\'']).to_owned();
        if name.is_empty() || !names.contains(&name) {
            let place = root.join(folder.strip_prefix(collection)?);
            fs_err::create_dir_all(&place)?;
            fs_err::copy(folder.join("SKILL.md"), place.join("SKILL.md"))?;
            names.push(name);
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs_err::create_dir_all(to)?;
    for path in children(from)? {
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_symlink() {
            fs_err::os::unix::fs::symlink(fs_err::read_link(&path)?, target)?;
        } else if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs_err::copy(&path, &target)?;
        }
    }
    Ok(())
}

fn skill_folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    if dir.join("SKILL.md").is_file() {
        folders.push(dir.to_owned());
    }
    for path in children(dir)? {
        if path.is_dir() && !path.is_symlink() {
            folders.extend(skill_folders(&path)?);
        }
    }
    Ok(folders)
}

/// Copies one skill file; folders of one name are numbered.
fn copy_skill(folder: &Path, root: &Path) -> Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    let mut places = std::iter::once(name.clone()).chain(numbered).map(|name| root.join(name));
    let place = places.find(|place| !place.exists()).unwrap_or_else(|| root.join(&name));
    fs_err::create_dir_all(&place)?;
    fs_err::copy(folder.join("SKILL.md"), place.join("SKILL.md"))?;
    Ok(())
}

fn children(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = fs_err::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
