//! What a command changed in a folder that it may write: permitted changes are made when it has ended, others are not.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::{process::Stdio, time::Duration};

use crate::support::{Folder, Ran, Setting, each, long_time, processes_with, until};

const SEALED: &str = "it is sealed, because other programs obey what stands there";

fn run(setting: Setting, folder: &Folder, line: &str) -> Ran {
    setting.sh(&["--write", folder.str(), "--project", folder.str(), "--cwd", folder.str()], line)
}

fn expect(setting: Setting, folder: &Folder, ran: &Ran, expected: &[(&str, &str, &str)]) {
    let lines = expected.iter().map(|(kind, path, kept)| format!("{kind} {}: {kept}", folder.join(path)));
    assert_eq!(ran.changes, lines.collect::<Vec<_>>(), "{setting:?} {ran:?}");
}

#[test]
fn what_is_permitted_is_made_and_all_of_it_is_listed() {
    each(|setting| {
        let folder = setting.folder();
        for name in ["src/old", "src/same", "gone/x/y", "gone/z", "kind", "folder/x"] {
            folder.file(name, "text\n");
        }
        let line = "echo new > src/new; echo more >> src/old; touch -d 2001-01-01 src/same; rm -r gone; mkdir -p a/b c; echo x > a/b/x; \
                    ln -s ../a/b src/link; rm kind; mkdir kind; echo x > kind/x; rm -r folder; echo x > folder; chmod 700 src; exit 3";
        let ran = run(setting, &folder, line);
        assert_eq!(ran.ended, "Exit(3)", "{setting:?} {ran:?}");
        let kept = |kind, path| (kind, path, "kept");
        expect(
            setting,
            &folder,
            &ran,
            &[
                kept("created", "a/b/x"),
                kept("created", "c"),
                kept("changed", "folder"),
                kept("removed", "gone"),
                kept("created", "kind/x"),
                kept("changed", "kind"),
                kept("created", "src/link"),
                kept("created", "src/new"),
                kept("changed", "src/old"),
                kept("changed", "src"),
            ],
        );
        let text = |name: &str| fs_err::read_to_string(folder.join(name)).unwrap();
        assert_eq!([text("src/old"), text("src/link/x"), text("kind/x")], ["text\nmore\n", "x\n", "x\n"]);
        assert_eq!(std::fs::metadata(folder.join("src/same")).unwrap().mtime(), 978_307_200, "{setting:?}");
        let mode = |name: &str| std::fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!([mode("src"), mode("a/b"), mode("src/new")], [0o700, 0o755, 0o644], "{setting:?}");
        assert!(!std::fs::exists(folder.join("gone")).unwrap());
    });
}

#[test]
fn what_others_obey_is_not_made_at_any_depth() {
    each(|setting| {
        let folder = setting.folder();
        folder.file("sub/.git/config", "mine\n");
        folder.file("sub/CLAUDE.md", "mine\n");
        folder.file("half/HEAD", "");
        let before = folder.state();
        let line = "mkdir -p pkg/.agents/skills/deploy src bare/objects bare/refs half/objects half/refs .zed; echo x > src/CLAUDE.md; \
                    echo x > AGENTS.override.md; echo x > .cursorrules; echo x > a.code-workspace; touch bare/HEAD; \
                    rm -rf sub; mkdir sub; echo x > sub/.Git";
        let ran = run(setting, &folder, line);
        let sealed = |kind, path| (kind, path, SEALED);
        expect(
            setting,
            &folder,
            &ran,
            &[
                sealed("created", ".cursorrules"),
                sealed("created", ".zed"),
                sealed("created", "AGENTS.override.md"),
                sealed("created", "a.code-workspace"),
                sealed("created", "bare"),
                sealed("changed", "half"),
                sealed("created", "pkg/.agents"),
                ("created", "pkg", "kept"),
                sealed("created", "src/CLAUDE.md"),
                ("created", "src", "kept"),
                sealed("created", "sub/.Git"),
                sealed("removed", "sub/.git"),
                sealed("removed", "sub/CLAUDE.md"),
            ],
        );
        std::fs::remove_dir(folder.join("pkg")).unwrap();
        std::fs::remove_dir(folder.join("src")).unwrap();
        assert_eq!(folder.state(), before, "{setting:?}");
    });
}

