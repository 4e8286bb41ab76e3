//! The tree of a YAML text: values, where each stands, and what it uses beyond plain block style.

use std::borrow::Cow;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node<'a> {
    pub(crate) value: Value<'a>,
    pub(crate) span: Range<usize>,
    /// What the node used beyond plain block YAML, for dialects that forbid it.
    pub(crate) feature: Option<Feature>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Scalar { text: Cow<'a, str>, plain: bool },
    List(Vec<Node<'a>>),
    Map(Vec<Pair<'a>>),
}

/// A key and its value.
pub(crate) type Pair<'a> = (Node<'a>, Node<'a>);

/// YAML beyond plain block style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Anchor,
    Alias,
    /// The tag of a text, or one that says nothing.
    Tag,
    /// The tag of another of YAML's own types.
    TypeTag,
    LocalTag,
    Flow,
}

impl Node<'_> {
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_map(&self) -> Option<&[(Self, Self)]> {
        match &self.value {
            Value::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// Tells whether the node is an empty or null value.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if is_null_text(text))
    }

    /// Returns the first node, in reading order, that goes beyond plain block YAML.
    pub(crate) fn first_feature(&self) -> Option<(Feature, Range<usize>)> {
        self.find_map(&|node| Some((node.feature?, node.span.clone())))
    }

    pub(crate) fn is_tagged(&self) -> bool {
        matches!(self.feature, Some(Feature::Tag | Feature::TypeTag | Feature::LocalTag))
    }

    /// Returns the first node, in reading order, that has a tag: any, or one that is not of YAML's own types.
    pub(crate) fn first_tag(&self, only_local: bool) -> Option<Range<usize>> {
        self.find_map(&|node| {
            let is_it = node.feature == Some(Feature::LocalTag) || (node.is_tagged() && !only_local);
            is_it.then(|| node.span.clone())
        })
    }

    /// Goes through the node and all nodes in it, in reading order.
    fn find_map<T>(&self, find: &impl Fn(&Self) -> Option<T>) -> Option<T> {
        find(self).or_else(|| match &self.value {
            Value::Scalar { .. } => None,
            Value::List(items) => items.iter().find_map(|item| item.find_map(find)),
            Value::Map(pairs) => {
                pairs.iter().find_map(|(key, value)| key.find_map(find).or_else(|| value.find_map(find)))
            }
        })
    }

    /// Returns the node as it stands in a text that has this much before it.
    pub(crate) fn moved(mut self, by: usize) -> Self {
        self.span = self.span.start + by..self.span.end + by;
        self.value = match self.value {
            Value::List(items) => Value::List(items.into_iter().map(|item| item.moved(by)).collect()),
            Value::Map(pairs) => {
                Value::Map(pairs.into_iter().map(|(key, value)| (key.moved(by), value.moved(by))).collect())
            }
            scalar @ Value::Scalar { .. } => scalar,
        };
        self
    }

    /// Returns the value of the last pair with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        value_of(self.as_map()?, key)
    }

    /// Returns the same, if it is not null.
    pub(crate) fn get_some(&self, key: &str) -> Option<&Self> {
        self.get(key).filter(|value| !value.is_null())
    }
}

/// Returns the value of the last of these pairs with this key.
pub(crate) fn value_of<'n, 'a>(pairs: &'n [Pair<'a>], key: &str) -> Option<&'n Node<'a>> {
    pairs.iter().rev().find(|(node, _)| node.as_text() == Some(key)).map(|(_, value)| value)
}

/// Tells whether plain text means null in YAML's core schema.
pub(crate) fn is_null_text(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}
