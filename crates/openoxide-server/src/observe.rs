//! Observes the server: the request log, the counters and the audit log.

pub(crate) mod audit;
mod background_writer;
pub(crate) mod log;
pub(crate) mod metrics;

use std::time::{SystemTime, UNIX_EPOCH};

use openoxide_app::Timestamp;

/// Returns the time now as a log line has it, to the millisecond.
pub(crate) fn timestamp() -> String {
    let now = SystemTime::now();
    let millis = now.duration_since(UNIX_EPOCH).unwrap_or_default().subsec_millis();
    format!("{}.{millis:03}Z", Timestamp::from(now).to_string().trim_end_matches('Z'))
}

/// Cuts a text after so many bytes, at the end of a character.
fn cut(text: &mut String, bytes: usize) {
    if text.len() > bytes {
        text.truncate(text.floor_char_boundary(bytes));
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_a_time() {
        let now = super::timestamp();
        assert!(now.len() == 24 && now.starts_with("20") && now.ends_with('Z') && &now[19..20] == ".", "{now}");
    }
}