/// Git finds a repository by its parts: in the folder itself, in any other, and in two halves.
#[test]
fn no_folder_becomes_a_repository() {
    each(|setting| {
        let folder = setting.folder();
        folder.dir("docs");
        let ran =
            run(setting, &folder, "mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; echo '[core]' > config");
        assert_eq!(ran.changes, [format!("changed {}: {SEALED}", folder.str())], "{setting:?} {ran:?}");
        let halves = "mkdir -p y/objects y/refs x; echo '[core]' > y/config; echo ../y > x/commondir; echo x > x/HEAD; echo x > docs/HEAD";
        let ran = run(setting, &folder, halves);
        let kept = |kind, path| (kind, path, "kept");
        expect(
            setting,
            &folder,
            &ran,
            &[
                ("created", "docs/HEAD", SEALED),
                ("created", "x", SEALED),
                kept("created", "y/config"),
                kept("created", "y/objects"),
                kept("created", "y/refs"),
            ],
        );
    });
}

/// Who obeys a link obeys where it leads, and every link on the way.
#[test]
fn what_a_sealed_link_leads_to_stays() {
    each(|setting| {
        let folder = setting.folder();
        for name in ["docs/b.md", "scripts/hook.sh", "shared/cmds/x.md", ".git/hooks/sample", ".claude/x"] {
            folder.file(name, "mine\n");
        }
        folder.dir("empty");
        folder.dir("sub/hooks");
        folder.file("sub/.git/config", "[core]\n\thooksPath = hooks ; ours\n");
        for (link, target) in [
            ("AGENTS.md", "docs/a.md"),
            ("docs/a.md", "b.md"),
            ("CLAUDE.md", "later/claude.md"),
            ("GEMINI.md", "empty/guide.md"),
            (".git/hooks/pre-commit", "../../scripts/hook.sh"),
            (".claude/commands", "../shared/cmds"),
        ] {
            folder.link(link, target);
        }
        let before = folder.state();
        let line = "rm docs/a.md; echo x > docs/a.md; echo x > docs/b.md; mkdir later; echo x > later/claude.md; echo x > scripts/hook.sh; \
                    echo x > shared/cmds/y.md; mv docs away; rmdir empty; ln -s away empty; echo x > sub/hooks/pre-commit";
        let ran = run(setting, &folder, line);
        std::fs::remove_dir_all(folder.join("away")).unwrap();
        assert_eq!(folder.state(), before, "{setting:?} {ran:?}");
    });
}

#[test]
fn no_link_leads_out_and_no_file_is_more_than_a_file() {
    each(|setting| {
        let folder = setting.folder();
        folder.dir("a");
        std::os::unix::fs::symlink("/etc", folder.join("etc")).unwrap();
        let ran = run(
            setting,
            &folder,
            "ln -s /etc/passwd out; ln -s ../.. a/up; ln -s x/../../.. a/late; ln -s ../in a/fine; mkfifo pipe; chmod u+s a; \
             cp /bin/true plain; ln -s etc/passwd by-another; ln -s ../etc a/by-another",
        );
        let out = "it is a link that leads out of the folder";
        expect(
            setting,
            &folder,
            &ran,
            &[
                ("created", "a/by-another", out),
                ("created", "a/fine", "kept"),
                ("created", "a/late", out),
                ("created", "a/up", out),
                ("created", "by-another", out),
                ("created", "out", out),
                ("created", "pipe", "it is a pipe, a socket or a device"),
                ("created", "plain", "kept"),
            ],
        );
        let mode = std::fs::metadata(folder.join("a")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7000, 0, "{setting:?}");
    });
}

