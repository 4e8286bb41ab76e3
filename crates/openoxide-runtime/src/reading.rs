//! Reading a file of a skill: one operation for every face, in resumable steps.

mod operation;
mod outcome;
mod request;
mod rules;

pub use operation::Reading;
pub use outcome::{ReadOutcome, ReadRefusal, ReadRefusalReason};
pub use request::{Audience, LinkRule, ReadForm, ReadPart, ReadRequest, ReadTarget};
