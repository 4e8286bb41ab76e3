//! Reading files and listing folders of a skill.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use openoxide_testkit::Fixture;
use rustix::fs::OFlags;
use rustix::io::Errno;
use tempfile::TempDir;

use crate::host::{ReadProblem, ResourceRules};
use crate::resource::beneath::{self, READ};
use crate::resource::dir::Extent;
use crate::resource::{
    ItemKind, READ_MAX, ReadLimit, Resource, ResourceBytes, ResourceItem, ResourcePath, SkillDir, shown_name,
};

const TREE: &str = "
//- outside/secret.md
SECRET
//- skills/pdf-old/SKILL.md
SECRET of another skill
//- skills/pdf/SKILL.md
Body
//- skills/pdf/references/tables.md
Tables
//- skills/pdf/references/..hidden
dots
//- skills/pdf/references/up.md -> ../SKILL.md
//- skills/pdf/inner -> references
//- skills/pdf/chain -> inner/up.md
//- skills/pdf/out.md -> ../../outside/secret.md
//- skills/pdf/out -> ../../outside
//- skills/pdf/sibling -> ../pdf-old/SKILL.md
//- skills/pdf/back -> ../pdf/SKILL.md
//- skills/pdf/whole -> {root}/outside/secret.md rooted
//- skills/pdf/magic -> /proc/self/root/etc/hostname
//- skills/pdf/dangling -> nowhere
//- skills/pdf/loop -> loop
//- skills/pdf/pipe fifo
//- skills/pdf/empty/
";

fn tree() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    Fixture::parse(TREE).write(dir.path());
    dir
}

fn open(dir: &TempDir) -> SkillDir {
    SkillDir::open(&dir.path().join("skills/pdf")).unwrap()
}

fn path(text: &str) -> ResourcePath {
    ResourcePath::parse(text, &ResourceRules::default()).unwrap()
}

fn read(skill: &SkillDir, text: &str) -> Result<String, ReadProblem> {
    skill.read(&path(text), ReadLimit::Text(1000)).map(|resource| match resource.bytes {
        ResourceBytes::Text { text, .. } => text,
        _ => unreachable!("text was asked for"),
    })
}

#[test]
fn links_that_stay_inside_work_and_others_are_refused() {
    let dir = tree();
    let skill = open(&dir);
    for (name, text) in [
        ("SKILL.md", "Body\n"),
        ("references/tables.md", "Tables\n"),
        ("references/..hidden", "dots\n"),
        ("references/../SKILL.md", "Body\n"),
        ("references/up.md", "Body\n"),
        ("inner/tables.md", "Tables\n"),
        ("chain", "Body\n"),
    ] {
        assert_eq!(read(&skill, name).as_deref(), Ok(text), "{name}");
    }
    for (name, problem) in [
        ("out.md", ReadProblem::Escapes),
        ("out/secret.md", ReadProblem::Escapes),
        ("sibling", ReadProblem::Escapes),
        // It would come back, but the way leads outside.
        ("back", ReadProblem::Escapes),
        ("whole", ReadProblem::Escapes),
        ("magic", ReadProblem::Escapes),
        ("dangling", ReadProblem::NotFound),
        ("loop", ReadProblem::NotFound),
        ("nothing", ReadProblem::NotFound),
        ("SKILL.md/x", ReadProblem::NotFound),
        ("references", ReadProblem::Folder),
        ("inner", ReadProblem::Folder),
        ("pipe", ReadProblem::Special),
    ] {
        assert_eq!(read(&skill, name), Err(problem), "{name}");
    }
    let long = "x".repeat(5000);
    assert_eq!(read(&skill, &long), Err(ReadProblem::NotFound));
}

/// Where the kernel cannot resolve, steps must give the same answers.
#[test]
fn steps_and_kernel_agree() {
    let dir = tree();
    let skill = open(&dir);
    let content = |file: Result<std::os::fd::OwnedFd, Errno>| {
        let mut bytes = [0; 64];
        file.map(|file| (beneath::read_full(&file, &mut bytes), bytes))
    };
    let mut agreed = 0;
    for name in [
        ".",
        "..",
        "../pdf-old/SKILL.md",
        "/etc/hostname",
        "",
        "references/../SKILL.md",
        "references/../../pdf-old",
        "references/tables.md",
        "references/up.md",
        "inner/tables.md",
        "inner/../SKILL.md",
        "chain",
        "out.md",
        "out/secret.md",
        "sibling",
        "back",
        "whole",
        "magic",
        "dangling",
        "loop",
        "nothing",
        "SKILL.md/x",
        "references",
        "inner",
        "pipe",
        "empty/../../x",
        "./SKILL.md",
        "inner/up.md",
    ] {
        let kernel = beneath::open(skill.fd(), Path::new(name), READ);
        let steps = beneath::by_steps(skill.fd(), Path::new(name), READ);
        assert_eq!(content(steps), content(kernel), "{name}");
        agreed += 1;
    }
    assert_eq!(agreed, 28);
    let no_follow = beneath::by_steps(skill.fd(), Path::new("chain"), READ | OFlags::NOFOLLOW);
    assert_eq!(no_follow.map(drop), Err(Errno::LOOP));
    let deep = vec!["d"; 200].join("/");
    fs_err::create_dir_all(dir.path().join("skills/pdf").join(&deep)).unwrap();
    assert!(beneath::by_steps(skill.fd(), Path::new(&deep), READ).is_err());
}

