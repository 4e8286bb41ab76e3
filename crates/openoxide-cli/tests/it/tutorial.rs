//! The tutorial on hosts is followed to the letter.

use crate::readme::differences;
use crate::support::{all_blocks, blocks, repository};

fn page() -> String {
    fs_err::read_to_string(repository("docs/add-a-host.md")).unwrap()
}

#[test]
fn each_step_answers_what_the_page_says() {
    assert!(blocks(&page(), "console").len() > 5, "the tutorial has steps");
    let report = differences(&page());
    assert!(report.is_empty(), "{} blocks print something else\n{}", report.len(), report.join("\n"));
}

/// A rendered page does not show what stands on a fence, so the text must say where each file goes.
#[test]
fn the_reader_is_told_where_each_file_goes() {
    let page = page();
    let files = all_blocks(&page).into_iter().filter_map(|block| block.file().map(|_| block.info));
    let mut files: Vec<String> = files.collect();
    assert!(files.len() > 8, "{files:?}");
    files.dedup();
    for info in files {
        let (before, _) = page.split_once(&format!("```{info}\n")).unwrap();
        let path = info.split_whitespace().nth(1).unwrap();
        let since_heading = before.rsplit("\n## ").next().unwrap();
        assert!(since_heading.contains(&format!("`{path}`")), "{path} is not told before its block");
    }
}

/// The guard itself: an answer that is out of date is noticed.
#[test]
fn another_answer_is_noticed() {
    let page = page().replace("Read a tide table  ", "Read another table ");
    assert!(!differences(&page).is_empty());
}
