//! Recognizes plain scalars that are not text in older YAML: null, booleans, numbers and dates.

use crate::host::Typed;
use crate::text::{yaml::is_null_text, yaml_value::bool_of};

/// Tells whether a plain scalar is no text by a host's rules.
pub(super) fn is_typed(text: &str, rule: Typed) -> bool {
    match rule {
        Typed::Never => false,
        Typed::Older => {
            is_null_text(text) || bool_of(text).is_some() || is_integer(text) || is_float(text) || is_date(text)
        }
    }
}

/// Binary, octal, decimal, hexadecimal and base 60, with `_` between digits.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let all = |digits: &str, allowed: fn(&u8) -> bool| {
        let mut bytes = digits.bytes().filter(|byte| *byte != b'_').peekable();
        bytes.peek().is_some() && bytes.all(|byte| allowed(&byte)) && !digits.ends_with('_')
    };
    match digits.as_bytes() {
        [b'0'] => true,
        [b'0', b'b', ..] => all(&digits[2..], |byte| matches!(byte, b'0' | b'1')),
        [b'0', b'x', ..] => all(&digits[2..], u8::is_ascii_hexdigit),
        [b'0', ..] => all(&digits[1..], |byte| matches!(byte, b'0'..=b'7')),
        [b'_', ..] => false,
        _ => match digits.split_once(':') {
            Some((first, sixties)) => all(first, u8::is_ascii_digit) && sixties.split(':').all(is_sixtieth),
            None => all(digits, u8::is_ascii_digit),
        },
    }
}

/// A digit of base 60: `0` to `59`.
fn is_sixtieth(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
}

/// Fractions, exponents, base 60 with a fraction, infinities and no number at all.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    if text.ends_with('_') {
        return false;
    }
    if let Some((whole, fraction)) = unsigned.split_once('.').filter(|(whole, _)| whole.contains(':')) {
        let (first, sixties) = whole.split_once(':').unwrap_or((whole, ""));
        let starts = first.starts_with(|first: char| first.is_ascii_digit());
        return starts && digits(first) && sixties.split(':').all(is_sixtieth) && digits(fraction);
    }
    let (number, exponent) = text.split_once(['e', 'E']).map_or((text, "0"), |(number, exponent)| (number, exponent));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let has_exponent = !exponent.is_empty() && exponent.bytes().all(|byte| byte.is_ascii_digit());
    has_exponent && is_decimal(number)
}

/// Digits with an optional fraction; without digits before the point there is no sign.
fn is_decimal(number: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    if let Some(fraction) = number.strip_prefix('.') {
        return !fraction.is_empty() && digits(fraction);
    }
    let unsigned = number.strip_prefix(['-', '+']).unwrap_or(number);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let whole_ok = whole == "0" || (whole.starts_with(|first: char| matches!(first, '1'..='9')) && digits(whole));
    whole_ok && digits(fraction)
}

/// `2024-01-02`, or a date with a time.
fn is_date(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ', '\t']) else {
        return has_shape(text, "0000-00-00");
    };
    let parts: Vec<&str> = date.split('-').collect();
    let is_part = |part: &&str| matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && has_shape(parts[0], "0000") && parts[1..].iter().all(is_part) && is_time(time.trim_start())
}

/// `1:02:03`, with an optional fraction and zone.
fn is_time(text: &str) -> bool {
    let end = text.find(|character: char| !matches!(character, '0'..='9' | ':')).unwrap_or(text.len());
    let (clock, rest) = text.split_at(end);
    let rest =
        rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    let zone = rest.trim_start_matches([' ', '\t']);
    let offset = zone.strip_prefix(['-', '+']);
    let is_offset = |offset: &str| ["0", "00", "0:00", "00:00"].iter().any(|shape| has_shape(offset, shape));
    let zone_ok = rest.is_empty() || zone == "Z" || offset.is_some_and(is_offset);
    (has_shape(clock, "0:00:00") || has_shape(clock, "00:00:00")) && zone_ok
}

/// Compares with a shape in which `0` stands for any digit.
fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(byte, wanted): (u8, u8)| if wanted == b'0' { byte.is_ascii_digit() } else { byte == wanted };
    text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_yaml_has_more_numbers_and_dates() {
        let typed = [
            "",
            "~",
            "null",
            "true",
            "FALSE",
            "0",
            "12",
            "-12",
            "+1_000",
            "0b101",
            "0x1F",
            "017",
            "12:30",
            "1:2:3",
            "1.5",
            "1.",
            ".5",
            "1e3",
            "1.5E-3",
            "12:30.5",
            "-.inf",
            ".NaN",
            "2024-01-02",
            "2024-1-2 3:04:05",
            "2024-01-02T03:04:05.6Z",
            "2024-01-02 03:04:05 +2:30",
        ];
        for text in typed {
            assert!(is_typed(text, Typed::Older), "{text:?} is no text");
        }
        let texts = [
            "yes",
            "no",
            "on",
            "08",
            "1_",
            "_1",
            "-.5",
            "0x",
            "1:60",
            "e3",
            "1e",
            "2024-1-2",
            "v1",
            "1.2.3",
            "12:",
            "nullx",
            "0b12",
            "2024-01-02T03:04",
            ".",
            "-",
            "0o17",
        ];
        for text in texts {
            assert!(!is_typed(text, Typed::Older), "{text:?} is text");
        }
        assert!(!is_typed("1", Typed::Never));
    }
}
