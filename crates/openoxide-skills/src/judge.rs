//! Checks one skill's folder by the rules of several hosts at once, whether or not any of them searches there.

mod contents;
mod finding;
mod hidden;
mod metadata;
mod names;

pub use crate::discover::PREFIX_MAX as CHECKED_MAX;
pub use finding::SkillFinding;
pub use hidden::forged_line;
pub use metadata::MetadataFiles;

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use self::contents::Contents;
use crate::boundary::{Boundary, LinkRole, Target};
use crate::diagnostic::{Code, Diagnostic, Fix, Level};
use crate::discover::{Listing, Prefix, read_prefix, read_sidecars_in, reason};
use crate::host::{Host, Links};
use crate::parse::{Head, Parsed, is_known_field, parse_head};
use crate::{sidecar, text::TerminalText};

/// One skill folder, judged.
#[derive(Clone, Debug)]
pub struct Judgment {
    /// The skill file, or the folder where there is none.
    pub path: PathBuf,
    /// What the skill is called.
    pub name: String,
    /// What was found, in reading order.
    pub findings: Vec<SkillFinding>,
}

impl Judgment {
    /// Tells whether nothing found is an error.
    pub fn is_ok(&self) -> bool {
        self.findings.iter().all(|finding| !finding.diagnostic.is_error())
    }
}

/// Tells whether a folder is a skill's: it holds a skill file, in whatever spelling.
pub fn is_skill_folder(dir: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = rustix::io::retry_on_intr(|| rustix::fs::open(dir, flags, Mode::empty()));
    opened.is_ok_and(|opened| !spellings(opened.as_fd()).is_empty())
}

/// Judges the skill in a folder by each host's rules.
///
/// A link in the folder is followed as far as `boundary` says.
pub fn judge(dir: &Path, hosts: &[&Host], boundary: &Boundary) -> Judgment {
    let folder = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut judged = Judgment { path: dir.to_owned(), name: folder.clone(), findings: Vec::new() };
    let opened = match open(dir, boundary) {
        Ok(opened) => opened,
        Err(problem) => {
            for host in hosts {
                judged.add(host, dir, problem.clone());
            }
            return judged;
        }
    };
    let spellings = spellings(opened.fd());
    let opened = opened.fd();
    // With several hosts, an extension that one of them knows is no error for the others.
    let lenient = hosts.len() > 1;
    let mut files = BTreeMap::new();
    for host in hosts {
        let Some(file) = host.scan.files.iter().find(|file| spellings.contains(file)) else {
            judged.add(host, dir, missing(host, &spellings));
            continue;
        };
        let path = dir.join(file);
        if judged.path == dir {
            judged.path.clone_from(&path);
        }
        let text = files.entry(file.clone()).or_insert_with(|| read(opened, file, boundary));
        match parse(host, opened, file, &folder, text) {
            Err(problem) => judged.add(host, &path, problem),
            Ok(parsed) => {
                // Hosts that cannot read the name take the folder's; any other answer is the skill's own.
                if judged.name == folder && !parsed.name.is_empty() {
                    judged.name = parsed.name.to_string();
                }
                let bytes = text.as_ref().map_or(&[][..], |text| &text.bytes);
                if let Some(line) = hidden::forged_line(&parsed.description) {
                    judged.add(host, &path, forged(bytes, line));
                }
                judged.file(host, &path, parsed, bytes, lenient);
            }
        }
        judged.sidecar(host, opened, dir);
    }
    let contents = Contents::read(opened);
    judged.findings.extend(names::deceptive_names(dir, &contents));
    judged.findings.extend(hidden::hidden_in_files(dir, opened, &contents));
    for (file, text) in files.iter().filter_map(|(file, text)| Some((file, text.as_ref().ok()?))) {
        let path = dir.join(file);
        judged.findings.extend((!text.whole).then(|| partly_checked(&path)));
        // A link is none of the contents, but what it leads to was read.
        if is_link(opened, file) {
            judged.findings.extend(hidden::hidden_in(&path, &text.bytes));
        }
    }
    let start = |finding: &SkillFinding| finding.diagnostic.place.as_ref().map(|place| place.span.start);
    judged.findings.sort_by_key(|finding| (finding.path.clone(), start(finding)));
    judged
}

