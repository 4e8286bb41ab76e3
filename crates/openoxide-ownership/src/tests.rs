//! Whom modes and lists let write. Lists on a disk are tested at the binary.

use super::*;

const NOBODY: u32 = 65534;
const READ: u16 = 4;
const WRITE: u16 = 6;

/// What an entry is about.
const OWNER: u16 = 0x01;
const USER: u16 = 0x02;
const OWN_GROUP: u16 = 0x04;
const GROUP: u16 = 0x08;
const MOST: u16 = 0x10;
const REST: u16 = 0x20;

/// Returns a list as the system keeps it: these entries, and those that each list has.
fn list(own_group: u16, named: &[(u16, u16, u32)]) -> Vec<u8> {
    let mut entries = vec![(OWNER, WRITE, u32::MAX), (OWN_GROUP, own_group, u32::MAX)];
    entries.extend(named);
    entries.extend([(MOST, WRITE, u32::MAX), (REST, READ, u32::MAX)]);
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        bytes.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

/// Judges a file of user 1000 with a list.
fn judged(group: u32, bytes: &[u8]) -> bool {
    lets_others_write(0o664, 1000, group, || AccessList::parse(bytes))
}

#[test]
fn a_private_group_may_write_and_another_may_not() {
    let judged = |mode, user, group| lets_others_write(mode, user, group, || AccessList::Absent);
    assert!(!judged(0o664, 1000, 1000) && !judged(0o644, 1000, 100) && !judged(0o664, 0, 0));
    assert!(judged(0o664, 1000, 100) && judged(0o664, 1000, 0) && judged(0o646, 1000, 1000));
}

#[test]
fn whom_a_list_lets_write_counts_and_whom_it_lets_read_does_not() {
    assert!(judged(1000, &list(WRITE, &[(USER, WRITE, NOBODY)])));
    assert!(judged(1000, &list(READ, &[(GROUP, WRITE, 100)])));
    assert!(judged(1000, &list(READ, &[(GROUP, WRITE, 0)])), "root's group has the members that it has");
    assert!(!judged(1000, &list(WRITE, &[(USER, READ, NOBODY), (GROUP, READ, 100)])));
    assert!(!judged(1000, &list(READ, &[(USER, WRITE, 0), (USER, WRITE, 1000), (GROUP, WRITE, 1000)])));
    assert!(judged(100, &list(WRITE, &[(USER, READ, NOBODY)])), "the file's own group");
    assert!(!judged(100, &list(READ, &[(USER, WRITE, 1000)])), "the mode's part is what the list lets its users do");
}

#[test]
fn the_mode_takes_the_right_from_all_whom_a_list_names() {
    let bytes = list(WRITE, &[(USER, WRITE, NOBODY)]);
    assert!(!lets_others_write(0o644, 1000, 1000, || AccessList::parse(&bytes)));
}

#[test]
fn a_list_that_cannot_be_parsed_lets_others_write() {
    let good = list(READ, &[(USER, READ, NOBODY)]);
    assert!(!judged(1000, &good));
    assert!(judged(1000, &good[..good.len() - 1]) && judged(1000, &good[..4]) && judged(1000, &[]));
    assert!(judged(1000, &list(READ, &[(0x40, READ, 1000)])), "an entry of an unknown kind");
    let mut newer = good.clone();
    newer[0] = 3;
    assert!(judged(1000, &newer));
    assert!(lets_others_write(0o664, 1000, 1000, || AccessList::Unreadable));
}

#[test]
fn what_is_not_open_and_may_have_a_list_lets_others_write() {
    assert!(others_write_open(None, 0o664, 1000, 1000) && !others_write_open(None, 0o644, 1000, 1000));
}
