//! Checks one skill's folder by the rules of several hosts at once, whether or not any of them searches there.

mod contents;
mod draft;
mod finding;
mod hidden;
mod hidden_skills;
mod metadata;
mod names;
mod outer_skills;
mod placeholder;
mod reconcile;
mod single_files;

pub use crate::discover::PREFIX_MAX as CHECKED_MAX;
pub use draft::Draft;
pub use finding::SkillFinding;
pub use hidden::forged_line;
pub use hidden_skills::HiddenSkills;
pub use metadata::MetadataFiles;
pub use outer_skills::OuterSkills;
pub use single_files::SingleFiles;

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use self::contents::Contents;
use crate::boundary::{Boundary, LinkRole, Target};
use crate::diagnostic::{Code, Diagnostic, Fix, Level};
use crate::discover::{Listing, Prefix, read_prefix, read_sidecars_in, reason};
use crate::host::{Control, Host, Links};
use crate::parse::{Head, Parsed, parse_head};
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

/// Whose rules a skill is judged by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judges<'j> {
    /// The hosts whose verdicts are the levels of findings: an error if one drops the skill.
    pub hosts: &'j [&'j Host],
    /// A host beside them, such as the standard: what only this one minds is a note.
    pub beside: Option<&'j Host>,
}

/// Judges the skill in a folder by each host's rules.
///
/// A link in the folder is followed as far as `boundary` says.
pub fn judge(dir: &Path, hosts: &[&Host], boundary: &Boundary) -> Judgment {
    judge_draft(dir, Judges { hosts, beside: None }, boundary, &Draft::default())
}

/// Judges the skill in a folder as it would be with a draft's changes.
pub fn judge_draft(dir: &Path, judges: Judges<'_>, boundary: &Boundary, draft: &Draft) -> Judgment {
    let folder = draft.folder_name(dir);
    let mut judged = Judgment { path: dir.to_owned(), name: folder.clone(), findings: Vec::new() };
    let opened = match open(dir, boundary) {
        Ok(opened) => opened,
        Err(problem) => {
            for host in judges.hosts {
                judged.add(host, dir, problem.clone());
            }
            return judged;
        }
    };
    let mut skill = OpenSkill {
        dir,
        opened: opened.fd(),
        boundary,
        draft,
        folder: &folder,
        spellings: draft.renamed(spellings(opened.fd())),
        texts: BTreeMap::new(),
        placeholder: None,
    };
    // What is judged first lends its words: those of the standard are nobody's own.
    if let Some(beside) = judges.beside {
        judged.by_host(beside, &mut skill);
        judged.only_notes();
    }
    for host in judges.hosts {
        judged.by_host(host, &mut skill);
    }
    judged.contents(&skill);
    reconcile::reconcile(&mut judged.findings, &folder);
    let start = |finding: &SkillFinding| finding.diagnostic.place.as_ref().map(|place| place.span.start);
    judged.findings.sort_by_key(|finding| (finding.path.clone(), start(finding)));
    judged
}

/// A skill's folder while it is judged.
struct OpenSkill<'s> {
    dir: &'s Path,
    opened: BorrowedFd<'s>,
    boundary: &'s Boundary,
    draft: &'s Draft,
    folder: &'s str,
    /// The names of skill files in it.
    spellings: Vec<String>,
    /// What was read of each, by name.
    texts: BTreeMap<String, Result<Prefix, Diagnostic>>,
    /// Says that the description is a placeholder. Every host loads such a skill, so that none of them says it.
    placeholder: Option<SkillFinding>,
}

impl OpenSkill<'_> {
    fn read(&mut self, file: &str) {
        if !self.texts.contains_key(file) {
            let drafted = self.draft.text(file).map(|bytes| Ok(Prefix { bytes: bytes.to_owned(), whole: true }));
            let text = drafted.unwrap_or_else(|| read(self.opened, self.draft.present_name(file), self.boundary));
            self.texts.insert(file.to_owned(), text);
        }
    }

    fn is_link(&self, file: &str) -> bool {
        let stat = rustix::fs::statat(self.opened, self.draft.present_name(file), AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    }
}

impl Judgment {
    /// Judges the skill by one host's rules.
    fn by_host(&mut self, host: &Host, skill: &mut OpenSkill<'_>) {
        let Some(file) = host.scan.files.iter().find(|file| skill.spellings.contains(file)) else {
            self.add(host, skill.dir, missing(host, &skill.spellings));
            return;
        };
        let path = skill.dir.join(file);
        if self.path == skill.dir {
            self.path.clone_from(&path);
        }
        skill.read(file);
        match parse(host, skill, file) {
            Err(problem) => self.add(host, &path, problem),
            Ok(parsed) => {
                // Hosts that cannot read the name take the folder's; any other answer is the skill's own.
                if self.name == skill.folder && !parsed.name.is_empty() {
                    self.name = parsed.name.to_string();
                }
                let bytes = skill.texts[file].as_ref().map_or(&[][..], |text| &text.bytes);
                if let Some(line) = hidden::forged_line(&parsed.description) {
                    self.add(host, &path, forged(bytes, line));
                }
                let found = || placeholder::placeholder(bytes, &parsed.description).filter(|_| parsed.described);
                let placeholder = skill.placeholder.take();
                skill.placeholder = placeholder.or_else(|| Some(SkillFinding::new(&path, found()?)));
                let said = says_it_beside(host, skill.opened, skill.dir);
                let key = |problem: &Diagnostic| bytes.get(problem.place.as_ref()?.span.clone());
                let is_said = |problem: &Diagnostic| said && key(problem) == Some(b"disable-model-invocation");
                let problems = parsed.problems.into_iter();
                let left: Vec<Diagnostic> = problems.filter(|problem| !is_said(problem)).collect();
                self.file(host, &path, left);
            }
        }
        self.sidecar(host, skill.opened, skill.dir);
    }

