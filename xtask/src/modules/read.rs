//! Reads the modules of a crate, from its root file down.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use syn::{Attribute, Expr, Item, ItemMod, Lit, Meta, Visibility};

use super::collect::{collect, is_test, plain};
use super::module::{Module, Source};

/// Returns the text of a file; `None` if there is none.
pub(crate) type ReadFile<'a> = &'a dyn Fn(&Path) -> Result<Option<String>>;

/// Reads the modules below the root `file`, such as `lib.rs`. Modules for tests are left out.
pub(crate) fn read(file: &str, read_file: ReadFile<'_>) -> Result<Source> {
    let mut reader = Reader { source: Source::default(), read_file };
    let text = read_file(Path::new(file))?.with_context(|| format!("`{file}` is missing"))?;
    let root = Module { file: file.to_owned(), is_public: true, ..Module::default() };
    reader.file(root, Path::new(""), &text)?;
    Ok(reader.source)
}

struct Reader<'a> {
    source: Source,
    read_file: ReadFile<'a>,
}

impl Reader<'_> {
    /// Reads a file as a module whose children lie in `folder`.
    fn file(&mut self, module: Module, folder: &Path, text: &str) -> Result<usize> {
        let file = syn::parse_file(text).with_context(|| format!("`{}` cannot be parsed", module.file))?;
        let index = self.source.modules.len();
        self.add(Module { doc: doc(&file.attrs), owner: index, ..module }, folder, &file.items)
    }

    fn add(&mut self, mut module: Module, folder: &Path, items: &[Item]) -> Result<usize> {
        collect(items, &mut module);
        let index = self.source.modules.len();
        self.source.modules.push(module);
        for item in items {
            if let Item::Mod(item) = item
                && !is_test(&item.attrs)
            {
                let child = self.child(index, folder, item)?;
                self.source.modules[index].children.push(child);
            }
        }
        Ok(index)
    }

    fn child(&mut self, parent: usize, folder: &Path, item: &ItemMod) -> Result<usize> {
        let name = plain(&item.ident);
        let around = &self.source.modules[parent];
        let module = Module {
            path: [around.path.as_slice(), std::slice::from_ref(&name)].concat(),
            file: around.file.clone(),
            owner: around.owner,
            parent: Some(parent),
            is_public: matches!(item.vis, Visibility::Public(_)),
            doc: doc(&item.attrs),
            ..Module::default()
        };
        if item.attrs.iter().any(|attribute| attribute.path().is_ident("path")) {
            bail!("`{}` has a module with `#[path]`, which this cannot follow", module.file);
        }
        let inside = folder.join(&name);
        if let Some((_, items)) = &item.content {
            return self.add(module, &inside, items);
        }
        let (file, text) = self.find(&inside).with_context(|| format!("`{}` declares `{name}`", module.file))?;
        self.file(Module { file: file.display().to_string(), ..module }, &inside, &text)
    }

    /// Finds the file of a module: `name.rs`, or `name/mod.rs`.
    fn find(&self, inside: &Path) -> Result<(PathBuf, String)> {
        for file in [inside.with_extension("rs"), inside.join("mod.rs")] {
            if let Some(text) = (self.read_file)(&file)? {
                return Ok((file, text));
            }
        }
        bail!("there is no `{}.rs`", inside.display())
    }
}

/// Returns the text of `//!` lines, or of `///` lines.
fn doc(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(value) if value.path.is_ident("doc") => match &value.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}
