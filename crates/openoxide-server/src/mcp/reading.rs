//! Reads what an address means; asks the user before, if rules say so.

use std::sync::Arc;

use openoxide_app::mcp_skills::{ServedCache, ServedSkills};
use openoxide_app::{ReadOutcome, ReadProblem, ReadRefusal, ReadRefusalReason, Reading, ResourceAnswer};
use rmcp::ErrorData;
use rmcp::model::{InputRequiredResult, InputResponses};
use serde_json::json;

use super::{Context, Elicited, Elicitor, McpServer, Result, waits};
use crate::{Action, Decision, RequestKey};

/// A request to read what an address means.
pub(super) struct Asked<'r> {
    pub(super) method: &'static str,
    pub(super) uri: &'r str,
    /// The state and the answers of a request that is repeated.
    pub(super) repeated: Option<(String, Option<InputResponses>)>,
    /// Finds what the address means, and begins to read it.
    pub(super) begin: fn(&ServedSkills, &ServedCache, &str) -> Option<Reading>,
}

/// What came of reading.
pub(super) enum Read {
    Done(ResourceAnswer),
    /// The client must repeat its request with an answer.
    Later(InputRequiredResult),
}

impl McpServer {
    /// Reads what an address means; `nothing` is the error where it means nothing.
    pub(super) async fn read_at(
        &self,
        asked: Asked<'_>,
        context: &Context,
        nothing: impl Fn() -> ErrorData,
    ) -> Result<Read> {
        let Asked { method, uri, repeated, begin } = asked;
        let elicitor = Elicitor::new(self, context, RequestKey::new(method, uri, &json!(null)));
        let elicited: Elicited<Reading> = if let Some((handle, responses)) = repeated {
            elicitor.resume(&handle, responses.as_ref()).await?
        } else {
            let view = self.state.view().await?;
            let (of, address) = (Arc::clone(&view), uri.to_owned());
            let reading = self.state.work(move |state, _| begin(&of.skills, &state.cache, &address)).await?;
            let Some(reading) = reading else {
                elicitor.engine.note(Action::Read, uri, None, Some(uri), Decision::Deny("unknown".to_owned()));
                return Err(nothing());
            };
            self.state.reads.wait(context, &elicitor.engine, &view.snapshot, &reading.request).await?;
            elicitor.begin(&view.snapshot, reading).await?
        };
        match elicited {
            Elicited::Later(asked) => Ok(Read::Later(asked)),
            Elicited::OnPage(text) => Err(waits(text)),
            Elicited::Done(ReadOutcome { result: Ok(answer), .. }, _) => Ok(Read::Done(answer)),
            Elicited::Done(ReadOutcome { result: Err(refusal), .. }, unasked) => {
                Err(not_read(&refusal, &unasked).unwrap_or_else(nothing))
            }
        }
    }
}

/// Says why nothing is read, if a rule or the user says no. Anything else is as if there were nothing.
fn not_read(refusal: &ReadRefusal, unasked: &[String]) -> Option<ErrorData> {
    let text = match refusal.reason {
        ReadRefusalReason::Problem(ReadProblem::Forbidden) => "a permission rule does not let this be read".to_owned(),
        ReadRefusalReason::Rejected => "the user did not allow it".to_owned(),
        ReadRefusalReason::NotAsked => format!("reading this needs the user's yes: {}", unasked.join("; ")),
        _ => return None,
    };
    Some(ErrorData::invalid_params(text, Some(json!({ "problem": refusal.word() }))))
}