    /// Makes notes of what was found so far: no host whose verdict is a level minds it yet.
    fn only_notes(&mut self) {
        for finding in &mut self.findings {
            finding.diagnostic.level = Level::Note;
            finding.dropped_by.clear();
            finding.differs_in.clear();
        }
    }

    /// Judges what lies in the folder, whatever the host.
    fn contents(&mut self, skill: &OpenSkill<'_>) {
        self.findings.extend(skill.placeholder.clone());
        let contents = Contents::read(skill.opened);
        self.findings.extend(names::deceptive_names(skill.dir, &contents));
        self.findings.extend(hidden::hidden_in_files(skill.dir, skill.opened, &contents));
        for (file, text) in skill.texts.iter().filter_map(|(file, text)| Some((file, text.as_ref().ok()?))) {
            let path = skill.dir.join(file);
            self.findings.extend((!text.whole).then(|| partly_checked(&path)));
            // A link is none of the contents, but what it leads to was read.
            if skill.is_link(file) {
                self.findings.extend(hidden::hidden_in(&path, &text.bytes));
            }
        }
    }
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
    let dangling = || Diagnostic::error(Code::LinkDangling, "the link leads nowhere").help("fix the link");
    read_prefix(dir, Path::new(file), boundary).ok_or_else(dangling)?
}

/// Parses a skill's file as a host does; an error: the host does not get as far as the text.
fn parse(host: &Host, skill: &OpenSkill<'_>, file: &str) -> Result<Parsed, Diagnostic> {
    let Prefix { bytes, whole } = skill.texts[file].as_ref().map_err(Clone::clone)?;
    if host.scan.file_links == Links::Skip && skill.is_link(file) {
        let problem = Diagnostic::error(Code::LinkSkipped, "the skill file is a symbolic link");
        return Err(problem.help("put the file itself into the folder"));
    }
    if let Some(max) = host.scan.file_max.filter(|&max| bytes.len() as u64 > max) {
        let problem = Diagnostic::error(Code::FileTooLarge, format!("the file is larger than {max} bytes"));
        return Err(problem.help("move details into files beside it"));
    }
    let folder = skill.folder;
    let head = Head { bytes, text: std::str::from_utf8(bytes), whole: *whole, folder, real_folder: folder };
    let too_large = || Diagnostic::error(Code::HeadTooLarge, "the frontmatter does not end within 64 KiB");
    parse_head(head, &host.parse).ok_or_else(too_large)
}

/// Tells whether metadata beside the skill says, in the host's own way, that the model may not call it.
fn says_it_beside(host: &Host, opened: BorrowedFd<'_>, dir: &Path) -> bool {
    let Some(rules) = &host.sidecar else { return false };
    let found = read_sidecars_in(opened, &rules.files);
    let bytes = found.first().and_then(|found| found.bytes.as_ref().ok());
    host.controls.obeyed.contains(&Control::AllowImplicitInvocation)
        && bytes.is_some_and(|bytes| !sidecar::read(bytes, dir, None, rules).0.policy.allow_implicit_invocation)
}

/// Says that a long file was not read to its end: what is wrong further down is not found.
fn partly_checked(path: &Path) -> SkillFinding {
    let message = "the file is larger than 1 MiB, and only that much of it was checked";
    let problem = Diagnostic::warning(Code::PartlyChecked, message).help("move details into files beside it");
    SkillFinding::new(path, problem)
}

impl Judgment {
    fn file(&mut self, host: &Host, path: &Path, problems: Vec<Diagnostic>) {
        for mut problem in problems {
            if problem.code == Code::FieldNotRead {
                problem.message = problem.message.replace("this host", &host.title);
            }
            self.add(host, path, problem);
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
        let level = diagnostic.level;
        let at = if let Some(finding) = self.findings.iter_mut().find(same) {
            finding.merge(title, diagnostic);
            finding
        } else {
            self.findings.push(SkillFinding::new(path, diagnostic));
            self.findings.last_mut().expect("one was just added")
        };
        match level {
            Level::Error => push_once(&mut at.dropped_by, title),
            Level::Warning => push_once(&mut at.differs_in, title),
            Level::Note => {}
        }
    }
}

fn push_once(titles: &mut Vec<String>, title: &str) {
    if !titles.iter().any(|known| known == title) {
        titles.push(title.to_owned());
    }
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
            .help("write one: `openoxide new NAME`"),
    }
}

fn spellings(dir: BorrowedFd<'_>) -> Vec<String> {
    let Ok((listing, _)) = Listing::read(dir, usize::MAX) else { return Vec::new() };
    let names = listing.iter().filter_map(|(name, _)| name.to_str());
    names.filter(|name| name.eq_ignore_ascii_case("SKILL.md")).map(str::to_owned).collect()
}
