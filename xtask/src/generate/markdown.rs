//! Writes Markdown tables and code.

/// Writes a table with a heading.
pub(super) fn table<const N: usize>(heading: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut text = row(&heading.map(str::to_owned));
    text.push_str(&row(&[(); N].map(|()| "---".to_owned())));
    for cells in rows {
        text.push_str(&row(&cells.map(|cell| escaped(&cell))));
    }
    text
}

/// Writes a table without the columns that hold nothing.
pub(super) fn columns<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let kept: Vec<usize> = (0..N).filter(|&column| rows.iter().any(|row| !row[column].is_empty())).collect();
    let line = |cells: [String; N]| row(&kept.iter().map(|&column| cells[column].clone()).collect::<Vec<_>>());
    let heading = [heading.map(str::to_owned), [(); N].map(|()| "---".to_owned())].map(line).concat();
    heading + &rows.iter().map(|cells| line(cells.clone().map(|cell| escaped(&cell)))).collect::<String>()
}

fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> =
        cells.iter().map(|cell| if cell.is_empty() { " ".to_owned() } else { format!(" {cell} ") }).collect();
    format!("|{}|\n", cells.join("|"))
}

/// Sets a text as code; nothing stays nothing.
pub(super) fn code(text: &str) -> String {
    match text {
        "" => String::new(),
        _ if text.contains('`') => format!("`` {text} ``"),
        _ => format!("`{text}`"),
    }
}

/// Writes a number with commas between thousands.
pub(super) fn grouped(number: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_kept_in_their_columns() {
        let text = table(["a", "b"], [["`x|y`".to_owned(), String::new()]]);
        assert_eq!(text, "| a | b |\n| --- | --- |\n| `x\\|y` | |\n");
    }

    #[test]
    fn empty_columns_go() {
        let rows = [["1".to_owned(), String::new(), "x".to_owned()], ["2".to_owned(), String::new(), String::new()]];
        assert_eq!(columns(["#", "a", "b"], &rows), "| # | b |\n| --- | --- |\n| 1 | x |\n| 2 | |\n");
    }

    #[test]
    fn code_may_hold_backticks() {
        assert_eq!((code("x"), code(""), code("[`")), ("`x`".into(), String::new(), "`` [` ``".into()));
    }
}
