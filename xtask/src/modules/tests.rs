//! The analysis on small made-up crates, then on ours.

use super::*;

/// Compares the edges of a crate, one to a line: `user -> used: path, path`.
#[track_caller]
fn check_edges(text: &str, expected: &[&str]) {
    let source = parse(text);
    let edges = Graph::of(&source).edges.into_iter().map(|((from, to), paths)| {
        let paths = paths.into_iter().collect::<Vec<_>>().join(", ");
        format!("{} -> {}: {paths}", source.name(from), source.name(to))
    });
    assert_eq!(edges.collect::<Vec<_>>(), expected);
}

#[track_caller]
fn check_cycles(text: &str, expected: &str) {
    let source = parse(text);
    assert_eq!(draw::cycles(&source, &Graph::of(&source)), expected);
}

#[test]
fn declaring_a_module_is_no_use() {
    check_edges("mod a;\npub mod b;\n//- a.rs\n//- b.rs\npub struct B;\n", &[]);
}

#[test]
fn imports_and_paths_are_uses() {
    let text = "mod a;\nmod b;\nmod c;
//- a.rs
use crate::b::{B, self};
fn f(_: B) -> crate::c::C { b::g() }
//- b.rs
pub struct B;
pub fn g() {}
//- c.rs
pub struct C;
";
    check_edges(text, &["a -> b: b::g, crate::b::B", "a -> c: crate::c::C"]);
}

#[test]
fn a_parent_uses_what_it_calls_in_its_child() {
    check_edges("mod a;\nfn f() { a::g() }\n//- a.rs\npub fn g() {}\n", &["lib -> a: a::g"]);
}

#[test]
fn a_reexport_leads_to_what_it_exports() {
    let text = "mod a;\nmod b;\npub use b::deep::B;\npub use b::*;
//- a.rs
use crate::B;
fn f(_: crate::Other) {}
//- b.rs
pub(crate) mod deep;
pub struct Other;
//- b/deep.rs
pub struct B;
";
    check_edges(text, &["a -> b: crate::Other", "a -> b::deep: crate::B"]);
}

#[test]
fn a_reexport_is_a_use_where_the_name_is_used() {
    let text = "mod a;\npub use a::{A, B};\nfn f(_: A) {}\n//- a.rs\npub struct A;\npub struct B;\n";
    check_edges(text, &["lib -> a: A"]);
}

#[test]
fn a_module_and_a_function_may_share_a_name() {
    let text = "mod load;\nmod a;\npub use load::load;
//- load.rs
pub(crate) mod deep;
pub fn load() {}
//- load/deep.rs
pub struct Deep;
//- a.rs
use crate::load;
fn f(_: load::deep::Deep) {}
";
    check_edges(text, &["a -> load::deep: load::deep::Deep"]);
    let called = text.replace("load::deep::Deep) {}", "u8) { load() }");
    check_edges(&called, &["a -> load: load"]);
}

#[test]
fn an_imported_module_and_a_function_may_share_a_name() {
    let text = "mod load;\nmod a;
//- load.rs
pub struct Load;
//- a.rs
use crate::load;
pub fn load(_: load::Load) {}
";
    check_edges(text, &["a -> load: load::Load"]);
}

#[test]
fn a_variable_is_no_function() {
    let text = "mod a;\npub use a::count;\nfn f(count: u8) -> u8 { count }\n//- a.rs\npub fn count() {}\n";
    check_edges(text, &[]);
}

#[test]
fn macros_and_attributes_name_paths_too() {
    let text = "mod a;\nmod b;
//- a.rs
pub struct A;
pub fn f() {}
//- b.rs
fn g() { format!(\"{}\", crate::a::f()); }
#[serde(with = \"crate::a::A\")]
struct B;
";
    check_edges(text, &["b -> a: crate::a::A, crate::a::f"]);
}

#[test]
fn what_a_macro_defines_is_in_its_module() {
    check_edges("mod a;\nmod b;\npub use a::A;\n//- a.rs\nmake!(A);\n//- b.rs\nuse crate::A;\n", &["b -> a: crate::A"]);
}

#[test]
fn blocks_belong_to_their_file() {
    let text = "mod a;\nmod b;
//- a.rs
pub mod inner { use super::A; use crate::b::B; }
pub struct A;
//- b.rs
pub struct B;
";
    check_edges(text, &["a -> b: crate::b::B"]);
}

#[test]
fn tests_and_visibility_and_links_do_not_count() {
    let text = "mod a;\nmod b;
//- a.rs
//! See [`crate::b::B`].
/// See [B](crate::b::B).
pub(in crate::b) struct A;
#[cfg(test)]
mod tests;
#[cfg(all(test, unix))]
fn f(_: crate::b::B) {}
//- b.rs
pub struct B;
";
    check_edges(text, &[]);
}

#[test]
fn other_crates_do_not_count() {
    let text = "mod serde;\n//- serde.rs\nuse ::serde::Serialize;\nuse std::fmt;\npub struct S;\n";
    check_edges(text, &[]);
}

#[test]
fn a_cycle_of_two_is_found() {
    let text = "mod a;\nmod b;\nmod c;
//- a.rs
use crate::b::B;
pub struct A;
//- b.rs
use crate::c::C;
pub struct B(crate::a::A);
//- c.rs
use crate::a::A;
pub struct C;
";
    let expected = "a cycle of 2 files, the shortest of 3 that use each other:
  a.rs uses b.rs: `crate::b::B`
  b.rs uses a.rs: `crate::a::A`
";
    check_cycles(text, expected);
}

#[test]
fn a_cycle_through_a_reexport_is_found() {
    let text = "mod a;\nmod b;\npub use a::A;\npub use b::B;
//- a.rs
use crate::B;
pub struct A;
//- b.rs
use crate::A;
pub struct B;
";
    let expected = "a cycle of 2 files, the shortest of 2 that use each other:
  a.rs uses b.rs: `crate::B`
  b.rs uses a.rs: `crate::A`
";
    check_cycles(text, expected);
}

#[test]
fn a_cycle_through_the_parent_is_found() {
    let text = "mod a;
//- a.rs
mod b;
pub struct A;
fn f() { b::g() }
//- a/b.rs
use super::A;
pub fn g() {}
";
    let expected = "a cycle of 2 files, the shortest of 2 that use each other:
  a.rs uses a/b.rs: `b::g`
  a/b.rs uses a.rs: `super::A`
";
    check_cycles(text, expected);
}

#[test]
fn layers_have_what_is_used_first() {
    let text = "mod a;\nmod b;\nmod c;
//- a.rs
use crate::{b::B, c::C};
//- b.rs
use crate::c::C;
pub struct B;
//- c.rs
pub struct C;
";
    let source = parse(text);
    let expected = "layer 1
  c
  lib
layer 2
  b    c
layer 3
  a    b, c
";
    assert_eq!(draw::layers(&source, &Graph::of(&source)), expected);
    check_cycles(text, "");
}

/// Values lie below the stages that work on them, so that a reader can take one module at a time.
#[test]
fn no_crate_has_a_cycle() {
    let mut found = Vec::new();
    for package in metadata::workspace().unwrap() {
        for source in sources(&package).unwrap() {
            let cycles = draw::cycles(&source, &Graph::of(&source));
            if !cycles.is_empty() {
                found.push(format!("{}: {cycles}", package.name));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
