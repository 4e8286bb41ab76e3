//! Addresses of skills and their files.
//!
//! They are `skill://NAME/SKILL.md`, and `skill://PREFIX/NAME/SKILL.md` for skills of a namespace. No address means two
//! things: no skill's folder lies in the addresses of another's.

use std::{collections::BTreeMap, os::unix::ffi::OsStrExt as _, path::Path};

use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::resource::ResourcePath;
use sha2::{Digest as _, Sha256};

use crate::encoding::{hex, percent_decode, push_percent_encoded};
use crate::skill_id::is_standard_name;

const SCHEME: &str = "skill://";
/// The file that makes a folder a skill.
pub const OWN_FILE: &str = "SKILL.md";
/// Longest address that is looked at.
const ADDRESS_MAX: usize = 8192;

/// The addresses of the skills of a catalog that the model may see.
pub struct Addresses {
    /// The place of each skill in the catalog, by the address of its folder.
    by_root: BTreeMap<String, usize>,
}

/// A file or a folder of a skill that an address means.
pub struct AddressTarget<'a> {
    /// The address of the skill's folder.
    pub root: &'a str,
    /// The skill's place in the catalog.
    pub at: usize,
    /// The path in the folder; absent: the folder itself.
    pub path: Option<ResourcePath>,
}

impl Addresses {
    /// Gives an address to every skill that can have one.
    pub fn new(catalog: &Catalog) -> Addresses {
        let mut addresses = Addresses { by_root: BTreeMap::new() };
        for (at, entry) in catalog.skills.iter().enumerate() {
            if let Some(name) = served_name(entry) {
                let root = addresses.free_root(entry, name);
                addresses.by_root.insert(root, at);
            }
        }
        addresses
    }

    /// Returns the addresses of folders, sorted, each with the skill's place in the catalog.
    pub fn roots(&self) -> impl Iterator<Item = (&str, usize)> {
        self.by_root.iter().map(|(root, at)| (root.as_str(), *at))
    }

    /// Finds what an address means. One that is written in a strange way means nothing.
    pub fn find(&self, uri: &str) -> Option<AddressTarget<'_>> {
        let rest = uri.strip_prefix(SCHEME).filter(|_| uri.len() <= ADDRESS_MAX)?;
        let mut ends = rest.match_indices('/').map(|(at, _)| at).chain([rest.len()]);
        let (root, at) = ends.find_map(|end| self.by_root.get_key_value(&uri[..SCHEME.len() + end]))?;
        let path = match uri[root.len()..].strip_prefix('/') {
            None => None,
            Some(path) => {
                let names: Vec<Vec<u8>> = path.split('/').map(decoded).collect::<Option<_>>()?;
                Some(ResourcePath::of_names(names.iter().map(Vec::as_slice)).ok()?)
            }
        };
        Some(AddressTarget { root, at: *at, path })
    }

    /// Finds the address of a folder that no other skill's addresses lie in or around.
    fn free_root(&self, entry: &Entry, name: &str) -> String {
        let prefix = entry.skill.name.rsplit_once(':').map(|(prefix, _)| prefix);
        let plain = match prefix {
            None => Some(format!("{SCHEME}{name}")),
            Some(prefix) if is_plain(prefix) => Some(format!("{SCHEME}{}/{name}", prefix.replace(':', "/"))),
            Some(_) => None,
        };
        if let Some(root) = plain.filter(|root| self.is_free(root)) {
            return root;
        }
        // No name begins with this sign. The path tells skills apart, and stays the same when others come and go.
        let digits = hex(&Sha256::digest(entry.canonical().as_os_str().as_bytes()));
        let lengths = [12, 24, digits.len()];
        let roots = lengths.map(|length| format!("{SCHEME}~{}/{name}", &digits[..length]));
        let [.., longest] = &roots;
        roots.iter().find(|root| self.is_free(root)).unwrap_or(longest).clone()
    }

    fn is_free(&self, root: &str) -> bool {
        let lies_in = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        !self.by_root.keys().any(|other| lies_in(root, other) || lies_in(other, root))
    }
}

/// Returns the name that a skill is served under, if it can be: the standard's rules for names hold for addresses.
fn served_name(entry: &Entry) -> Option<&str> {
    let name = entry.skill.name.rsplit(':').next()?;
    let is_own = entry.found().file_name().is_some_and(|file| file == OWN_FILE);
    (entry.model && entry.is_active() && is_own && is_standard_name(name)).then_some(name)
}

fn is_plain(prefix: &str) -> bool {
    let plain = |part: &str| {
        let signs = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
        !part.is_empty() && part.bytes().all(signs) && !part.bytes().all(|byte| byte == b'.')
    };
    prefix.split(':').all(plain)
}

/// Writes the address of a file or folder below a skill's.
pub fn address(root: &str, path: &Path) -> String {
    let mut address = root.to_owned();
    for name in path {
        address.push('/');
        push_percent_encoded(&mut address, name.as_bytes());
    }
    address
}

/// Decodes a part of an address; nothing if it is no such part, or has a separator in it.
fn decoded(part: &str) -> Option<Vec<u8>> {
    let bytes = percent_decode(part).filter(|_| !part.contains(['?', '#']))?;
    (!bytes.contains(&b'/')).then_some(bytes)
}

#[cfg(test)]
mod tests;
