//! `docs/security.md` names files and tests that exist.

use crate::support::repository;

#[test]
fn what_the_page_names_is_there() {
    let page = fs_err::read_to_string(repository("docs/security.md")).unwrap();
    let rows: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")).skip(1).collect();
    assert!(rows.len() > 20, "{}", rows.len());
    let attacks = repository("crates/openoxide-cli/tests/it/adversarial");
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [_, _, files, tests] = cells[..] else { panic!("{row}") };
        for file in quoted(files) {
            assert!(repository(&format!("crates/{file}")).is_file(), "there is no `{file}`: {row}");
        }
        for test in quoted(tests) {
            let Some((file, name)) = test.split_once("::") else {
                assert!(repository(&format!("crates/{test}")).is_dir(), "there is no `{test}`: {row}");
                continue;
            };
            let text = fs_err::read_to_string(attacks.join(file).with_extension("rs")).unwrap();
            assert!(text.contains(&format!("fn {name}(")), "there is no test `{test}`: {row}");
        }
    }
}

fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}
