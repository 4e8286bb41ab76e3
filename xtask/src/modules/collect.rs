//! Collects what the items of one module define, import and name.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta, UseTree, Visibility};

use super::module::{ABSOLUTE, Import, Module, Segments};

/// Adds what `items` define, import and name to a module. Modules among them are the caller's.
pub(super) fn collect(items: &[Item], module: &mut Module) {
    for item in items.iter().filter(|item| !is_test(attributes(item))) {
        define(item, module);
    }
    let mut collector = Collector { module, locals: Vec::new() };
    for item in items {
        collector.visit_item(item);
    }
}

/// Tells whether an item is compiled for tests only.
pub(super) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => needs_test(list.tokens.clone()),
        Meta::Path(path) => path.is_ident("test"),
        _ => false,
    })
}

/// Tells whether a condition is `test` or `all(…)` with `test` in it.
fn needs_test(condition: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = condition.into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Ident(all), TokenTree::Group(group)] if all == "all" => {
            group.stream().into_iter().any(|token| matches!(token, TokenTree::Ident(name) if name == "test"))
        }
        [TokenTree::Ident(name)] => name == "test",
        _ => false,
    }
}

/// Returns an identifier without the `r#` that lets it be a keyword.
pub(super) fn plain(ident: &proc_macro2::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Adds the name that an item defines.
fn define(item: &Item, module: &mut Module) {
    let mut define_type = |ident| module.types.insert(plain(ident));
    let mut define_value = |ident| module.values.insert(plain(ident));
    match item {
        Item::Enum(item) => define_type(&item.ident),
        Item::Struct(item) => define_type(&item.ident),
        Item::Trait(item) => define_type(&item.ident),
        Item::Type(item) => define_type(&item.ident),
        Item::Const(item) => define_value(&item.ident),
        Item::Fn(item) => define_value(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref().is_some_and(define_value),
        Item::Static(item) => define_value(&item.ident),
        _ => false,
    };
}

struct Collector<'a> {
    module: &'a mut Module,
    /// Names of the variables of each function around.
    locals: Vec<BTreeSet<String>>,
}

impl Collector<'_> {
    fn name_path(&mut self, path: Segments) {
        let is_local = path.len() == 1 && self.locals.iter().any(|locals| locals.contains(&path[0]));
        if !is_local {
            self.module.paths.insert(path);
        }
    }

    /// Names the paths in tokens that only a macro could parse.
    fn scan(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(tree) = trees.get(at) {
            at += 1;
            match tree {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(ident) if !continues(&trees[..at - 1]) => {
                    let mut path = vec![plain(ident)];
                    while let Some(name) = next_segment(&trees[at..]) {
                        path.push(name);
                        at += 3;
                    }
                    if path.len() > 1 || is_named(&path[0], trees.get(at)) {
                        self.name_path(path);
                    }
                }
                _ => {}
            }
        }
    }

    /// Names the paths in texts of an attribute, such as `#[serde(with = "crate::time")]`.
    fn scan_texts(&mut self, tokens: TokenStream) {
        for tree in tokens {
            match tree {
                TokenTree::Group(group) => self.scan_texts(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    if let Ok(path) = syn::parse_str::<syn::Path>(text.trim_matches('"'))
                        && path.segments.len() > 1
                    {
                        self.name_path(segments(&path));
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) && !matches!(item, Item::Mod(_)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &[],
        };
        if !is_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let start = if item.leading_colon.is_some() { vec![ABSOLUTE.to_owned()] } else { Vec::new() };
        let is_reexport = !matches!(item.vis, Visibility::Inherited);
        import(&item.tree, &start, is_reexport, &mut self.module.imports);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.locals.push(Locals::of(|locals| visit::visit_item_fn(locals, item)));
        visit::visit_item_fn(self, item);
        self.locals.pop();
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.locals.push(Locals::of(|locals| visit::visit_impl_item_fn(locals, item)));
        visit::visit_impl_item_fn(self, item);
        self.locals.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.name_path(segments(path));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.name_path(segments(&call.path));
        self.scan(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.scan(list.tokens.clone());
            self.scan_texts(list.tokens.clone());
        }
    }

    /// Where something may be seen is no use of that place.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

/// Collects the names of variables.
#[derive(Default)]
struct Locals(BTreeSet<String>);

impl Locals {
    fn of(visit: impl FnOnce(&mut Locals)) -> BTreeSet<String> {
        let mut locals = Locals::default();
        visit(&mut locals);
        locals.0
    }
}

impl<'ast> Visit<'ast> for Locals {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(plain(&pattern.ident));
        visit::visit_pat_ident(self, pattern);
    }
}

fn import(tree: &UseTree, before: &[String], is_reexport: bool, imports: &mut Vec<Import>) {
    let mut add = |name: Option<String>, path: Segments| imports.push(Import { name, path, is_reexport });
    let with = |ident: &syn::Ident| [before, &[plain(ident)]].concat();
    match tree {
        UseTree::Path(path) => import(&path.tree, &with(&path.ident), is_reexport, imports),
        UseTree::Name(name) if name.ident == "self" => add(before.last().cloned(), before.to_vec()),
        UseTree::Name(name) => add(Some(plain(&name.ident)), with(&name.ident)),
        UseTree::Rename(rename) if rename.ident == "self" => add(Some(plain(&rename.rename)), before.to_vec()),
        UseTree::Rename(rename) => add(Some(plain(&rename.rename)), with(&rename.ident)),
        UseTree::Glob(_) => add(None, before.to_vec()),
        UseTree::Group(group) => {
            for tree in &group.items {
                import(tree, before, is_reexport, imports);
            }
        }
    }
}

fn segments(path: &syn::Path) -> Segments {
    let start = path.leading_colon.as_ref().map(|_| ABSOLUTE.to_owned());
    start.into_iter().chain(path.segments.iter().map(|segment| plain(&segment.ident))).collect()
}

/// Tells whether what comes after these tokens continues them: a field, a method, or a segment of a path.
fn continues(before: &[TokenTree]) -> bool {
    let sign = |tree: Option<&TokenTree>| match tree {
        Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
        _ => None,
    };
    let last = sign(before.last());
    let earlier = sign(before.len().checked_sub(2).and_then(|index| before.get(index)));
    match last {
        Some('.') => earlier != Some('.'),
        Some(':') => earlier == Some(':'),
        Some('\'') => true,
        _ => false,
    }
}

/// Returns the name after `::`.
fn next_segment(trees: &[TokenTree]) -> Option<String> {
    match trees {
        [TokenTree::Punct(first), TokenTree::Punct(second), TokenTree::Ident(ident), ..]
            if first.as_char() == ':' && second.as_char() == ':' =>
        {
            Some(plain(ident))
        }
        _ => None,
    }
}

/// Tells whether a lone word in a macro names an item: a type, a constant, or a function that is called.
fn is_named(word: &str, next: Option<&TokenTree>) -> bool {
    let is_called =
        matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Parenthesis);
    is_called || word.starts_with(char::is_uppercase)
}
