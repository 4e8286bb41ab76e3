//! Reads JSON that has one meaning only: no key twice, and no deeper than a limit.
//!
//! `serde_json::Value` keeps the last of equal keys, and a proxy in front may have judged the first.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The deepest that values may lie in each other.
const DEPTH: usize = 64;

/// Reads one value and nothing else.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut source = serde_json::Deserializer::from_slice(bytes);
    let value = StrictSeed(DEPTH).deserialize(&mut source)?;
    source.end()?;
    Ok(value)
}

/// Reads a value with so much room for others inside.
#[derive(Clone, Copy)]
struct StrictSeed(usize);

impl StrictSeed {
    fn inner<E: Error>(self) -> Result<StrictSeed, E> {
        self.0.checked_sub(1).map(StrictSeed).ok_or_else(|| E::custom(format_args!("deeper than {DEPTH} values")))
    }
}

impl<'de> DeserializeSeed<'de> for StrictSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Value, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictSeed {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut map = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(inner)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` appears twice")));
            }
            map.insert(key, value);
        }
        Ok(map.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_way_to_read_it() {
        let value = json!({"a": [1, -2, 3.5, "x", null, true], "b": {"a": {}}});
        assert_eq!(read(value.to_string().as_bytes()).unwrap(), value);
        for bad in [r#"{"a":1,"a":1}"#, r#"[{"x":{"b":1,"b":2}}]"#, "{} {}", "", "{", "\"\u{0}\""] {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(read(b"\"\xff\"").is_err());
    }

    #[test]
    fn not_deeper_than_the_bound() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(nested(DEPTH).as_bytes()).is_ok());
        assert!(read(nested(DEPTH + 1).as_bytes()).is_err());
        assert!(read(nested(100_000).as_bytes()).is_err());
    }
}
