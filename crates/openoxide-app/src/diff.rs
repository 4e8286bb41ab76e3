//! Changes of a file as people read them: a unified diff.

use similar::TextDiff;

/// Returns the change of a file as a unified diff, with names as git writes them; nothing if there is no change.
pub fn unified(path: &str, before: &str, after: &str) -> String {
    // A path that does not lead down from here cannot be patched from here.
    let (old, new) = match ["/", "~/", "../"].iter().any(|start| path.starts_with(start)) {
        true => (path.to_owned(), path.to_owned()),
        false => (format!("a/{path}"), format!("b/{path}")),
    };
    TextDiff::from_lines(before, after).unified_diff().header(&old, &new).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_its_lines_and_three_around_it() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let expected = "--- a/x.md\n+++ b/x.md\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified("x.md", before, &before.replace('5', "five")), expected);
        assert_eq!(unified("x.md", before, before), "");
        assert!(unified("/tmp/x.md", before, "").starts_with("--- /tmp/x.md\n+++ /tmp/x.md\n"));
        assert!(unified(".agents/x.md", before, "").starts_with("--- a/.agents/x.md\n"));
    }
}
