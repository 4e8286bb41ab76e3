//! Files outside: not written, not changed, not read.

use crate::support::each;

#[test]
fn nothing_outside_is_written() {
    each(|setting| {
        let (outside, inside) = (setting.folder(), setting.folder());
        let file = outside.file("home/.bashrc", "mine\n");
        let (work, home) = (outside.dir("home/work"), outside.join("home"));
        let before = outside.state();
        let ran = setting.attempts(
            &["--write", inside.str(), "--write", &work, "--cwd", &work],
            &format!(
                r#"
                my ($file, $home) = ("{file}", "{home}");
                attempt("inside", sub {{ put("{inside}/x") }});
                attempt("work", sub {{ put("x") && unlink("x") }});
                attempt("private", sub {{ put("/tmp/x") && put("$ENV{{HOME}}/x") }});
                attempt("overwrite", sub {{ put($file) }});
                attempt("create", sub {{ put("$home/new") }});
                attempt("parent", sub {{ put("../new") }});
                attempt("truncate", sub {{ truncate($file, 0) }});
                attempt("unlink", sub {{ unlink($file) }});
                attempt("rename", sub {{ rename($file, "{inside}/taken") }});
                attempt("link", sub {{ link($file, "{inside}/linked") }});
                attempt("mkdir", sub {{ mkdir("$home/dir") }});
                attempt("chmod", sub {{ chmod(0777, $file) }});
                attempt("chmod-folder", sub {{ chmod(0777, $home) }});
                attempt("times", sub {{ utime(1, 1, $file) }});
                attempt("chown", sub {{ chown(-1, $), $file) }});
                attempt("etc", sub {{ put("/etc/openoxide-canary") }});
                attempt("usr", sub {{ put("/usr/openoxide-canary") }});
                attempt("root", sub {{ put("/openoxide-canary") }});
                attempt("tmp-of-others", sub {{ put("/var/tmp/openoxide-canary") }});
                attempt("sysctl", sub {{ put("/proc/sys/kernel/core_pattern") }});
                attempt("disk", sub {{ put("/dev/vda") }});
                attempt("device", sub {{ POSIX::mkfifo("/dev/openoxide-canary", 0600) }});
                "#,
                inside = inside.str()
            ),
        );
        ran.expect(
            setting,
            "inside DONE
             work DONE
             private DONE
             overwrite EROFS EACCES ENOENT
             create EROFS EACCES
             parent EROFS EACCES
             truncate EROFS EACCES ENOENT
             unlink EROFS EACCES ENOENT
             rename EROFS EACCES ENOENT EXDEV
             link EROFS EACCES ENOENT EXDEV
             mkdir EROFS EACCES
             chmod EROFS EPERM ENOENT
             chmod-folder EROFS EPERM
             times EROFS EPERM ENOENT
             chown EROFS EPERM ENOENT
             etc EROFS EACCES
             usr EROFS EACCES
             root EROFS EACCES
             tmp-of-others EROFS EACCES
             sysctl EROFS EACCES
             disk EROFS EACCES ENOENT EPERM
             device EROFS EACCES",
        );
        assert_eq!(outside.state(), before, "{setting:?}");
        assert!(inside.path().join("x").is_file());
    });
}

#[test]
fn secrets_are_not_read() {
    each(|setting| {
        let home = setting.folder();
        let work = home.dir("work");
        let secrets = [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", ".docker/config.json"];
        let code = secrets.map(|secret| {
            let path = home.file(secret, "CANARY\n");
            format!("attempt('{secret}', sub {{ spill('{path}') }}); attempt('up/{secret}', sub {{ spill('../{secret}') }});")
        });
        std::os::unix::fs::symlink(home.join(".netrc"), home.join("work/link")).unwrap();
        let others = format!(
            "attempt('link', sub {{ spill('link') }});
             attempt('list', sub {{ opendir(my $d, '{home}') or return; print readdir($d) }});
             attempt('shadow', sub {{ spill('/etc/shadow') }});
             attempt('own', sub {{ spill('own') }});",
            home = home.str()
        );
        home.file("work/own", "");
        let ran = setting.attempts(&["--write", &work, "--cwd", &work], &(code.concat() + &others));
        assert!(!ran.stdout.contains("CANARY"), "{setting:?} {ran:?}");
        let table = secrets.map(|secret| format!("{secret} ENOENT EACCES\nup/{secret} ENOENT EACCES\n")).concat();
        ran.expect(setting, &(table + "link ENOENT EACCES\nlist EACCES\nshadow ENOENT EACCES\nown DONE"));
    });
}
