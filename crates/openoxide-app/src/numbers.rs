//! Numbers and lists as people read them.

/// Writes a number and its noun: "1 skill", "2 skills".
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as u64))
}

/// Writes a number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a number in thousands, rounded: "950", "8.0k", "120k".
pub fn thousands(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..99_950 => format!("{}.{}k", (number + 50) / 1_000, (number + 50) % 1_000 / 100),
        _ => format!("{}k", grouped(number.saturating_add(500) / 1_000)),
    }
}

/// Writes a list: "a, b and c".
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(999), "999");
        assert_eq!(thousands(u64::MAX), "18,446,744,073,709,551k");
        let rounded = [999, 1_000, 7_998, 40_049, 99_949, 99_950, 1_234_567].map(thousands);
        assert_eq!(rounded, ["999", "1.0k", "8.0k", "40.0k", "99.9k", "100k", "1,235k"]);
        assert_eq!((count(1, "skill"), count(2, "skill")), ("1 skill".to_owned(), "2 skills".to_owned()));
    }
}