/// One that blocked would hang here until the test runner ends it.
#[test]
fn special_files_never_block() {
    let dir = tree();
    let skill = dir.path().join("skills/pdf");
    let _socket = std::os::unix::net::UnixListener::bind(skill.join("socket")).unwrap();
    let device = std::process::Command::new("mknod").arg(skill.join("zero")).args(["c", "1", "5"]).status();
    let skill = open(&dir);
    for name in ["pipe", "socket"] {
        assert_eq!(read(&skill, name), Err(ReadProblem::Special), "{name}");
    }
    if device.is_ok_and(|status| status.success()) {
        // Where devices may not be opened at all, that is said instead.
        let refused = read(&skill, "zero");
        assert!(matches!(refused, Err(ReadProblem::Special | ReadProblem::Denied)), "{refused:?}");
    }
    let kinds = |name: &str| skill.list_top().unwrap().items.into_iter().find(|item| item.name == name).unwrap().kind;
    assert_eq!((kinds("pipe"), kinds("socket")), (ItemKind::Special, ItemKind::Special));
}

#[test]
fn text_is_cut_on_a_character_and_binary_is_refused() {
    let dir = tree();
    let folder = dir.path().join("skills/pdf");
    let skill = open(&dir);
    let put = |name: &str, bytes: &[u8]| fs_err::write(folder.join(name), bytes).unwrap();
    let limited = |name: &str, soft: u64| skill.read(&path(name), ReadLimit::Text(soft)).map(drawn);
    put("euro.md", "€€".as_bytes());
    for (soft, text, removed) in
        [(6, "€€", 0), (7, "€€", 0), (5, "€", 3), (4, "€", 3), (3, "€", 3), (2, "", 6), (0, "", 6)]
    {
        assert_eq!(limited("euro.md", soft), Ok((6, text.to_owned(), removed)), "{soft}");
    }
    put("nul", b"text\0more");
    put("latin", b"caf\xe9 noir");
    put("half", b"caf\xc3");
    put("none", b"");
    assert_eq!(limited("nul", 100), Err(ReadProblem::Binary));
    assert_eq!(limited("nul", 2), Err(ReadProblem::Binary), "what is cut off counts too");
    assert_eq!(limited("latin", 2), Err(ReadProblem::Binary), "what is cut off counts too");
    assert_eq!(limited("latin", 100), Err(ReadProblem::NotUtf8));
    assert_eq!(limited("latin", 5), Err(ReadProblem::NotUtf8));
    assert_eq!(limited("half", 100), Err(ReadProblem::NotUtf8));
    assert_eq!(limited("none", 100), Ok((0, String::new(), 0)));
    let bytes = skill.read(&path("nul"), ReadLimit::Bytes).unwrap();
    assert_eq!(bytes.bytes, ResourceBytes::Binary(b"text\0more".to_vec()));
}

fn drawn(resource: Resource) -> (u64, String, u64) {
    match resource.bytes {
        ResourceBytes::Text { text, removed } => (resource.size, text, removed),
        ResourceBytes::Binary(bytes) => (resource.size, format!("{bytes:?}"), 0),
        ResourceBytes::Open(_) => unreachable!("no file was asked for"),
    }
}

/// Reading 8 GiB shows in the memory, and past the hard limit in the answer.
#[test]
fn a_huge_file_is_cut_or_refused_at_once() {
    let dir = tree();
    let large = dir.path().join("skills/pdf/large.md");
    fs_err::write(&large, "x".repeat(3_000_000)).unwrap();
    let file = std::fs::File::options().append(true).open(&large).unwrap();
    file.set_len(8 << 30).unwrap();
    let skill = open(&dir);
    let before = peak();
    // What follows the part that would be sent makes it no text.
    assert_eq!(skill.read(&path("large.md"), ReadLimit::Text(2_000_000)), Err(ReadProblem::Binary));
    assert_eq!(skill.read(&path("large.md"), ReadLimit::Bytes), Err(ReadProblem::TooLarge));
    assert!(peak() < before + 32 * 1024, "in KiB: {before}, then {}", peak());
    // Past the text there are only zeros, and no limit of a host goes past the hard one.
    assert_eq!(skill.read(&path("large.md"), ReadLimit::Text(u64::MAX)), Err(ReadProblem::Binary));
    file.set_len(0).unwrap();
    fs_err::write(&large, "y".repeat(usize::try_from(READ_MAX).unwrap() + 5)).unwrap();
    let (_, text, removed) = skill.read(&path("large.md"), ReadLimit::Text(u64::MAX)).map(drawn).unwrap();
    assert_eq!((u64::try_from(text.len()).unwrap(), removed), (READ_MAX, 5));
    let (size, text, removed) = skill.read(&path("large.md"), ReadLimit::Text(2_000_000)).map(drawn).unwrap();
    assert_eq!((size, text.len(), removed), (READ_MAX + 5, 2_000_000, READ_MAX + 5 - 2_000_000));
}