/// Opens a skill's folder, unless it is a link that leads where it may not.
fn open(dir: &Path, boundary: &Boundary) -> Result<Target, Diagnostic> {
    let opened = Target::open_folder(dir, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC).map_err(|error| {
        let problem =
            Diagnostic::error(Code::Unreadable, format!("the folder cannot be read: {}", reason(&error.into())));
        problem.help("check the folder's permissions")
    })?;
    let role = LinkRole::Folder { name: dir.file_name().unwrap_or_default(), flat: false };
    match boundary.may_be_root(dir, &opened, role) {
        true => Ok(opened),
        false => Err(Diagnostic { level: Level::Error, ..boundary.root_refusal() }),
    }
}

/// Reads a skill's file as far as it is checked, through a link if that may lead there.
fn read(dir: BorrowedFd<'_>, file: &str, boundary: &Boundary) -> Result<Prefix, Diagnostic> {
    let dangling = || Diagnostic::error(Code::LinkDangling, "the link leads nowhere").help("mend the link");
    read_prefix(dir, Path::new(file), boundary).ok_or_else(dangling)?
}

/// Parses a skill's file as a host does; an error: the host does not get as far as the text.
fn parse(
    host: &Host,
    dir: BorrowedFd<'_>,
    file: &str,
    folder: &str,
    text: &Result<Prefix, Diagnostic>,
) -> Result<Parsed, Diagnostic> {
    let Prefix { bytes, whole } = text.as_ref().map_err(Clone::clone)?;
    if host.scan.file_links == Links::Skip && is_link(dir, file) {
        let problem = Diagnostic::error(Code::LinkSkipped, "the skill file is a symbolic link");
        return Err(problem.help("put the file itself into the folder"));
    }
    if let Some(max) = host.scan.file_max.filter(|&max| bytes.len() as u64 > max) {
        let problem = Diagnostic::error(Code::FileTooLarge, format!("the file is larger than {max} bytes"));
        return Err(problem.help("move details into files beside it"));
    }
    let head = Head { bytes, text: std::str::from_utf8(bytes), whole: *whole, folder, real_folder: folder };
    let too_large = || Diagnostic::error(Code::HeadTooLarge, "the frontmatter does not end within 64 KiB");
    parse_head(head, &host.parse).ok_or_else(too_large)
}

/// Says that a long file was not read to its end: what is wrong further down is not found.
fn partly_checked(path: &Path) -> SkillFinding {
    let message = "the file is larger than 1 MiB, and only that much of it was checked";
    let problem = Diagnostic::warning(Code::PartlyChecked, message).help("move details into files beside it");
    SkillFinding::new(path, problem)
}

impl Judgment {
    fn file(&mut self, host: &Host, path: &Path, parsed: Parsed, bytes: &[u8], lenient: bool) {
        for mut problem in parsed.problems {
            let drops = problem.is_error();
            if lenient && problem.code == Code::UnknownField && known_elsewhere(bytes, &problem) {
                problem.level = Level::Warning;
                problem = problem.help("programs pass over a field that they do not know; a strict checker does not");
            }
            if problem.code == Code::FieldNotRead {
                problem.message = problem.message.replace("this host", &host.title);
            }
            self.add(host, path, problem);
            let is_unknown = |finding: &&mut SkillFinding| {
                !finding.dropped_by.contains(&host.title) && finding.diagnostic.code == Code::UnknownField
            };
            if drops && let Some(finding) = self.findings.iter_mut().rfind(is_unknown) {
                finding.dropped_by.push(host.title.clone());
            }
        }
    }

