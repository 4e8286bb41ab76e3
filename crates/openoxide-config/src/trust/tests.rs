use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use super::record::TrustedRemote;
use super::*;

fn setup() -> (tempfile::TempDir, Environment) {
    let dir = tempfile::tempdir().unwrap();
    let environment = Environment { home: Some(dir.path().to_owned()), cwd: "/".into(), ..Environment::default() };
    (dir, environment)
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from(UNIX_EPOCH + Duration::from_secs(seconds))
}

fn file(environment: &Environment) -> PathBuf {
    environment.openoxide_home().unwrap().join("state/trust.toml")
}

fn text(environment: &Environment) -> String {
    fs_err::read_to_string(file(environment)).unwrap()
}

fn write(environment: &Environment, text: &str) {
    fs_err::create_dir_all(file(environment).parent().unwrap()).unwrap();
    fs_err::write(file(environment), text).unwrap();
    fs_err::set_permissions(file(environment), std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn grant(digest: &str, permission: PermissionKind, shown: &[&str]) -> Grant {
    let shown = shown.iter().map(|text| (*text).to_owned()).collect();
    Grant { skill: "/skills/deploy".into(), digest: digest.to_owned(), permission, shown, at: at(0) }
}

fn answer(pattern: &str, agent: Option<&str>) -> RememberedAnswer {
    let agent = agent.map(str::to_owned);
    let [permission, pattern, skill] = ["shell", pattern, "/skills/git/SKILL.md"].map(str::to_owned);
    RememberedAnswer { permission, pattern, skill, agent, at: at(60) }
}

fn trusts(trust: &Trust, folder: &Path) -> bool {
    trust.folders().any(|trusted| trusted == folder)
}

#[test]
fn nothing_is_trusted_and_nothing_is_made_by_looking() {
    let (dir, environment) = setup();
    let mut trust = Trust::open(&environment);
    assert!(!trusts(&trust, Path::new("/a")) && trust.problem().is_none());
    assert_eq!(trust.approval(Path::new("/a"), "", PermissionKind::Shell), ApprovalState::NotApproved);
    assert_eq!(trust.revoke(|_| true).unwrap(), []);
    assert_eq!(fs_err::read_dir(dir.path()).unwrap().count(), 0);
    let mut homeless = Trust::open(&Environment::default());
    assert!(matches!(homeless.add_folder(Path::new("/a"), at(0)), Err(TrustError::NoHome)));
}

#[test]
fn everything_is_written_and_read_back() {
    let (_dir, environment) = setup();
    let mut trust = Trust::open(&environment);
    assert!(trust.add_folder(Path::new("/srv/a b"), at(0)).unwrap());
    assert!(!trust.add_folder(Path::new("/srv/a b"), at(9)).unwrap(), "once is enough");
    let source = TrustRecord::Source { source: "https://example.com/skills".to_owned(), at: at(1) };
    assert!(trust.add(source.clone()).unwrap());
    assert!(
        trust.add(TrustRecord::Grant(grant("sha256:00", PermissionKind::Shell, &["git log \"-1\"", "date"]))).unwrap()
    );
    assert!(trust.add(TrustRecord::Answer(answer("git *", None))).unwrap());
    assert!(trust.add(TrustRecord::Answer(answer("git *", Some("build")))).unwrap(), "for one agent is something else");
    insta::assert_snapshot!(text(&environment), @r#"
    # What you trust. `openoxide trust --list` shows it, `openoxide trust --revoke` takes it back.
    version = 1

    [[folders]]
    path = "/srv/a b"
    at = 1970-01-01T00:00:00Z

    [[sources]]
    source = "https://example.com/skills"
    at = 1970-01-01T00:00:01Z

    [[grants]]
    skill = "/skills/deploy"
    digest = "sha256:00"
    permission = "shell"
    shown = ['git log "-1"', "date"]
    at = 1970-01-01T00:00:00Z

    [[answers]]
    permission = "shell"
    pattern = "git *"
    skill = "/skills/git/SKILL.md"
    at = 1970-01-01T00:01:00Z

    [[answers]]
    permission = "shell"
    pattern = "git *"
    skill = "/skills/git/SKILL.md"
    agent = "build"
    at = 1970-01-01T00:01:00Z
    "#);
    let again = Trust::open(&environment);
    assert_eq!(again.entries(), trust.entries());
    assert_eq!(again.entries().iter().map(|entry| entry.line).collect::<Vec<_>>(), [4, 8, 12, 19, 25]);
    assert!(trusts(&again, Path::new("/srv/a b")) && again.records().any(|record| *record == source));
    assert!(!trusts(&again, Path::new("/srv")) && !trusts(&again, Path::new("/srv/a b/c")));
    assert_eq!(
        again.remembered_answers().cloned().collect::<Vec<_>>(),
        [answer("git *", None), answer("git *", Some("build"))]
    );
}

#[test]
fn a_grant_is_for_one_path_one_power_and_these_bytes() {
    let (_dir, environment) = setup();
    let mut trust = Trust::open(&environment);
    trust.add(TrustRecord::Grant(Grant { at: at(5), ..grant("sha256:aa", PermissionKind::Shell, &["date"]) })).unwrap();
    let skill = Path::new("/skills/deploy");
    assert_eq!(trust.approval(skill, "sha256:aa", PermissionKind::Shell), ApprovalState::Approved);
    assert_eq!(trust.approval(skill, "sha256:aa", PermissionKind::Script), ApprovalState::NotApproved);
    assert_eq!(
        trust.approval(Path::new("/skills/deploy2"), "sha256:aa", PermissionKind::Shell),
        ApprovalState::NotApproved
    );
    assert_eq!(trust.approval(skill, "sha256:bb", PermissionKind::Shell), ApprovalState::Changed { since: at(5) });
    assert_eq!(trust.approval(skill, "sha256:a", PermissionKind::Shell), ApprovalState::Changed { since: at(5) });
    // Only what was shown.
    assert_eq!(trust.approval_for(skill, "sha256:aa", PermissionKind::Shell, "date"), ApprovalState::Approved);
    assert_eq!(trust.approval_for(skill, "sha256:aa", PermissionKind::Shell, "date; id"), ApprovalState::NotApproved);
    assert_eq!(
        trust.approval_for(skill, "sha256:bb", PermissionKind::Shell, "date"),
        ApprovalState::Changed { since: at(5) }
    );
    // More of the same bytes is added; other bytes replace.
    assert!(trust.add(TrustRecord::Grant(grant("sha256:aa", PermissionKind::Shell, &["date", "id"]))).unwrap());
    assert!(!trust.add(TrustRecord::Grant(grant("sha256:aa", PermissionKind::Shell, &["id"]))).unwrap());
    assert_eq!(trust.grants().next().unwrap().shown, ["date", "id"]);
    assert!(trust.add(TrustRecord::Grant(grant("sha256:bb", PermissionKind::Shell, &["ls"]))).unwrap());
    assert_eq!(trust.grants().cloned().collect::<Vec<_>>(), [grant("sha256:bb", PermissionKind::Shell, &["ls"])]);
    assert!(matches!(trust.approval(skill, "sha256:aa", PermissionKind::Shell), ApprovalState::Changed { .. }));
}

#[test]
fn taken_back_one_by_one_and_all_at_once() {
    let (_dir, environment) = setup();
    let mut trust = Trust::open(&environment);
    for folder in ["/a", "/b", "/c"] {
        trust.add_folder(Path::new(folder), at(0)).unwrap();
    }
    trust.add(TrustRecord::Grant(grant("sha256:aa", PermissionKind::Shell, &["date"]))).unwrap();
    trust.add(TrustRecord::Grant(grant("sha256:aa", PermissionKind::Tools, &["Bash(*)"]))).unwrap();
    let id = trust.entries()[1].record.id();
    assert_eq!((id.len(), id.chars().all(|digit| digit.is_ascii_hexdigit())), (8, true));
    assert_eq!(trust.revoke(|record| record.id() == id).unwrap().len(), 1);
    let left: Vec<bool> = ["/a", "/b", "/c"].map(|folder| trusts(&trust, Path::new(folder))).into();
    assert_eq!(left, [true, false, true]);
    let gone = trust.revoke(|record| record.skill() == Some(Path::new("/skills/deploy"))).unwrap();
    assert_eq!((gone.len(), trust.grants().count()), (2, 0));
    assert_eq!(trust.revoke(|_| true).unwrap().len(), 2);
    assert_eq!((trust.entries(), Trust::open(&environment).entries().len()), (&[][..], 0));
    let ids: std::collections::BTreeSet<String> = [answer("a", None), answer("a", Some("b")), answer("b", None)]
        .map(|answer| TrustRecord::Answer(answer).id())
        .into_iter()
        .collect();
    assert_eq!(ids.len(), 3);
}

#[test]
fn what_a_newer_version_wrote_stays() {
    let (_dir, environment) = setup();
    let newer = "\
# mine
version = 7
future = { a = 1 }

[[folders]]
path = \"/a\" # home
at = 2026-01-01T00:00:00+02:00
until = 2027-01-01T00:00:00Z

[[grants]]
skill = \"/s\"
permission = \"teleport\"
where = \"moon\"

[[planets]]
name = \"mars\"
";
    write(&environment, newer);
    let mut trust = Trust::open(&environment);
    assert!(trust.problem().is_none() && trusts(&trust, Path::new("/a")));
    assert_eq!(trust.grants().count(), 0, "an unknown permission is none");
    trust.add_folder(Path::new("/b"), at(0)).unwrap();
    let added = "\n[[folders]]\npath = \"/b\"\nat = 1970-01-01T00:00:00Z\n";
    assert_eq!(text(&environment), newer.replace("\n[[grants]]", &format!("{added}\n[[grants]]")));
    trust.revoke(|record| matches!(record, TrustRecord::Folder { path, .. } if path == Path::new("/b"))).unwrap();
    assert_eq!(text(&environment), newer);
    // Everything means also what only another version understands.
    assert_eq!(trust.revoke(|_| true).unwrap().len(), 2);
    assert!(!text(&environment).contains("teleport"), "{}", text(&environment));
    // The short form of the same.
    write(&environment, "folders = [{ path = \"/a\", at = 2026-01-01T00:00:00Z }]\n");
    let mut trust = Trust::open(&environment);
    trust.add_folder(Path::new("/b"), at(0)).unwrap();
    trust.revoke(|record| matches!(record, TrustRecord::Folder { path, .. } if path == Path::new("/a"))).unwrap();
    assert!(trusts(&trust, Path::new("/b")) && !trusts(&trust, Path::new("/a")), "{}", text(&environment));
}

#[test]
fn a_damaged_file_counts_for_nothing_and_is_left_alone() {
    let check = |damaged: &str, line: usize, words: &str| {
        let (_dir, environment) = setup();
        write(&environment, damaged);
        let mut trust = Trust::open(&environment);
        let problem = trust.problem().unwrap();
        assert!(problem.message.contains(words), "{}", problem.message);
        assert_eq!(problem.place.as_ref().unwrap().line, line, "{damaged}");
        assert!(problem.help.is_some() && trust.entries().is_empty());
        assert!(!trusts(&trust, Path::new("/a")));
        let error = trust.add_folder(Path::new("/b"), at(0)).unwrap_err();
        assert!(error.to_string().contains(&format!("line {line}: ")), "{error}");
        assert!(matches!(trust.revoke(|_| true), Err(TrustError::Damaged { .. })));
        assert_eq!(text(&environment), damaged);
    };
    let good = "[[folders]]\npath = \"/a\"\nat = 2026-01-01T00:00:00Z\n";
    check(&format!("{good}[[folders]\n"), 4, "not valid TOML");
    check(&good[..good.len() - 12], 3, "not valid TOML");
    check(&format!("{good}[[folders]]\npath = 7\nat = 2026-01-01T00:00:00Z\n"), 5, "`path` is missing or wrong");
    check(&format!("{good}[[folders]]\npath = \"a\"\nat = 2026-01-01T00:00:00Z\n"), 5, "`path` is missing or wrong");
    check(&format!("{good}[[folders]]\npath = \"/b\"\n"), 4, "`at` is missing or wrong");
    check(&format!("answers = 1\n{good}"), 1, "`answers` is not a list of tables");
    check(&format!("answers = [1]\n{good}"), 1, "`answers` is not a list of tables");
    let grant = "[[grants]]\nskill = \"/s\"\ndigest = \"d\"\npermission = \"shell\"\nat = 2026-01-01T00:00:00Z\n";
    check(&format!("{good}{grant}shown = [1]\n"), 9, "`shown` is missing or wrong");
    check(&format!("{good}[[answers]]\npermission = \"shell\"\npattern = \"\"\n"), 6, "`pattern` is missing");
}

#[test]
fn what_is_no_file_of_the_users_does_not_count() {
    let (dir, environment) = setup();
    let good = "[[folders]]\npath = \"/a\"\nat = 2026-01-01T00:00:00Z\n";
    write(&environment, good);
    fs_err::set_permissions(file(&environment), std::fs::Permissions::from_mode(0o622)).unwrap();
    let mut trust = Trust::open(&environment);
    assert!(trust.problem().unwrap().message.starts_with("other users may write"));
    assert!(!trusts(&trust, Path::new("/a")) && trust.add_folder(Path::new("/b"), at(0)).is_err());
    assert_eq!(text(&environment), good);
    fs_err::write(file(&environment), vec![b'#'; 5 << 20]).unwrap();
    fs_err::set_permissions(file(&environment), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(Trust::open(&environment).problem().unwrap().message.contains("larger than 4 MiB"));
    fs_err::write(file(&environment), b"\xff").unwrap();
    assert!(Trust::open(&environment).problem().unwrap().message.contains("cannot be read"));
    fs_err::remove_file(file(&environment)).unwrap();
    fs_err::create_dir(file(&environment)).unwrap();
    assert!(Trust::open(&environment).problem().unwrap().message.contains("not a file"));
    fs_err::remove_dir(file(&environment)).unwrap();
    // A pipe that nobody writes to would make a plain reader wait for ever.
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, file(&environment), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(Trust::open(&environment).problem().unwrap().message.contains("not a file"));
    drop(dir);
}

#[test]
fn only_the_user_can_look_into_it() {
    let (_dir, environment) = setup();
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    let state = file(&environment).parent().unwrap().to_owned();
    Trust::open(&environment).add_folder(Path::new("/a"), at(0)).unwrap();
    assert_eq!((mode(&state), mode(&file(&environment)), mode(&state.join("trust.lock"))), (0o700, 0o600, 0o600));
    // Modes that somebody widened are narrowed by the next change.
    fs_err::set_permissions(&state, std::fs::Permissions::from_mode(0o755)).unwrap();
    fs_err::set_permissions(file(&environment), std::fs::Permissions::from_mode(0o644)).unwrap();
    Trust::open(&environment).add_folder(Path::new("/b"), at(0)).unwrap();
    assert_eq!((mode(&state), mode(&file(&environment))), (0o700, 0o600));
    assert_eq!(fs_err::read_dir(&state).unwrap().count(), 2, "nothing else is left behind");
}

#[test]
fn a_link_stays_a_link() {
    let (dir, environment) = setup();
    let real = dir.path().join("dotfiles/trust.toml");
    fs_err::create_dir_all(real.parent().unwrap()).unwrap();
    fs_err::write(&real, "# mine\n").unwrap();
    fs_err::create_dir_all(file(&environment).parent().unwrap()).unwrap();
    fs_err::os::unix::fs::symlink(&real, file(&environment)).unwrap();
    Trust::open(&environment).add_folder(Path::new("/a"), at(0)).unwrap();
    assert!(fs_err::symlink_metadata(file(&environment)).unwrap().is_symlink());
    assert!(fs_err::read_to_string(&real).unwrap().contains("/a"));
}

/// As of a link to a disk that is not there: what the file denied is not known.
#[test]
fn what_leads_nowhere_is_no_missing_file() {
    let (dir, environment) = setup();
    let state = file(&environment).parent().unwrap().to_owned();
    fs_err::create_dir_all(&state).unwrap();
    let link = |path: &Path| fs_err::os::unix::fs::symlink(dir.path().join("nowhere/at/all"), path).unwrap();
    let problem = || Trust::open(&environment).problem().map(|problem| problem.message.clone()).unwrap_or_default();
    assert_eq!(problem(), "");
    link(&file(&environment));
    assert!(problem().contains("the file cannot be read"), "{}", problem());
    assert!(Trust::open(&environment).add_folder(Path::new("/a"), at(0)).is_err());
    fs_err::remove_dir_all(&state).unwrap();
    link(&state);
    assert!(problem().contains("the file cannot be read"), "{}", problem());
    fs_err::remove_file(&state).unwrap();
    fs_err::write(&state, "").unwrap();
    assert!(problem().contains("the file cannot be read"), "{}", problem());
}

#[test]
fn many_at_once_lose_nothing_and_no_reader_sees_a_part() {
    let (_dir, environment) = setup();
    let (writers, each) = (8, 12);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut seen, mut looks) = (0, 0);
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let trust = Trust::open(&environment);
                assert_eq!(trust.problem(), None);
                assert!(trust.entries().len() >= seen, "what was there is gone");
                (seen, looks) = (trust.entries().len(), looks + 1);
            }
            looks
        });
        let environment = &environment;
        let write = |writer: usize| {
            move || {
                // Each opened it before the others wrote.
                let mut trust = Trust::open(environment);
                for number in 0..each {
                    assert!(trust.add_folder(Path::new(&format!("/{writer}/{number}")), at(0)).unwrap());
                }
            }
        };
        let threads: Vec<_> = (0..writers).map(|writer| scope.spawn(write(writer))).collect();
        for thread in threads {
            thread.join().unwrap();
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
    });
    let trust = Trust::open(&environment);
    for (writer, number) in (0..writers).flat_map(|writer| (0..each).map(move |number| (writer, number))) {
        assert!(trusts(&trust, Path::new(&format!("/{writer}/{number}"))));
    }
    assert_eq!(trust.entries().len(), writers * each);
}

