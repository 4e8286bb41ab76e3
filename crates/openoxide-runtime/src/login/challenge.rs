//! Parses the `Bearer` challenge that a server sends to a client without a token.

const MAX_SCOPE: usize = 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    /// Where the server describes itself.
    pub(super) resource_metadata: Option<String>,
    /// What a login is asked for.
    pub(super) scope: Option<String>,
}

impl Challenge {
    /// Finds the `Bearer` challenge in a header.
    pub(super) fn parse(header: &str) -> Option<Challenge> {
        let mut challenge = None;
        let mut rest = header;
        while let Some((key, value, after)) = next(rest) {
            rest = after;
            // A scheme stands before its first parameter, or alone.
            let (scheme, key) = match key.rsplit_once([' ', '\t']) {
                Some((scheme, key)) => (Some(scheme.trim()), key),
                None if value.is_none() => (Some(key), ""),
                None => (None, key),
            };
            if let Some(scheme) = scheme {
                if challenge.is_some() {
                    break;
                }
                challenge = scheme.eq_ignore_ascii_case("bearer").then(Challenge::default);
            }
            let (Some(challenge), Some(value)) = (&mut challenge, value) else { continue };
            match key.to_ascii_lowercase().as_str() {
                "resource_metadata" => challenge.resource_metadata = Some(value),
                "scope" if value.len() <= MAX_SCOPE => challenge.scope = Some(value),
                _ => {}
            }
        }
        challenge
    }
}

/// Returns the next part up to a comma: what stands before `=`, its value, and the rest.
fn next(text: &str) -> Option<(&str, Option<String>, &str)> {
    let text = text.trim_start_matches([',', ' ', '\t']);
    if text.is_empty() {
        return None;
    }
    let Some(at) = text.find(['=', ',']).filter(|at| text[*at..].starts_with('=')) else {
        let (word, rest) = text.split_once(',').unwrap_or((text, ""));
        return Some((word.trim(), None, rest));
    };
    let (key, rest) = (text[..at].trim(), text[at + 1..].trim_start());
    if let Some(quoted) = rest.strip_prefix('"') {
        let (value, rest) = unquoted(quoted);
        return Some((key, Some(value), rest));
    }
    let (value, rest) = rest.split_once(',').unwrap_or((rest, ""));
    Some((key, Some(value.trim().to_owned()), rest))
}

fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.extend(letters.next().map(|(_, letter)| letter)),
            letter => value.push(letter),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bearer_challenge_is_found() {
        let check = |header: &str, expected: Option<(Option<&str>, Option<&str>)>| {
            let found = Challenge::parse(header);
            let found = found.as_ref().map(|one| (one.resource_metadata.as_deref(), one.scope.as_deref()));
            assert_eq!(found, expected, "{header}");
        };
        check("Bearer", Some((None, None)));
        check("bearer realm=\"x\"", Some((None, None)));
        check("Bearer resource_metadata=\"https://a/m\", scope=\"a b\"", Some((Some("https://a/m"), Some("a b"))));
        check("Bearer error=invalid_token,Scope=one", Some((None, Some("one"))));
        check("Basic realm=\"a, Bearer scope=no\", Bearer scope=\"x\\\"y\"", Some((None, Some("x\"y"))));
        check("Bearer scope=a, Basic scope=b", Some((None, Some("a"))));
        check("Negotiate, Bearer scope=a", Some((None, Some("a"))));
        check("Basic realm=x", None);
        check("Bearer scope=\"never closed", Some((None, Some("never closed"))));
        check("", None);
        check(",,, =", None);
    }
}
