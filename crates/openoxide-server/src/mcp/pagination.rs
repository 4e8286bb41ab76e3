//! Cuts lists into pages.
//!
//! A cursor holds the key after which the next page begins, so it stays valid when the list changes meanwhile: nothing is
//! listed twice, and new entries behind it are listed.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::{Result, invalid};

/// Longest cursor that is read.
const CURSOR_MAX: usize = 8192;

/// Writes the cursor that goes on after a key; `list` tells one list from others.
pub(super) fn cursor(list: &str, after: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("1:{list}:{after}"))
}

/// Reads a cursor of a list: the key after which it goes on.
pub(super) fn after(list: &str, cursor: Option<&str>) -> Result<Option<String>> {
    let Some(cursor) = cursor else { return Ok(None) };
    let bad = || invalid("the cursor is not one that this server gave; begin again without one");
    if cursor.len() > CURSOR_MAX {
        return Err(bad());
    }
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| bad())?;
    let text = String::from_utf8(bytes).map_err(|_| bad())?;
    let key = text.strip_prefix("1:").and_then(|rest| rest.strip_prefix(list)).and_then(|rest| rest.strip_prefix(':'));
    key.map(|key| Some(key.to_owned())).ok_or_else(bad)
}

/// Takes a page of items that are sorted by their key; returns it and the cursor of the next.
pub(super) fn page<T>(
    list: &str,
    items: impl Iterator<Item = T>,
    cursor_given: Option<&str>,
    size: usize,
    key: impl Fn(&T) -> String,
) -> Result<(Vec<T>, Option<String>)> {
    let after = after(list, cursor_given)?;
    let is_new = |item: &T| after.as_ref().is_none_or(|after| key(item) > *after);
    let mut items = items.filter(is_new);
    let taken: Vec<T> = items.by_ref().take(size).collect();
    let more = items.next().is_some();
    let next = taken.last().filter(|_| more).map(|last| cursor(list, &key(last)));
    Ok((taken, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(names: &[&str], cursor: Option<&str>) -> (Vec<String>, Option<String>) {
        page("x", names.iter().map(ToString::to_string), cursor, 2, Clone::clone).unwrap()
    }

    #[test]
    fn a_cursor_survives_a_list_that_changes() {
        let (first, next) = pages(&["a", "c", "e", "g"], None);
        assert_eq!(first, ["a", "c"]);
        let (second, last) = pages(&["b", "d", "g"], next.as_deref());
        assert_eq!((second, last), (vec!["d".to_owned(), "g".to_owned()], None));
        assert_eq!(pages(&[], next.as_deref()), (vec![], None));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let long = "A".repeat(CURSOR_MAX + 1);
        for bad in ["", "!", "AAAA", cursor("y", "a").as_str(), long.as_str()] {
            assert_eq!(after("x", Some(bad)).unwrap_err().code.0, -32602, "{bad}");
        }
        assert_eq!(after("x", Some(&cursor("x", "a:b"))).unwrap().as_deref(), Some("a:b"));
    }
}
