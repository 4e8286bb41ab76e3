//! Says what a command changed in the folders that it may write.

use openoxide_sandbox::Change;
use openoxide_skills::text::path_text;

/// Most changes that are named.
const NAMED: usize = 5;

/// Says what a command changed, and which of its changes were not kept.
pub(crate) fn changes_told(what: &str, changes: &[Change]) -> Vec<String> {
    let (refused, kept): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.refused.is_some());
    let kept = list(&kept, |change| format!("{} `{}`", change.kind.as_str(), path_text(&change.path)));
    let refused = list(&refused, |change| {
        format!("`{}` ({})", path_text(&change.path), change.refused.as_deref().unwrap_or_default())
    });
    let kept = kept.map(|list| format!("`{what}` {list}"));
    kept.into_iter()
        .chain(refused.map(|list| format!("`{what}` changed what it may not, and it was not kept: {list}")))
        .collect()
}

fn list(changes: &[&Change], say: impl Fn(&Change) -> String) -> Option<String> {
    let named: Vec<String> = changes.iter().take(NAMED).map(|change| say(change)).collect();
    let more = changes.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| named.join(", ") + &rest)
}

#[cfg(test)]
mod tests {
    use openoxide_sandbox::ChangeKind;

    use super::*;

    #[test]
    fn what_was_kept_and_what_was_not_are_told_apart() {
        let change = |path: &str, kind, refused: Option<&str>| Change {
            path: path.into(),
            kind,
            refused: refused.map(str::to_owned),
        };
        let mut changes = vec![
            change("/p/a", ChangeKind::Created, None),
            change("/p/CLAUDE.md", ChangeKind::Changed, Some("it is sealed")),
            change("/p/b", ChangeKind::Removed, None),
        ];
        assert_eq!(
            changes_told("make", &changes),
            [
                "`make` created `/p/a`, removed `/p/b`",
                "`make` changed what it may not, and it was not kept: `/p/CLAUDE.md` (it is sealed)"
            ]
        );
        changes.extend((0..5).map(|_| change("/p/c", ChangeKind::Created, None)));
        assert!(changes_told("make", &changes)[0].ends_with("created `/p/c` and 2 more"));
        assert_eq!(changes_told("make", &[]), Vec::<String>::new());
    }
}
