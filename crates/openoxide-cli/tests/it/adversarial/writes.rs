//! Writing through a link: what is outside of the path that was given stays as it is.

use openoxide_testkit::TestContext;

use super::face::{Setting, attack};
use crate::support::{run, snapshot_of};

attack! { fixing_behind_a_link for everyone {
    cli,
    http = "no route changes a skill's files",
    mcp = "no tool or method changes a skill's files",
    mcp_http = "no tool or method changes a skill's files",
    rpc = "no method changes a skill's files"
} }
attack! { a_new_skill_behind_a_link {
    cli,
    http = "no route changes a skill's files",
    mcp = "no tool or method changes a skill's files",
    mcp_http = "no tool or method changes a skill's files",
    rpc = "no method changes a skill's files"
} }

attack! { writing_behind_a_link_of_an_unpacked_archive {
    cli,
    http = "no route changes a skill's files",
    mcp = "no tool or method changes a skill's files",
    mcp_http = "no tool or method changes a skill's files",
    rpc = "no method changes a skill's files"
} }

fn outside(context: &TestContext) -> Vec<String> {
    snapshot_of(&context.root().join("outside"))
}

fn fixing_behind_a_link(setting: Setting) {
    let bad = "---\nname: Bad_Name\ndescription: Use it: now\n---\n";
    for trusted in [false, true] {
        let context = TestContext::new();
        context.tree(&format!(
            "//- outside/dir/SKILL.md\n{bad}//- outside/lower/skill.md\n{bad}//- outside/one.md\n{bad}\
             //- project/.agents/skills/own/SKILL.md\n---\nname: own\ndescription: Use it: now\n---\n\
             //- project/.agents/skills/dir -> ../../../outside/dir\n//- project/.agents/skills/lower -> ../../../outside/lower\n\
             //- project/.agents/skills/file/SKILL.md -> ../../../../outside/one.md\n//- project/.claude/skills -> ../../outside\n"
        ));
        if trusted {
            let folders =
                format!("//- home/.openoxide/config.toml\n[trust]\nfolders = [\"{}\"]\n", context.project().display());
            context.tree(&folders);
        }
        setting.give(&context);
        let before = outside(&context);
        let ways: [&[&str]; 7] = [
            &[],
            &["."],
            &[".agents/skills"],
            &[".agents/skills/own", ".agents/skills/file"],
            &[".claude/skills"],
            &[".agents/skills/dir"],
            &[".agents/skills/../skills/lower"],
        ];
        for way in ways {
            let output = context.answer(&mut setting.command(&context, [&["check", "--fix"], way].concat()));
            assert_eq!(outside(&context), before, "trusted: {trusted}, {way:?}: {output}");
        }
        let own = fs_err::read_to_string(context.project().join(".agents/skills/own/SKILL.md")).unwrap();
        assert!(own.contains("\"Use it: now\"") || own.contains("'Use it: now'"), "what is inside is fixed: {own}");
    }
}

fn a_new_skill_behind_a_link(_: Setting) {
    let context = TestContext::new();
    context.tree("//- outside/keep\nk\n//- project/.agents -> ../outside\n");
    let before = outside(&context);
    for args in
        [&["new", "fresh"][..], &["new", "fresh", "--dir", ".agents"], &["new", "fresh", "--dir", ".agents/deep/er"]]
    {
        let output = run(&context, args);
        assert!(output.status != Some(0) && output.stderr.contains("is a link that leads"), "{output}");
        assert!(output.stderr.contains("name the folder itself: "), "{output}");
        assert_eq!(outside(&context), before);
    }
}

/// The archive is in no repository, and its links lead into one, or to a folder beside it.
fn writing_behind_a_link_of_an_unpacked_archive(setting: Setting) {
    let bad = "---\nname: good\ndescription: Does things: well\n---\n";
    let context = TestContext::new();
    context.tree(&format!(
        "//- project/.git/HEAD\nref\n//- outside/mine/.git/HEAD\nref\n//- outside/mine/skills/good/SKILL.md\n{bad}\
         //- outside/beside/good/SKILL.md\n{bad}//- pack/skills -> ../outside/mine/skills\n//- pack/beside -> ../outside/beside\n\
         //- pack/one/good -> ../../outside/mine/skills/good\n//- pack/file/good/SKILL.md -> ../../../outside/beside/good/SKILL.md\n"
    ));
    let before = outside(&context);
    let pack = |path: &str| context.root().join("pack").join(path).display().to_string();
    let fix = |path: &str| ["check", "--fix", &pack(path)].map(str::to_owned).to_vec();
    let make = |folder: &str| ["new", "zz", "-d", "x", "--dir", &pack(folder)].map(str::to_owned).to_vec();
    let into_repository =
        [fix("skills"), fix("skills/good/SKILL.md"), fix("one/good"), make("skills"), make("skills/deep")];
    let out_of_its_folder = [fix("beside"), fix("file/good/SKILL.md"), make("beside/deep")];
    let ways = [&into_repository[..], &out_of_its_folder].concat();
    // From above all of them, what lies beside the archive is a part of the project.
    for (cwd, ways) in
        [(context.project(), &ways[..]), (context.home(), &ways), (context.root().to_owned(), &into_repository)]
    {
        for way in ways {
            let output = context.answer(setting.command(&context, way).current_dir(&cwd));
            assert_eq!(outside(&context), before, "{way:?} in {}: {output}", cwd.display());
            assert!(
                output.status != Some(0) && output.stderr.contains("name the folder itself: "),
                "{way:?}: {output}"
            );
        }
    }
}
