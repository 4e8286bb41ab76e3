//! Remembers conversations by the names that clients give them.

use std::sync::{Arc, Mutex, PoisonError};

use openoxide_app::Session;

use crate::Conversation;

/// Conversations by whose they are and what they are called, the one that was used last at the end.
pub(crate) struct Conversations<K> {
    most: usize,
    all: Mutex<Vec<(K, String, Conversation)>>,
}

impl<K: PartialEq> Conversations<K> {
    /// Remembers at most so many.
    pub(crate) fn new(most: usize) -> Conversations<K> {
        Conversations { most, all: Mutex::default() }
    }

    /// Returns a conversation. If there are too many, the one that was unused for longest is forgotten.
    pub(crate) fn get(&self, whose: K, name: &str) -> Conversation {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().position(|(owner, known, _)| *owner == whose && known == name);
        let entry = match found {
            Some(at) => all.remove(at),
            None => (whose, name.to_owned(), Arc::new(tokio::sync::Mutex::new(Session::new(name)))),
        };
        if all.len() >= self.most
            && let Some(unused) = all.iter().position(|(.., session)| Arc::strong_count(session) == 1)
        {
            all.remove(unused);
        }
        let session = Arc::clone(&entry.2);
        all.push(entry);
        session
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_conversation_of_each_client() {
        let known: Conversations<u8> = Conversations::new(2);
        let one = known.get(1, "a");
        assert!(Arc::ptr_eq(&one, &known.get(1, "a")));
        assert!(!Arc::ptr_eq(&one, &known.get(2, "a")));
        drop(known.get(1, "b"));
        assert!(Arc::ptr_eq(&one, &known.get(1, "a")), "what is in use is not forgotten");
    }
}
