//! Redacts absolute paths for clients on other machines: known folders become short names.

use openoxide_app::{Snapshot, path_text};
use openoxide_wire::ProblemLine;
use serde_json::Value;

/// Fields that hold a skill's own text, which stays as it is.
const SKILLS_OWN: [&str; 5] = ["messages", "content", "template", "base64", "uri"];

/// Folders, longest first, and what stands for each.
pub(crate) struct Redactor {
    folders: Vec<(String, String)>,
}

impl Redactor {
    /// Redacts the folders of a snapshot.
    pub(crate) fn new(snapshot: &Snapshot) -> Redactor {
        let environment = &snapshot.workspace.environment;
        let mut folders = vec![(path_text(&snapshot.workspace.project), ".".to_owned())];
        folders.push((path_text(&environment.cwd), ".".to_owned()));
        folders.extend(environment.home.iter().map(|home| (path_text(home), "~".to_owned())));
        folders.extend(environment.openoxide_home().map(|home| (path_text(&home), "(openoxide)".to_owned())));
        folders.push((path_text(&environment.admin), "(admin)".to_owned()));
        for searched in &snapshot.catalog.roots {
            let known = |(folder, _): &(String, String)| searched.root.path.starts_with(folder);
            if !folders.iter().any(known) {
                let name = searched.root.path.file_name().map(|name| path_text(name.as_ref())).unwrap_or_default();
                folders.push((path_text(&searched.root.path), format!("({name})")));
            }
        }
        folders.retain(|(folder, _)| folder.len() > 1);
        folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        Redactor { folders }
    }

    pub(crate) fn redact(&self, answer: &mut Value) {
        if let Value::Object(fields) = answer {
            let fields = fields.iter_mut().filter(|(key, _)| !SKILLS_OWN.contains(&key.as_str()));
            fields.for_each(|(key, value)| match value {
                Value::String(text) => self.redact_text(key, text),
                value => self.redact(value),
            });
        } else if let Value::Array(items) = answer {
            for item in items {
                self.redact(item);
            }
        } else if let Value::String(text) = answer {
            self.redact_text("", text);
        }
    }

    pub(crate) fn redact_problem(&self, line: &mut ProblemLine) {
        self.redact_text("message", &mut line.message);
        line.help.iter_mut().for_each(|help| self.redact_text("help", help));
        line.path.iter_mut().for_each(|path| self.redact_text("path", path));
    }

    fn redact_text(&self, key: &str, text: &mut String) {
        if !text.contains('/') {
            return;
        }
        for (folder, name) in &self.folders {
            if text.contains(folder.as_str()) {
                *text = replaced(text, folder, name);
            }
        }
        let is_path = ["path", "dir", "root", "found", "by", "project", "folder", "location"].contains(&key);
        if is_path && text.starts_with('/') {
            *text = text.rsplit('/').next().unwrap_or_default().to_owned();
        }
    }
}

/// Replaces a folder wherever a path begins with it.
fn replaced(text: &str, folder: &str, name: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(folder) {
        result.push_str(before);
        let starts = !result.ends_with(|last: char| last.is_alphanumeric() || "/._-~".contains(last));
        let ends = !after.starts_with(|next: char| next.is_alphanumeric() || "._-".contains(next));
        result.push_str(if starts && ends { name } else { folder });
        rest = after;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_hidden_where_a_path_begins() {
        let redactor =
            Redactor { folders: vec![("/home/me/p".to_owned(), ".".to_owned()), ("/home/me".into(), "~".into())] };
        let mut answer = serde_json::json!({
            "path": "/home/me/p/a", "found": "/srv/x/SKILL.md", "near": ["/home/me/b", "/home/mean"],
            "messages": [{"text": "/home/me/p"}], "reason": "S1: `/home/me/p/a` and /home/me"
        });
        redactor.redact(&mut answer);
        let expected = serde_json::json!({
            "path": "./a", "found": "SKILL.md", "near": ["~/b", "/home/mean"],
            "messages": [{"text": "/home/me/p"}], "reason": "S1: `./a` and ~"
        });
        assert_eq!(answer, expected);
    }
}
