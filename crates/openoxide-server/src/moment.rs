//! Now, as lines of logs say it.

use std::time::{SystemTime, UNIX_EPOCH};

use openoxide_config::Moment;

/// Returns the time now, to the millisecond.
pub(crate) fn now() -> String {
    let now = SystemTime::now();
    let millis = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_millis());
    let seconds = Moment::from(now).to_string();
    format!("{}.{millis:03}Z", seconds.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_a_time() {
        let now = super::now();
        assert!(now.len() == 24 && now.starts_with("20") && now.ends_with('Z') && &now[19..20] == ".", "{now}");
    }
}
