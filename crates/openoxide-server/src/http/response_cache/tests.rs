use std::time::SystemTime;

use axum::body::Bytes;
use http::HeaderValue;
use openoxide_app::live::{Live, LiveOptions};
use openoxide_app::{Environment, Place};

use super::*;

fn snapshot(folder: &Path) -> Arc<Snapshot> {
    let environment = Environment {
        cwd: folder.to_owned(),
        home: Some(folder.to_owned()),
        variables: [].into(),
        admin: folder.join("etc"),
        ..Environment::default()
    };
    Live::new(environment, LiveOptions::default()).snapshot(&Place::of(folder)).unwrap()
}

fn key(snapshot: &Arc<Snapshot>, subject: &str) -> CacheKey {
    CacheKey::new(snapshot, "test", subject.to_owned(), Peer::Local)
}

fn response(bytes: impl Into<Vec<u8>>) -> CachedResponse {
    let response = EncodedResponse::new(bytes.into(), HeaderValue::from_static("text/plain"));
    CachedResponse { response, skill: "pdf".to_owned(), digest: None }
}

fn cache(bytes_max: usize) -> ResponseCache {
    ResponseCache { bytes_max, ..ResponseCache::default() }
}

#[test]
fn entries_are_bounded_and_go_with_their_snapshot() {
    let root = tempfile::tempdir().unwrap();
    let (first, second) = (snapshot(root.path()), snapshot(root.path()));
    let cache = cache(100);
    let insert = |snapshot: &Arc<Snapshot>, subject: &str, size: usize| {
        cache.insert(key(snapshot, subject), Dependencies::None, response(vec![b'x'; size]));
    };
    let size = || {
        let entries = cache.lock();
        (entries.by_key.len(), entries.bytes)
    };
    insert(&first, "a", 30);
    insert(&second, "b", 30);
    assert_eq!(size(), (2, 60));
    assert!(cache.get(&key(&second, "a")).is_none(), "another snapshot is another key");
    drop(first);
    insert(&second, "c", 30);
    assert_eq!(size(), (2, 60), "entries of a snapshot that is gone are dropped");
    insert(&second, "c", 40);
    assert_eq!(size(), (2, 70), "a new response replaces the old one");
    insert(&second, "d", 50);
    assert_eq!(size(), (1, 50), "a full cache starts again");
    insert(&second, "e", 101);
    assert!(cache.get(&key(&second, "e")).is_none() && size() == (1, 50), "what never fits evicts nothing");
}

#[test]
fn callers_details_and_peers_have_their_own_entries() {
    let root = tempfile::tempdir().unwrap();
    let snapshot = snapshot(root.path());
    let cache = cache(1000);
    let used = key(&snapshot, "a").used_by(Caller::Model, Some("x".to_owned()));
    cache.insert(used.clone(), Dependencies::None, response("1"));
    assert_eq!(cache.get(&used).unwrap().cached.response.bytes, Bytes::from_static(b"1"));
    for other in [
        key(&snapshot, "a"),
        key(&snapshot, "a").used_by(Caller::User, Some("x".to_owned())),
        key(&snapshot, "a").used_by(Caller::Model, None),
        CacheKey::new(&snapshot, "test", "a".to_owned(), Peer::Remote).used_by(Caller::Model, Some("x".to_owned())),
    ] {
        assert!(cache.get(&other).is_none());
    }
}

#[test]
fn a_file_that_changed_is_not_sent_again() {
    let root = tempfile::tempdir().unwrap();
    let snapshot = snapshot(root.path());
    let (cache, file) = (cache(1000), root.path().join("a.txt"));
    fs_err::write(&file, "one").unwrap();
    // Stamps that are as young as the files say nothing yet.
    let later = SystemTime::now() + Duration::from_mins(1);
    let stamps = || FolderStamps::of_file(root.path(), Path::new("a.txt"), None, later).unwrap();
    let insert = || cache.insert(key(&snapshot, "a"), Dependencies::File(stamps(), file.clone()), response("one"));
    insert();
    assert!(cache.get(&key(&snapshot, "a")).is_some());
    fs_err::write(&file, "two").unwrap();
    assert!(cache.get(&key(&snapshot, "a")).is_none(), "its bytes are others");
    let before = stamps();
    fs_err::write(&file, "longer").unwrap();
    cache.insert(key(&snapshot, "b"), Dependencies::Folder(before), response("two"));
    assert!(cache.get(&key(&snapshot, "b")).is_none(), "it changed while the response was made");
}

#[test]
fn what_depends_on_files_goes_first() {
    let root = tempfile::tempdir().unwrap();
    let snapshot = snapshot(root.path());
    fs_err::write(root.path().join("a.txt"), "one").unwrap();
    let cache = cache(100);
    let later = SystemTime::now() + Duration::from_mins(1);
    let stamps = FolderStamps::of_file(root.path(), Path::new("a.txt"), None, later).unwrap();
    cache.insert(key(&snapshot, "list"), Dependencies::None, response(vec![b'x'; 40]));
    cache.insert(key(&snapshot, "file"), Dependencies::Folder(stamps), response(vec![b'x'; 40]));
    cache.insert(key(&snapshot, "other"), Dependencies::None, response(vec![b'x'; 40]));
    assert!(cache.get(&key(&snapshot, "list")).is_some() && cache.get(&key(&snapshot, "file")).is_none());
}
