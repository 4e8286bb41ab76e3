//! Reading a file of a skill: one operation for every face, in resumable steps.

mod operation;
mod request;
mod rules;

pub use operation::Reading;
pub use request::{
    Audience, FoundKind, ReadForm, ReadOutcome, ReadPart, ReadRefusal, ReadRefusalReason, ReadRequest, ReadTarget,
};
