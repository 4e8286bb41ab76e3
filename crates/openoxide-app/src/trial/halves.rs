//! Finds what of a list can be accepted, with few attempts.

/// Accepts a list as a whole, or else the first half and then the second in the same way: an attempt is costly, and most
/// lists have few bad items. Where all of the first half are bad, the second is accepted one by one, so that a list of bad
/// items costs hardly more attempts than it has items.
pub(crate) fn by_halves<T, E>(items: &[T], accept: &impl Fn(&[T]) -> Result<(), E>) -> Vec<Result<(), E>> {
    if items.is_empty() {
        return Vec::new();
    }
    match (accept(items), items) {
        (Ok(()), _) => items.iter().map(|_| Ok(())).collect(),
        (Err(error), [_]) => vec![Err(error)],
        (Err(_), _) => {
            let (first, second) = items.split_at(items.len() / 2);
            let mut outcomes = by_halves(first, accept);
            match outcomes.iter().all(Result::is_err) {
                true => outcomes.extend(second.chunks(1).map(accept)),
                false => outcomes.extend(by_halves(second, accept)),
            }
            outcomes
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Returns how many attempts were made for 1024 items, and what they began with.
    fn attempts(is_bad: impl Fn(usize) -> bool) -> Vec<usize> {
        let attempts = RefCell::new(Vec::new());
        let accept = |part: &[usize]| {
            attempts.borrow_mut().push(part[0]);
            if part.iter().any(|item| is_bad(*item)) { Err("bad") } else { Ok(()) }
        };
        let outcomes = by_halves(&(0..1024).collect::<Vec<_>>(), &accept);
        assert!(
            outcomes.iter().enumerate().all(|(at, outcome)| outcome.is_err() == is_bad(at)) && outcomes.len() == 1024
        );
        attempts.into_inner()
    }

    #[test]
    fn few_bad_items_cost_few_attempts() {
        assert_eq!(attempts(|_| false).len(), 1);
        let one = attempts(|item| item == 700);
        assert!(one.len() <= 21, "{}", one.len());
        assert!(one[1..].is_sorted(), "those before are accepted first");
        assert!(by_halves(&[], &|_: &[usize]| Err(())).is_empty());
    }

    #[test]
    fn bad_items_alone_cost_hardly_more_attempts_than_there_are() {
        assert_eq!(attempts(|_| true).len(), 1024 + 10);
    }
}
