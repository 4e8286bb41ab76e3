//! Measures text: in tokens, and in UTF-16 units.

/// Estimates how many tokens a text of `bytes` bytes is.
pub fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

/// Returns the length of a text in UTF-16 units.
pub(crate) fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Returns the first `units` UTF-16 units; half a pair becomes a replacement character, as programs send it.
pub(crate) fn cut_utf16(text: &str, units: usize) -> String {
    String::from_utf16_lossy(&text.encode_utf16().take(units).collect::<Vec<_>>())
}
