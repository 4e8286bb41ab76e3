//! Formats the current time for log lines.

use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

use openoxide_app::Timestamp;

thread_local! {
    /// The second that was last written, for there are many lines in one.
    static LAST: RefCell<(u64, String)> = const { RefCell::new((u64::MAX, String::new())) };
}

/// Returns the time now, to the millisecond.
pub(crate) fn now() -> String {
    let now = SystemTime::now();
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    LAST.with_borrow_mut(|(second, text)| {
        if *second != since.as_secs() {
            *second = since.as_secs();
            Timestamp::from(now).to_string().trim_end_matches('Z').clone_into(text);
        }
        format!("{text}.{:03}Z", since.subsec_millis())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_a_time() {
        let now = super::now();
        assert!(now.len() == 24 && now.starts_with("20") && now.ends_with('Z') && &now[19..20] == ".", "{now}");
    }
}
