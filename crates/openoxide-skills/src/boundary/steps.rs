//! The steps of a path, one at a time; those of a link that is met go before the rest.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path};

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// To the root of the filesystem.
    Top,
    /// To the folder above.
    Up,
    /// To what has this name.
    Name(OsString),
}

/// The steps that are left.
#[derive(Clone, Debug, Default)]
pub struct PathSteps(VecDeque<PathStep>);

impl PathSteps {
    /// Returns the steps of a path.
    pub fn of(path: &Path) -> PathSteps {
        let mut steps = PathSteps::default();
        steps.go_first(path);
        steps
    }

    /// Puts the steps of a path before all others.
    pub fn go_first(&mut self, path: &Path) {
        for part in path.components().rev() {
            match part {
                Component::Normal(name) => self.0.push_front(PathStep::Name(name.to_owned())),
                Component::ParentDir => self.0.push_front(PathStep::Up),
                Component::RootDir => self.0.push_front(PathStep::Top),
                Component::CurDir | Component::Prefix(_) => {}
            }
        }
    }
}

impl Iterator for PathSteps {
    type Item = PathStep;

    fn next(&mut self) -> Option<PathStep> {
        self.0.pop_front()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.iter().size_hint()
    }
}

impl ExactSizeIterator for PathSteps {}
