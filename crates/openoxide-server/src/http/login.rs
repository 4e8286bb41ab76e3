//! Opens a browser session for the user, by a one-time link.

use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, HOST, LOCATION, REFERRER_POLICY, SET_COOKIE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::{HttpContext, NoQuery, Page, Path, Query, Result};
use crate::{Failure, NewSession, Unavailable};

/// The header of a browser that fetches a page ahead, before the user opens it.
const AHEAD: [HeaderName; 3] =
    [HeaderName::from_static("sec-purpose"), HeaderName::from_static("purpose"), HeaderName::from_static("x-moz")];
/// What a browser says of the way in which a request is used.
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Redeems the code of a link, and leads to the page of the session that it opens.
pub(crate) async fn open(context: HttpContext, Path(code): Path<String>, _: Query<NoQuery>) -> Result {
    let Some(login) = context.http.options.login.clone() else {
        let failure = Failure::new(StatusCode::NOT_FOUND, "no-route", "there is nothing at this address");
        return Err(failure.help(context.how_to_approve()));
    };
    let links = login.links.clone();
    // A code that something else than a person who follows a link shows is not used up.
    let is_good =
        !context.is_head && is_navigation(&context.headers) && context.work(move || Ok(links.redeem(&code))).await?;
    if !is_good {
        return Ok(explained(StatusCode::FORBIDDEN, "This link was used already, or is too old."));
    }
    let host = context.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let NewSession { path, cookie } =
        login.sessions.open(host, login.links.address().port()).ok_or(Unavailable::Failed)?;
    let path = HeaderValue::try_from(path).map_err(|_| Unavailable::Failed)?;
    let fixed = HeaderValue::from_static;
    let headers = [
        (LOCATION, path),
        (SET_COOKIE, cookie),
        (CACHE_CONTROL, fixed("no-store")),
        (REFERRER_POLICY, fixed("no-referrer")),
    ];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// Tells whether a person follows a link, as far as a request says.
fn is_navigation(headers: &HeaderMap) -> bool {
    let is_ahead = AHEAD.iter().any(|name| headers.contains_key(name));
    !is_ahead && headers.get_all(MODE).iter().all(|mode| mode == "navigate")
}

/// Says to a person who has no session how to open one. It names nothing of what is served.
pub(crate) fn explained(status: StatusCode, what: &str) -> Response {
    let mut page = Page::new("OpenOxide");
    page.write("<p>{}</p><p>", &[what]);
    page.prose(
        "Open the link that `openoxide serve` printed. `openoxide serve --link` prints another. Each works once.",
    );
    page.write("</p>", &[]);
    let mut response = page.send();
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_person_who_follows_a_link_uses_it_up() {
        for (name, value, expected) in [
            ("accept", "text/html", true),
            ("sec-fetch-mode", "navigate", true),
            ("sec-fetch-mode", "no-cors", false),
            ("sec-fetch-mode", "cors", false),
            ("sec-purpose", "prefetch", false),
            ("sec-purpose", "prefetch;prerender", false),
            ("purpose", "prefetch", false),
            ("x-moz", "prefetch", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            assert_eq!(is_navigation(&headers), expected, "{name}: {value}");
        }
    }
}