#[test]
fn what_somebody_else_changed_meanwhile_stays_theirs() {
    each(|setting| {
        let folder = setting.folder();
        for name in ["edited", "removed", "gone/edited", "gone/other", "anew/old", "over/old", "moved/x", "moved-too/x"]
        {
            folder.file(name, "old\n");
        }
        let (signal, long) = (setting.folder(), long_time());
        let line = format!(
            "echo ours > edited; echo ours > new; rm removed; rm -r gone anew over; mkdir anew; sleep {long} & \
             while [ ! -e {}/go ]; do sleep 0.01; done; kill $!",
            signal.str()
        );
        let options =
            ["--write", folder.str(), "--project", folder.str(), "--cwd", folder.str(), "--read", signal.str()];
        let mut command = setting.command(&options, &["sh", "-c", &line]);
        let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until(Duration::from_secs(10), || processes_with(&long) > 0);
        for name in ["edited", "new", "removed", "gone/edited"] {
            folder.file(name, "theirs\n");
        }
        std::fs::rename(folder.join("moved"), folder.join("anew/moved")).unwrap();
        std::fs::rename(folder.join("moved-too"), folder.join("over/moved")).unwrap();
        signal.file("go", "");
        let output = running.wait_with_output().unwrap();
        let changes = String::from_utf8_lossy(&output.stderr).into_owned();
        let conflict = "another process changed it meanwhile";
        for (kind, path, kept) in [
            ("changed", "edited", conflict),
            ("changed", "new", conflict),
            ("removed", "removed", conflict),
            ("removed", "gone/edited", conflict),
            ("removed", "gone/other", "kept"),
            ("removed", "over", conflict),
            ("removed", "anew/moved", conflict),
        ] {
            let line = format!("= {kind} {}: {kept}\n", folder.join(path));
            assert!(changes.contains(&line), "{setting:?} {line} in {changes}");
        }
        for name in ["anew/moved/x", "over/moved/x"] {
            assert_eq!(fs_err::read_to_string(folder.join(name)).unwrap(), "old\n", "{setting:?} {name}");
        }
        for name in ["edited", "new", "removed", "gone/edited"] {
            assert_eq!(fs_err::read_to_string(folder.join(name)).unwrap(), "theirs\n", "{setting:?} {name}");
        }
    });
}

#[test]
fn a_command_that_is_stopped_changes_nothing() {
    each(|setting| {
        let folder = setting.folder();
        folder.file("old", "old\n");
        let before = folder.state();
        let options = ["--write", folder.str(), "--cwd", folder.str(), "--time", "700"];
        let ran = setting.sh(&options, "echo new > old; echo new > new; sleep 60");
        assert_eq!((ran.ended.as_str(), ran.changes.len()), ("TimedOut", 0), "{setting:?} {ran:?}");
        assert_eq!(folder.state(), before, "{setting:?}");
    });
}

/// As a file in a package manager's store is, which every project links to.
#[test]
fn another_name_of_a_file_outside_keeps_its_content() {
    each(|setting| {
        let (store, folder) = (setting.folder(), setting.folder());
        let kept = store.file("package.js", "store\n");
        std::fs::hard_link(&kept, folder.join("package.js")).unwrap();
        let ran = run(setting, &folder, "echo changed > package.js");
        expect(setting, &folder, &ran, &[("changed", "package.js", "kept")]);
        assert_eq!(fs_err::read_to_string(kept).unwrap(), "store\n", "{setting:?}");
    });
}

/// Folders above each other may both be written, and nothing is left where the copies were.
#[test]
fn folders_in_each_other_and_odd_names_are_written() {
    each(|setting| {
        let folder = setting.folder();
        let odd = folder.dir("a:b,c\\ d/inner");
        let outer = folder.join("a:b,c\\ d");
        let ran = setting.sh(&["--write", &outer, "--write", &odd, "--cwd", &outer], "echo x > x; echo y > inner/y");
        let lines = [format!("created {odd}/y: kept"), format!("created {outer}/x: kept")];
        assert_eq!(ran.changes, lines, "{setting:?} {ran:?}");
    });
}

/// What other users of the machine could not do, they cannot do afterwards.
#[test]
fn nothing_is_opened_up_to_other_users() {
    each(|setting| {
        let folder = setting.folder();
        folder.file("src/old", "old\n");
        let close =
            |name: &str| std::fs::set_permissions(folder.file(name, ""), PermissionsExt::from_mode(0o600)).unwrap();
        close("private");
        close("anew");
        folder.link("link", "src");
        let line = "umask 0; rm link; mkdir link; chmod 777 src; chmod 777 src/old; echo x > src/new; mkdir made; chmod 755 made private; rm anew; echo x > anew";
        let ran = run(setting, &folder, line);
        let mode = |name: &str| std::fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o7777;
        let modes = ["src", "src/old", "src/new", "made", "private", "anew", "link"].map(mode);
        assert_eq!(modes, [0o755, 0o755, 0o644, 0o755, 0o700, 0o600, 0o755], "{setting:?} {ran:?}");
    });
}

