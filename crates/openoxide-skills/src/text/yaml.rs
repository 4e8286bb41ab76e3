//! Reads YAML into a tree that knows where each node stands.
//!
//! The tree keeps what hosts disagree on (duplicate keys, tags, anchors, flow style) instead of judging it;
//! `parse` judges. The events come from `granit-parser`; the tree is ours because findings need each node's span, which
//! trees of YAML crates do not keep. Limits hold for any input: size is bounded by the caller, depth, nodes and expanded bytes here.

mod node;
mod simple;

use std::{borrow::Cow, collections::HashMap};

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};

pub(crate) use node::{Feature, Node, Pair, Value, is_null_text, value_of};

const MAX_DEPTH: usize = 64;
/// Most nodes that are read, aliases counted each time they are used.
const MAX_NODES: usize = 10_000;
/// Most bytes of scalars after aliases are expanded.
const MAX_BYTES: usize = 1 << 20;

/// Why a text is not YAML, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError {
    pub(crate) kind: YamlErrorKind,
    pub(crate) message: String,
    pub(crate) offset: usize,
}

/// Whether the text is wrong or merely too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum YamlErrorKind {
    Syntax,
    Limit,
}

/// Reads one document. An empty text is a null scalar; a second document is an error.
pub(crate) fn parse(text: &str) -> Result<Node<'_>, YamlError> {
    simple::parse(text).map_or_else(|| parse_any(text), Ok)
}

fn parse_any(text: &str) -> Result<Node<'_>, YamlError> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let parser = Parser::new_from_str_with_options(text, options);
    Builder { parser, anchors: HashMap::new(), spent: Cost::default() }.document()
}

struct Builder<'a> {
    parser: Parser<'a, granit_parser::StrInput<'a>>,
    anchors: HashMap<usize, (Node<'a>, Cost)>,
    spent: Cost,
}

#[derive(Clone, Copy, Default)]
struct Cost {
    nodes: usize,
    bytes: usize,
}

impl<'a> Builder<'a> {
    fn document(mut self) -> Result<Node<'a>, YamlError> {
        let mut root = None;
        while let Some(event) = self.parser.next_event() {
            let (event, span) = event.map_err(|error| scan_error(&error))?;
            match event {
                Event::DocumentStart(..) if root.is_some() => {
                    return Err(syntax("there is a second YAML document", start_of(&span)));
                }
                Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) | Event::DocumentEnd => {}
                event => root = Some(self.node(event, &span, 0)?),
            }
        }
        let empty = Value::Scalar { text: Cow::Borrowed(""), plain: true };
        Ok(root.unwrap_or(Node { value: empty, span: 0..0, feature: None }))
    }

    fn node(&mut self, event: Event<'a>, span: &granit_parser::Span, depth: usize) -> Result<Node<'a>, YamlError> {
        let before = self.spent;
        let start = start_of(span);
        if depth > MAX_DEPTH {
            return Err(limit(format!("the YAML is nested deeper than {MAX_DEPTH} levels"), start));
        }
        let (value, end, feature, anchor) = match event {
            Event::Alias(id) => return self.alias(id, span),
            Event::Scalar(text, style, anchor, tag) => {
                self.spend(Cost { nodes: 1, bytes: text.len() }, start)?;
                let plain = style == ScalarStyle::Plain;
                // The parser writes `~` for a value that is not there.
                let absent = plain && end_of(span) <= start;
                let value = Value::Scalar { text: if absent { Cow::Borrowed("") } else { text }, plain };
                (value, end_of(span), feature_of(anchor, tag.as_deref(), false), anchor)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.spend(Cost { nodes: 1, bytes: 0 }, start)?;
                let (items, end) = self.list(depth)?;
                let is_flow = style == StructureStyle::Flow;
                (Value::List(items), end, feature_of(anchor, tag.as_deref(), is_flow), anchor)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.spend(Cost { nodes: 1, bytes: 0 }, start)?;
                let (pairs, end) = self.map(depth)?;
                let is_flow = style == StructureStyle::Flow;
                (Value::Map(pairs), end, feature_of(anchor, tag.as_deref(), is_flow), anchor)
            }
            _ => return Err(syntax("the YAML ends too early", start)),
        };
        let node = Node { value, span: start..end, feature };
        if anchor != 0 {
            let cost = Cost { nodes: self.spent.nodes - before.nodes, bytes: self.spent.bytes - before.bytes };
            self.anchors.insert(anchor, (node.clone(), cost));
        }
        Ok(node)
    }

    fn alias(&mut self, id: usize, span: &granit_parser::Span) -> Result<Node<'a>, YamlError> {
        let start = start_of(span);
        let Some((node, cost)) = self.anchors.get(&id) else {
            return Err(syntax("an alias stands inside its own anchor", start));
        };
        let (value, cost) = (node.value.clone(), *cost);
        self.spend(cost, start)?;
        Ok(Node { value, span: start..end_of(span), feature: Some(Feature::Alias) })
    }

    fn list(&mut self, depth: usize) -> Result<(Vec<Node<'a>>, usize), YamlError> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok((items, end_of(&span)));
            }
            items.push(self.node(event, &span, depth + 1)?);
        }
    }

    fn map(&mut self, depth: usize) -> Result<(Vec<Pair<'a>>, usize), YamlError> {
        let mut pairs = Vec::with_capacity(if depth == 0 { 8 } else { 4 });
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok((pairs, end_of(&span)));
            }
            let key = self.node(event, &span, depth + 1)?;
            let (event, span) = self.next()?;
            let value = self.node(event, &span, depth + 1)?;
            pairs.push((key, value));
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, granit_parser::Span), YamlError> {
        match self.parser.next_event() {
            Some(event) => event.map_err(|error| scan_error(&error)),
            None => Err(syntax("the YAML ends too early", 0)),
        }
    }

    fn spend(&mut self, cost: Cost, offset: usize) -> Result<(), YamlError> {
        self.spent.nodes += cost.nodes;
        self.spent.bytes += cost.bytes;
        if self.spent.nodes > MAX_NODES || self.spent.bytes > MAX_BYTES {
            return Err(limit("the YAML expands to more than is read".to_owned(), offset));
        }
        Ok(())
    }
}

