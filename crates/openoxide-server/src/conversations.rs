//! Remembers conversations by the names that clients give them, with a share for each client.

use std::sync::{Arc, Mutex, PoisonError};

use openoxide_app::Session;

use crate::Conversation;
use crate::shares::{Room, Shares};

/// The longest name of a conversation, in bytes.
pub(crate) const NAME_MAX: usize = 256;

/// Conversations by whose they are and what they are called, the one that was used last at the end.
pub(crate) struct Conversations<K> {
    shares: Shares,
    all: Mutex<Vec<Named<K>>>,
}

struct Named<K> {
    whose: K,
    name: String,
    session: Conversation,
}

impl<K: PartialEq> Conversations<K> {
    pub(crate) fn new(shares: Shares) -> Conversations<K> {
        Conversations { shares, all: Mutex::default() }
    }

    /// Returns a conversation. A new one may take the place of another one that is not in use: the client's own where it
    /// has its share, or else one of the clients that have most.
    pub(crate) fn get(&self, whose: K, name: &str) -> Conversation {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().position(|named| named.whose == whose && named.name == name);
        let named = if let Some(at) = found {
            all.remove(at)
        } else {
            if let Some(at) = self.gives_way(&all, &whose) {
                all.remove(at);
            }
            let session = Arc::new(tokio::sync::Mutex::new(Session::new(name)));
            Named { whose, name: name.to_owned(), session }
        };
        let session = Arc::clone(&named.session);
        all.push(named);
        session
    }

    /// Finds the conversation that is forgotten for a new one of this client: of those that may give way, the one that was
    /// unused for longest.
    fn gives_way(&self, all: &[Named<K>], whose: &K) -> Option<usize> {
        let unused = |at: &usize| Arc::strong_count(&all[*at].session) == 1;
        let own = || (0..all.len()).filter(|at| all[*at].whose == *whose).find(unused);
        let callers: Vec<&K> = all.iter().map(|named| &named.whose).collect();
        match self.shares.room(&callers, whose) {
            Room::Free => None,
            Room::Own(at) | Room::Most { at, has_more: true } => at.into_iter().find(unused),
            Room::Most { at, has_more: false } => own().or_else(|| at.into_iter().find(unused)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversations(all: usize, each: usize) -> Conversations<&'static str> {
        Conversations::new(Shares { all, each })
    }

    /// Tells whether a conversation is remembered, without using it.
    fn has(known: &Conversations<&'static str>, whose: &str, name: &str) -> bool {
        known.all.lock().unwrap().iter().any(|named| named.whose == whose && named.name == name)
    }

    #[test]
    fn a_name_means_one_conversation_of_each_client() {
        let known = conversations(2, 2);
        let one = known.get("1", "a");
        assert!(Arc::ptr_eq(&one, &known.get("1", "a")));
        assert!(!Arc::ptr_eq(&one, &known.get("2", "a")));
        drop(known.get("1", "b"));
        assert!(Arc::ptr_eq(&one, &known.get("1", "a")), "what is in use is not forgotten");
    }

    #[test]
    fn a_client_with_many_conversations_loses_its_own() {
        let known = conversations(6, 4);
        drop(known.get("few", "x"));
        for name in ["1", "2", "3", "4", "1", "5"] {
            drop(known.get("many", name));
        }
        assert!(has(&known, "few", "x") && has(&known, "many", "1") && !has(&known, "many", "2"));
        // All places are taken now.
        drop(known.get("new", "y"));
        assert_eq!(known.all.lock().unwrap().len(), 6);
        drop(known.get("new", "z"));
        assert!(has(&known, "few", "x") && !has(&known, "many", "3"), "the client with most gives way");
    }

    #[test]
    fn a_new_client_is_remembered_where_each_of_the_others_has_one() {
        let known = conversations(3, 2);
        for whose in ["1", "2", "3", "4"] {
            drop(known.get(whose, "x"));
        }
        assert!(!has(&known, "1", "x") && has(&known, "4", "x"));
        drop(known.get("4", "y"));
        assert!(has(&known, "2", "x") && !has(&known, "4", "x"), "and then it gives way itself");
    }
}
