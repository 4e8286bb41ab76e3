//! One finding on the home page: what is wrong, where, and what to do.

use openoxide_wire::ProblemLine;

use crate::http::Page;

pub(super) fn finding(page: &mut Page, line: &ProblemLine) {
    page.write("<li><strong class=\"{}\">{}</strong> {}", &[&line.level, &line.level, &line.message]);
    if let Some(path) = &line.path {
        let place = line.line.map_or_else(|| path.clone(), |number| format!("{path}:{number}"));
        page.write("<p class=\"dim\">{}</p>", &[&place]);
    }
    if let Some(help) = &line.help {
        page.write("<p>", &[]);
        page.prose(help);
        page.write("</p>", &[]);
    }
    page.write("</li>", &[]);
}