/// Of a folder that was removed and made anew, nothing old is left at any depth.
#[test]
fn a_folder_that_is_made_anew_has_only_what_is_new() {
    each(|setting| {
        let folder = setting.folder();
        for name in ["nm/old.js", "nm/a/old.js", "nm/a/lib/old.js", "nm/a/lib/kept.js", "nm/b/lib/old.js"] {
            folder.file(name, "v1\n");
        }
        let ran = run(setting, &folder, "rm -rf nm; mkdir -p nm/a/lib nm/c; echo v2 > nm/a/lib/kept.js");
        assert!(ran.changes.iter().all(|line| line.ends_with(": kept")), "{setting:?} {ran:?}");
        let left = folder.state().join("\n");
        assert!(!left.contains("old.js") && !left.contains("nm/b") && left.contains("nm/c"), "{setting:?} {left}");
        assert_eq!(fs_err::read_to_string(folder.join("nm/a/lib/kept.js")).unwrap(), "v2\n");
    });
}

/// The system counts the names of a file among what belongs to it: what we did to one name is no change by somebody else.
#[test]
fn every_name_of_a_file_can_go() {
    each(|setting| {
        let folder = setting.folder();
        for (name, other) in [("gone/a", "gone/b"), ("new/a", "new/b"), ("touched/a", "touched/b")] {
            folder.file(name, "old\n");
            std::fs::hard_link(folder.join(name), folder.join(other)).unwrap();
        }
        let line = "rm -r gone; rm new/a new/b; echo x > new/a; echo x > new/b; touch touched/a; rm touched/b";
        let ran = run(setting, &folder, line);
        assert!(ran.changes.iter().all(|line| line.ends_with(": kept")), "{setting:?} {ran:?}");
        assert!(!std::fs::exists(folder.join("gone")).unwrap() && !std::fs::exists(folder.join("touched/b")).unwrap());
    });
}

/// A file of holes takes no more room in the folder than it took for the command.
#[test]
fn holes_stay_holes() {
    each(|setting| {
        let folder = setting.folder();
        let ran = run(
            setting,
            &folder,
            "truncate -s 200M f; printf middle | dd of=f bs=1 seek=100000000 conv=notrunc 2>/dev/null",
        );
        expect(setting, &folder, &ran, &[("created", "f", "kept")]);
        let found = std::fs::metadata(folder.join("f")).unwrap();
        assert!(found.len() == 200 * 1024 * 1024 && found.blocks() * 512 < 1024 * 1024, "{setting:?} {found:?}");
        let mut bytes = [0; 8];
        let file = std::fs::File::open(folder.join("f")).unwrap();
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut bytes, 99_999_999).unwrap();
        assert_eq!(&bytes, b"\0middle\0", "{setting:?}");
    });
}

#[test]
fn a_tree_that_is_too_deep_stays_whole() {
    each(|setting| {
        let folder = setting.folder();
        folder.file("deep/beside", "text\n");
        let deep = format!("deep{}", "/d".repeat(300));
        folder.dir(&deep);
        let ran = run(setting, &folder, "rm -rf deep");
        expect(setting, &folder, &ran, &[("removed", "deep", "it lies too deep")]);
        assert!(std::fs::exists(folder.join(&deep)).unwrap() && std::fs::exists(folder.join("deep/beside")).unwrap());
    });
}

#[test]
fn plugins_and_their_skills_are_not_planted() {
    each(|setting| {
        let folder = setting.folder();
        let line = "mkdir -p plugins/foo/bar plugins/foo/hooks; echo x > plugins/foo/bar/SKILL.md; echo x > plugins/foo/hooks/hooks.json";
        let ran = run(setting, &folder, line);
        let sealed = |path| ("created", path, SEALED);
        let refused: Vec<&String> = ran.changes.iter().filter(|line| line.ends_with(SEALED)).collect();
        let expected = ["plugins/foo/bar/SKILL.md", "plugins/foo/hooks/hooks.json"].map(sealed);
        let expected = expected.map(|(kind, path, why)| format!("{kind} {}: {why}", folder.join(path)));
        assert_eq!(refused, expected.iter().collect::<Vec<_>>(), "{setting:?} {ran:?}");
        assert!(!std::fs::exists(folder.join("plugins/foo/bar/SKILL.md")).unwrap());
    });
}
