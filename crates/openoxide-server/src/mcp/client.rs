//! Finds the rules for the client of a request, by what it says of itself.

use rmcp::model::Implementation;

use super::Context;
use crate::connect::{self, ClientRules};

/// Returns the rules for the client of a request, which says what it is in the request itself, or said it in the beginning.
pub(super) fn rules_of(context: &Context) -> ClientRules {
    match (context.meta.client_info(), context.peer.peer_info()) {
        (Some(info), _) => info_of(&info),
        (None, Some(known)) => info_of(&known.client_info),
        (None, None) => connect::rules_of("", ""),
    }
}

/// Returns the rules for a client that says this of itself.
pub(super) fn info_of(info: &Implementation) -> ClientRules {
    connect::rules_of(&info.name, &info.version)
}
