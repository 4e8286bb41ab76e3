//! Updates the output in the console blocks of hand-written pages.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::Page;
use crate::console;
use crate::shell::repository;

const PAGES: &[&str] = &["README.md", "docs/tour.md", "docs/add-a-host.md"];

/// Returns the pages with the program's answers of today.
pub(super) fn pages(binary: &Path) -> Result<Vec<Page>> {
    let answered = |path: &&str| {
        let text = fs_err::read_to_string(repository().join(path))?;
        let text = console::answered(&text, binary).with_context(|| format!("{path} cannot be answered"))?;
        Ok(Page::new(*path, text))
    };
    PAGES.iter().map(answered).collect()
}
