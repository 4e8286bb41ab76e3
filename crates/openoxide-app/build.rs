//! Embeds the pages of `docs/diagnostics/`, so that `explain CODE` needs no files.

#![expect(clippy::disallowed_methods, reason = "a build script without dependencies")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let docs = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../docs/diagnostics");
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut names: Vec<String> = fs::read_dir(&docs)
        .expect("docs/diagnostics exists")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
        .filter(|name| name.starts_with('S') && name[1..].bytes().all(|byte| byte.is_ascii_digit()))
        .collect();
    names.sort();
    let mut code = String::from("/// The pages of `docs/diagnostics/`, by code.\nstatic PAGES: &[(&str, &str)] = &[\n");
    for name in names {
        let path = fs::canonicalize(docs.join(format!("{name}.md"))).expect("the page was just listed");
        println!("cargo::rerun-if-changed={}", path.display());
        writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string()).expect("writing to a string");
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("pages.rs");
    fs::write(out, code).expect("OUT_DIR is writable");
}