fn feature_of(anchor: usize, tag: Option<&Tag>, flow: bool) -> Option<Feature> {
    match tag {
        _ if anchor != 0 => Some(Feature::Anchor),
        Some(tag) => Some(tag_feature(&format!("{}{}", tag.handle(), tag.suffix()))),
        None => flow.then_some(Feature::Flow),
    }
}

fn tag_feature(tag: &str) -> Feature {
    match tag.strip_prefix("tag:yaml.org,2002:") {
        Some("str") => Feature::Tag,
        Some(_) => Feature::TypeTag,
        None if tag == "!" => Feature::Tag,
        None => Feature::LocalTag,
    }
}

fn scan_error(error: &granit_parser::ScanError) -> YamlError {
    let (info, offset) = (error.info(), error.marker().byte_offset().unwrap_or(0));
    if info.contains("limit") { limit(info, offset) } else { syntax(info, offset) }
}

fn syntax(message: impl Into<String>, offset: usize) -> YamlError {
    YamlError { kind: YamlErrorKind::Syntax, message: message.into(), offset }
}

fn limit(message: String, offset: usize) -> YamlError {
    YamlError { kind: YamlErrorKind::Limit, message, offset }
}

fn start_of(span: &granit_parser::Span) -> usize {
    span.start.byte_offset().unwrap_or(0)
}

fn end_of(span: &granit_parser::Span) -> usize {
    span.end.byte_offset().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn text(source: &str, key: &str) -> String {
        let root = parse(source).unwrap();
        root.get(key).and_then(Node::as_text).unwrap().to_owned()
    }

    #[test]
    fn scalars_keep_their_text_and_place() {
        let source = "name: pdf\ncount: 0x1F\nfolded: >-\n  a\n  b\n";
        assert_eq!(text(source, "count"), "0x1F");
        assert_eq!(text(source, "folded"), "a b");
        assert_eq!(&source[parse(source).unwrap().get("name").unwrap().span.clone()], "pdf");
    }

    #[test]
    fn features_beyond_plain_blocks_are_seen() {
        let feature = |source| parse(source).unwrap().first_feature().map(|(feature, _)| feature);
        assert_eq!(feature("a: b\nc:\n  - d\n"), None);
        assert_eq!(feature("a: [b]\n"), Some(Feature::Flow));
        assert_eq!(feature("a: &x b\n"), Some(Feature::Anchor));
        assert_eq!(feature("a: !!str b\n"), Some(Feature::Tag));
        assert_eq!(feature("a: !<tag:yaml.org,2002:str> b\n"), Some(Feature::Tag));
        assert_eq!(feature("a: ! b\n"), Some(Feature::Tag));
        assert_eq!(feature("a: !!int 5\n"), Some(Feature::TypeTag));
        assert_eq!(feature("a: !mine b\n"), Some(Feature::LocalTag));
    }

    #[test]
    fn bombs_are_refused_quickly() {
        let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
        for (previous, next) in ('a'..='i').zip('b'..='j') {
            let uses = vec![format!("*{previous}"); 9].join(", ");
            writeln!(bomb, "{next}: &{next} [{uses}]").unwrap();
        }
        let error = parse(&bomb).unwrap_err();
        assert_eq!(error.kind, YamlErrorKind::Limit, "{}", error.message);
        let deep = format!("a: {}", "[".repeat(10_000));
        assert_eq!(parse(&deep).unwrap_err().kind, YamlErrorKind::Limit);
        let dashes = format!("{}x", "- ".repeat(50_000));
        assert_eq!(parse(&dashes).unwrap_err().kind, YamlErrorKind::Limit);
    }

    #[test]
    fn scalar_aliases_are_charged_by_size() {
        let big = "x".repeat(60_000);
        let source = format!("a: &a \"{big}\"\nb: [{}]\n", vec!["*a"; 5_000].join(", "));
        assert_eq!(parse(&source).unwrap_err().kind, YamlErrorKind::Limit);
    }

    #[test]
    fn a_second_document_is_an_error() {
        assert!(parse("a: b\n---\nc: d\n").is_err());
        assert!(parse("").unwrap().is_null());
    }
}
