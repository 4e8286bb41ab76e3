//! Suggestions for names that do not exist.

use openoxide_skills::text::near;

/// Returns "did you mean …?" with the closest of the known names, or `otherwise` if none is close.
pub(crate) fn did_you_mean<'n>(
    wanted: &str,
    known: impl IntoIterator<Item = &'n str>,
    otherwise: impl Into<String>,
) -> String {
    near(wanted, known).first().map_or_else(|| otherwise.into(), |near| format!("did you mean `{near}`?"))
}
