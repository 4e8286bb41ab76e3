//! A file that is read only as far as needed is read as if all of it had been.

use openoxide_testkit::TestContext;
use rayon::prelude::*;

use super::*;
use crate::boundary::Boundary;
use crate::host::{Host, Hosts};

/// Every host, in every edition, with its name; of those that read a file alike, the first.
fn hosts() -> Vec<(String, Host)> {
    let hosts = Hosts::builtin();
    let ids = hosts.all().flat_map(|spec| {
        let editions = spec.editions().map(|edition| format!("{}@{edition}", spec.name)).collect::<Vec<_>>();
        std::iter::once(spec.name.clone()).chain(editions)
    });
    let mut unlike: Vec<(String, Host)> = Vec::new();
    for id in ids {
        let host = hosts.get(&id).unwrap().host().unwrap();
        if unlike.iter().all(|(_, known)| known.parse != host.parse) {
            unlike.push((id, host));
        }
    }
    unlike
}

fn plan(host: &Host) -> Plan {
    Plan::new([(host, &host.scan)], false, Boundary::default())
}

/// Reads a file from disk as a search does, and says how many bytes of it were read.
fn read_from_disk(path: &Path, plan: &Plan) -> (Vec<Arc<Parsed>>, usize) {
    let file: OwnedFd = fs_err::File::open(path).unwrap().into_file().into();
    let mounts = MountLog::default();
    let folder = path.parent().unwrap();
    let at = FileLocation {
        fd: CWD,
        rel: path,
        found: folder,
        dir: folder,
        folder: "skill",
        real_folder: "skill",
        regular: true,
        mounts: &mounts,
    };
    let mut buffer = Vec::new();
    let (parsed, _) = read_head(&file, &at, plan, &mut buffer).unwrap();
    (parsed, buffer.len())
}

fn shown(parsed: &[Arc<Parsed>]) -> String {
    let one = |parsed: &Arc<Parsed>| {
        let codes: Vec<_> = parsed.problems.iter().map(|problem| problem.code).collect();
        let text = &parsed.description;
        let end = text.ceil_char_boundary(text.len().saturating_sub(20));
        format!("{:?} {} {:?} {:?} {codes:?}", parsed.name, text.len(), text.get(..20), &text[end..])
    };
    parsed.iter().map(one).collect::<Vec<_>>().join(" | ")
}

/// Texts of about a size whose head ends late, never, or right where reading stops.
fn texts(size: usize) -> Vec<(&'static str, String)> {
    let lines = "more: text and more of it\n".repeat(size / 26);
    let words = "word ".repeat(size / 5);
    let head = "---\nname: skill\ndescription: What it does\n";
    let padded = |end: &str| {
        let room = size.saturating_sub(head.len() + "license: \n".len());
        format!("{head}license: {}\n{end}", "x".repeat(room))
    };
    vec![
        ("never closed", format!("{head}{lines}")),
        ("never closed, one value", format!("---\nname: skill\ndescription: {words}")),
        (
            "never closed, block",
            format!("---\nname: skill\ndescription: |\n  {}", words.replace("word word ", "word\n  ")),
        ),
        ("closed late", format!("{head}{}---\nBody.\n", lines.replace("more:", "# more:"))),
        ("long description", format!("---\nname: skill\ndescription: {words}\n---\nBody.\n")),
        (
            "description last",
            format!("---\nname: skill\n{}description: last\n---\nBody.\n", lines.replace("more:", "# more:")),
        ),
        ("blank lines before", format!("{}{head}---\nBody.\n", "\n".repeat(size))),
        ("blanks before", format!("{}{head}---\nBody.\n", " ".repeat(size))),
        ("blanks behind the fence", format!("---{}\nname: skill\ndescription: d\n---\nBody.\n", " ".repeat(size))),
        ("closed at the end of what is read", padded("---\nBody.\n")),
        ("dashes that go on", padded("---x\n---\nBody.\n")),
        ("dashes and blanks", format!("{}---{}x\n---\nBody.\n", padded(""), " ".repeat(size))),
        ("body begins there", padded("---\n\n\nThe first line of the body is this one.\n")),
        ("no description, body begins there", {
            let room = size.saturating_sub("---\nlicense: \n---\n".len());
            format!(
                "---\nlicense: {}\n---\n# The first line of the body is this one, and it goes on\n",
                "x".repeat(room)
            )
        }),
        ("no frontmatter, long first line", words.clone()),
        ("nothing", String::new()),
        ("wide letters", format!("---\nname: skill\ndescription: {}\n---\nBody.\n", "é日😀".repeat(size / 9))),
        ("wide letters, never closed", format!("---\nname: skill\ndescription: {}", "é日😀".repeat(size / 9))),
    ]
}

#[test]
fn what_is_read_of_a_head_does_not_depend_on_how_much_is_read() {
    let context = TestContext::new();
    let hosts: Vec<(String, Plan)> = hosts().into_iter().map(|(id, host)| (id, plan(&host))).collect();
    // Around the ends of the first and the second read, and sizes between one kilobyte and one megabyte.
    let near = |end: usize, step: usize| (end - 12..end + 5).step_by(step);
    let sizes = near(FIRST_READ, 2).chain(near(SECOND_READ, 12)).chain([1000, 100_000, 1_000_000]);
    let wrong: Vec<String> = sizes
        .collect::<Vec<_>>()
        .into_par_iter()
        .flat_map(|size| {
            let path = context.root().join(format!("{size}.md"));
            let mut wrong = Vec::new();
            for (label, text) in texts(size).into_iter().filter(|(_, text)| text.len() <= PREFIX_MAX) {
                fs_err::write(&path, &text).unwrap();
                for (id, plan) in &hosts {
                    let (parsed, n_read) = read_from_disk(&path, plan);
                    let whole = FileFact::embedded(&"SKILL.md".into(), Path::new("/skill"), text.as_bytes(), plan);
                    let (parsed, whole) = (shown(&parsed), shown(&whole.parsed));
                    if parsed != whole {
                        wrong.push(format!("{id}: {label}, {size}: {parsed}\n  read whole: {whole}"));
                    }
                    assert!(n_read <= PREFIX_MAX, "{id}: {label}, {size}: {n_read} bytes were read");
                }
            }
            wrong
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n")
    );
}

/// Most skills cost one short read, whatever the host.
#[test]
fn a_head_that_ends_early_is_read_once() {
    let context = TestContext::new();
    let path = context.root().join("SKILL.md");
    fs_err::write(&path, format!("---\nname: skill\ndescription: d\n---\nBody.\n{}", "x".repeat(100_000))).unwrap();
    for (id, host) in hosts() {
        let plan = plan(&host);
        let (_, n_read) = read_from_disk(&path, &plan);
        assert!(n_read == FIRST_READ || plan.readers.need_whole(), "{id}: {n_read} bytes were read");
    }
}
