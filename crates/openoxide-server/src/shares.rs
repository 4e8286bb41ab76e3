//! Divides a limited number of places among callers: a caller with few entries loses none to one with many.

/// How many entries there can be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// Of all callers together.
    pub(crate) all: usize,
    /// Of each caller.
    pub(crate) each: usize,
}

/// Where the place of a new entry comes from. Positions are those of entries that can give way.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// One is left.
    Free,
    /// From the caller itself, which has its whole share.
    Own(Vec<usize>),
    /// From the callers that have most.
    Most {
        at: Vec<usize>,
        /// Whether they have more than the caller will have.
        has_more: bool,
    },
}

impl Shares {
    /// Finds room for another entry of a caller, beside entries of these callers.
    pub(crate) fn room<K: PartialEq>(self, callers: &[&K], caller: &K) -> Room {
        let of = |one: &K| callers.iter().filter(|other| **other == one).count();
        let at = |fits: &dyn Fn(usize) -> bool| (0..callers.len()).filter(|at| fits(*at)).collect();
        let own = of(caller);
        if own >= self.each {
            return Room::Own(at(&|at| callers[at] == caller));
        }
        if callers.len() < self.all {
            return Room::Free;
        }
        let counts: Vec<usize> = callers.iter().map(|one| of(one)).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        Room::Most { at: at(&|at| counts[at] == most), has_more: most > own + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARES: Shares = Shares { all: 6, each: 4 };

    fn check(callers: &str, caller: char, expected: &Room) {
        let callers: Vec<char> = callers.chars().collect();
        assert_eq!(SHARES.room(&callers.iter().collect::<Vec<_>>(), &caller), *expected, "{callers:?} {caller}");
    }

    #[test]
    fn a_place_is_taken_from_the_caller_itself_or_from_those_that_have_most() {
        check("aaab", 'a', &Room::Free);
        check("aabaa", 'a', &Room::Own(vec![0, 1, 3, 4]));
        check("aabaa", 'b', &Room::Free);
        check("aabaac", 'b', &Room::Most { at: vec![0, 1, 3, 4], has_more: true });
        check("aabbcc", 'd', &Room::Most { at: vec![0, 1, 2, 3, 4, 5], has_more: true });
        check("aabbcc", 'b', &Room::Most { at: vec![0, 1, 2, 3, 4, 5], has_more: false });
    }
}