/// Returns the most memory that this process ever took, in KiB.
fn peak() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_hard_link_is_inside() {
    let dir = tree();
    fs_err::hard_link(dir.path().join("outside/secret.md"), dir.path().join("skills/pdf/hard.md")).unwrap();
    assert_eq!(read(&open(&dir), "hard.md").as_deref(), Ok("SECRET\n"));
}

#[test]
fn a_folder_is_listed_with_what_leads_out() {
    let dir = tree();
    let skill = open(&dir);
    let lines: Vec<String> = skill.list_top().unwrap().items.iter().map(ResourceItem::line).collect();
    assert_eq!(
        lines,
        [
            "empty/",
            "references/",
            "back (a link that leads out)",
            "chain",
            "dangling (a link that leads nowhere)",
            "inner",
            "loop (a link that leads nowhere)",
            "magic (a link that leads out)",
            "out (a link that leads out)",
            "out.md (a link that leads out)",
            "pipe (not a regular file)",
            "sibling (a link that leads out)",
            "SKILL.md",
            "whole (a link that leads out)",
        ]
    );
    let names = |text: &str| -> Result<Vec<String>, ReadProblem> {
        Ok(skill.list(&path(text))?.items.iter().map(ResourceItem::line).collect())
    };
    assert_eq!(names("inner").unwrap(), ["..hidden", "tables.md", "up.md"]);
    assert_eq!(names("empty").unwrap(), Vec::<String>::new());
    assert_eq!(names("out"), Err(ReadProblem::Escapes));
    assert_eq!(names("SKILL.md"), Err(ReadProblem::NotFound));
}

#[test]
fn odd_names_are_shown_apart_and_readable_as_shown() {
    let dir = tree();
    let folder = dir.path().join("skills/pdf/odd");
    fs_err::create_dir(&folder).unwrap();
    let long = "l".repeat(255);
    let names: Vec<&[u8]> = vec![
        b"caf\xe9",
        b"caf\\xe9",
        b"line\nbreak",
        b"esc\x1b[8m",
        b"-rf",
        long.as_bytes(),
        b"CON",
        b"space ",
        b" space",
        b"a\\b",
        b"a\\\\b",
        b"tab\t",
        "zero\u{200b}".as_bytes(),
        b"zero",
        b"x (a link that leads out)",
        b"(empty folder)",
        b"~",
        b"%41",
        "rtl\u{202e}".as_bytes(),
        b"\\u{41}",
    ];
    for name in &names {
        fs_err::write(folder.join(OsString::from_vec(name.to_vec())), name).unwrap();
    }
    std::os::unix::fs::symlink("/etc/hostname", folder.join("x")).unwrap();
    let skill = open(&dir);
    let items = skill.list(&path("odd")).unwrap().items;
    let lines: std::collections::BTreeSet<String> = items.iter().map(ResourceItem::line).collect();
    assert_eq!(lines.len(), names.len() + 1, "no two look the same: {lines:#?}");
    assert!(!lines.iter().any(|line| line.chars().any(crate::text::is_deceptive)));
    let mut read_back = 0;
    for item in items.iter().filter(|item| item.kind == ItemKind::File) {
        let content = skill.read(&path(&format!("odd/{}", item.name)), ReadLimit::Bytes).unwrap();
        let ResourceBytes::Binary(bytes) = content.bytes else { unreachable!("bytes were asked for") };
        assert_eq!(shown_name(Path::new(&OsString::from_vec(bytes))), item.name);
        read_back += 1;
    }
    assert_eq!(read_back, names.len());
    // What is written with a backslash that is no escape is taken as it is.
    fs_err::write(folder.join("win\\dows"), "w").unwrap();
    assert_eq!(read(&skill, "odd/win\\dows").as_deref(), Ok("w"));
}

#[test]
fn nothing_beside_a_single_file_belongs_to_it() {
    let dir = tree();
    fs_err::write(dir.path().join("skills/deploy.md"), "Deploy").unwrap();
    let skill = SkillDir::new(&dir.path().join("skills"), "deploy.md".as_ref(), Extent::File).unwrap();
    assert_eq!(read(&skill, "deploy.md").as_deref(), Ok("Deploy"));
    assert_eq!(read(&skill, "pdf/SKILL.md"), Err(ReadProblem::NotFound));
    assert_eq!(skill.list(&path("pdf")), Err(ReadProblem::NotFound));
    assert_eq!(skill.list_top().unwrap().items.len(), 1);
}

#[test]
fn permissions_are_told() {
    let dir = tree();
    let tables = dir.path().join("skills/pdf/references/tables.md");
    fs_err::set_permissions(&tables, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    if fs_err::read(&tables).is_ok() {
        std::io::Write::write_all(&mut std::io::stderr(), b"SKIPPED: permissions do not bind this user\n").unwrap();
        return;
    }
    assert_eq!(read(&open(&dir), "references/tables.md"), Err(ReadProblem::Denied));
}
