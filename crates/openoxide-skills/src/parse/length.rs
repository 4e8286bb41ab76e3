//! Measures a text in the unit of a host's limits.

use crate::host::LengthUnit;
use crate::text::utf16_len;

/// Returns the length of a text in the host's unit.
pub(super) fn length(text: &str, unit: LengthUnit) -> usize {
    match unit {
        LengthUnit::Characters => text.chars().count(),
        LengthUnit::Utf16 => utf16_len(text),
        LengthUnit::Bytes => text.len(),
    }
}