    fn sidecar(&mut self, host: &Host, opened: BorrowedFd<'_>, dir: &Path) {
        let Some(rules) = &host.sidecar else { return };
        let found = read_sidecars_in(opened, &rules.files);
        let Some(found) = found.first() else { return };
        let problems = match &found.bytes {
            Ok(bytes) => sidecar::read(bytes, dir, None, rules).1,
            Err(why) => vec![sidecar::invalid(why)],
        };
        for problem in problems {
            self.add(host, &dir.join(&found.file), problem);
        }
    }

    /// Adds a finding, or a host to the same finding of another host.
    fn add(&mut self, host: &Host, path: &Path, diagnostic: Diagnostic) {
        let title = &host.title;
        let span = |diagnostic: &Diagnostic| diagnostic.place.as_ref().map_or(0..0, |place| place.span.clone());
        let same = |finding: &&mut SkillFinding| {
            finding.path == path
                && alike(finding.diagnostic.code, diagnostic.code)
                && overlap(&span(&finding.diagnostic), &span(&diagnostic))
        };
        let drops = diagnostic.is_error();
        let at = if let Some(finding) = self.findings.iter_mut().find(same) {
            if diagnostic.code == Code::FieldNotRead {
                finding.diagnostic.message = format!("{}, {title}", finding.diagnostic.message);
            }
            if diagnostic.level > finding.diagnostic.level {
                finding.diagnostic =
                    Diagnostic { fix: diagnostic.fix.clone().or(finding.diagnostic.fix.take()), ..diagnostic };
            }
            finding
        } else {
            self.findings.push(SkillFinding::new(path, diagnostic));
            self.findings.last_mut().expect("one was just added")
        };
        if drops {
            at.dropped_by.push(title.clone());
        }
    }
}

fn is_link(dir: BorrowedFd<'_>, file: &str) -> bool {
    let stat = rustix::fs::statat(dir, file, AtFlags::SYMLINK_NOFOLLOW);
    stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// A value that needs quotes is the same finding to a host that repairs it and to one that does not.
fn alike(left: Code, right: Code) -> bool {
    let quotes = |code| matches!(code, Code::BadYaml | Code::Repaired);
    let missing = |code| matches!(code, Code::DescriptionMissing | Code::DescriptionEmpty);
    left == right || (quotes(left) && quotes(right)) || (missing(left) && missing(right))
}

fn overlap(left: &Range<usize>, right: &Range<usize>) -> bool {
    left.start < right.end && right.start < left.end || left.start == right.start
}

fn known_elsewhere(bytes: &[u8], problem: &Diagnostic) -> bool {
    let span = problem.place.as_ref().map_or(0..0, |place| place.span.clone());
    let key = bytes.get(span).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    is_known_field(key.trim_matches(['"', '\'']))
}

fn forged(bytes: &[u8], line: &str) -> Diagnostic {
    let message = format!("a line of the description looks like another skill: `{}`", TerminalText(line));
    let problem = Diagnostic::warning(Code::ForgedItem, message);
    let problem = problem.help("write the description as one paragraph: some agents list one skill on each line");
    match std::str::from_utf8(bytes).ok().and_then(|text| Some((text, text.find(line)?))) {
        Some((text, start)) => problem.at(text, start..start + line.len()),
        None => problem,
    }
}

/// Says which file is missing, and whether one is merely spelled differently.
fn missing(host: &Host, spellings: &[String]) -> Diagnostic {
    let wanted = host.scan.files.first().map_or("SKILL.md", String::as_str);
    match spellings.first() {
        Some(other) => Diagnostic::error(Code::FileName, format!("the file is called `{other}`, not `{wanted}`"))
            .help(format!("rename it to `{wanted}`"))
            .fix(Fix::RenameFile(wanted.to_owned())),
        None => Diagnostic::error(Code::FileName, format!("there is no `{wanted}` in the folder"))
            .help("write one: openoxide new NAME"),
    }
}

fn spellings(dir: BorrowedFd<'_>) -> Vec<String> {
    let Ok((listing, _)) = Listing::read(dir, usize::MAX) else { return Vec::new() };
    let names = listing.iter().filter_map(|(name, _)| name.to_str());
    names.filter(|name| name.eq_ignore_ascii_case("SKILL.md")).map(str::to_owned).collect()
}