#[test]
fn a_path_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let (dir, environment) = setup();
    let folder = Path::new(std::ffi::OsStr::from_bytes(b"/\xff"));
    let error = Trust::open(&environment).add_folder(folder, at(0)).unwrap_err();
    assert_eq!(error.to_string(), r"`/\xff` cannot be written down, because it is not UTF-8");
    assert_eq!(fs_err::read_dir(dir.path()).unwrap().count(), 0, "nothing was written");
}

#[test]
fn what_was_shown_for_other_bytes_counts_for_nothing() {
    let (_dir, environment) = setup();
    let one = |digest: &str, shown: &str| {
        format!(
            "[[grants]]\nskill = \"/skills/deploy\"\ndigest = \"{digest}\"\npermission = \"shell\"\n\
             shown = [\"{shown}\"]\nat = 2026-01-01T00:00:00Z\n"
        )
    };
    write(&environment, &(one("sha256:00", "rm -r x") + &one("sha256:01", "date")));
    let trust = Trust::open(&environment);
    let approval = |item| trust.approval_for(Path::new("/skills/deploy"), "sha256:01", PermissionKind::Shell, item);
    assert_eq!((approval("date"), approval("rm -r x")), (ApprovalState::Approved, ApprovalState::NotApproved));
}

#[test]
fn a_skill_of_a_server_is_trusted_for_what_was_listed() {
    let (_dir, environment) = setup();
    let mut trust = Trust::open(&environment);
    let remote = |server: &str, digest: &str, seconds| TrustedRemote {
        server: server.to_owned(),
        uri: "skill://pdf/SKILL.md".to_owned(),
        digest: digest.to_owned(),
        at: at(seconds),
    };
    assert_eq!(trust.remote_approval("docs", "skill://pdf/SKILL.md", "sha256:00"), ApprovalState::NotApproved);
    assert!(trust.add(TrustRecord::Remote(remote("docs", "sha256:00", 0))).unwrap());
    assert!(!trust.add(TrustRecord::Remote(remote("docs", "sha256:00", 9))).unwrap(), "once is enough");
    let trust_again = Trust::open(&environment);
    assert_eq!(trust_again.remote_approval("docs", "skill://pdf/SKILL.md", "sha256:00"), ApprovalState::Approved);
    assert_eq!(
        trust_again.remote_approval("docs", "skill://pdf/SKILL.md", "sha256:01"),
        ApprovalState::Changed { since: at(0) }
    );
    assert_eq!(
        trust_again.remote_approval("other", "skill://pdf/SKILL.md", "sha256:00"),
        ApprovalState::NotApproved,
        "an address is not enough"
    );
    assert_eq!(trust_again.remote_approval("docs", "skill://pdf2/SKILL.md", "sha256:00"), ApprovalState::NotApproved);
    assert!(trust.add(TrustRecord::Remote(remote("docs", "sha256:01", 5))).unwrap());
    assert_eq!(trust.entries().len(), 1, "new content takes the place of the old");
    assert_eq!(trust.revoke(|record| matches!(record, TrustRecord::Remote(_))).unwrap().len(), 1);
    assert_eq!(trust.remote_approval("docs", "skill://pdf/SKILL.md", "sha256:01"), ApprovalState::NotApproved);
}
