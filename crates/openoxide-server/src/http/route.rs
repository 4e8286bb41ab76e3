//! Describes a route: its address, its input, its answers and its handler.

use std::sync::Arc;

use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::HttpState;

/// A method, as the router and the document know it.
type Method = (MethodFilter, &'static str);

pub(crate) const GET: Method = (MethodFilter::GET, "get");
pub(crate) const POST: Method = (MethodFilter::POST, "post");
pub(crate) const DELETE: Method = (MethodFilter::DELETE, "delete");

pub(crate) type Draw = fn(&mut SchemaGenerator) -> Schema;

#[derive(Clone, Copy)]
pub(crate) enum Content {
    Json(Draw),
    /// Something else, by its media type.
    Other(&'static str),
}

pub(crate) struct RouteResponse {
    pub(crate) status: u16,
    pub(crate) about: &'static str,
    pub(crate) content: Vec<Content>,
}

/// What is asked at an address, what comes back, and who answers.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    /// The address, as the router reads it.
    pub(crate) path: &'static str,
    /// What programs call it.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) query: Option<Draw>,
    pub(crate) body: Option<Draw>,
    pub(crate) answers: Vec<RouteResponse>,
    /// Errors, by their status, besides those of the ingress.
    pub(crate) fails: &'static [u16],
    pub(crate) handler: MethodRouter<Arc<HttpState>>,
}

pub(crate) fn draw<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Route {
    /// Makes a route that can fail like most: the subject does not exist, or the settings are broken.
    pub(crate) fn new<T: 'static>(
        (filter, method): Method,
        path: &'static str,
        name: &'static str,
        handler: impl Handler<T, Arc<HttpState>>,
    ) -> Route {
        let (query, body, answers, fails, handler) = (None, None, Vec::new(), &[404, 409], on(filter, handler));
        Route { method, path, name, about: "", query, body, answers, fails, handler }
    }

    pub(crate) fn about(mut self, about: &'static str) -> Route {
        self.about = about;
        self
    }

    pub(crate) fn query<T: JsonSchema>(mut self) -> Route {
        self.query = Some(|generator| T::json_schema(generator));
        self
    }

    pub(crate) fn body<T: JsonSchema>(mut self) -> Route {
        self.body = Some(draw::<T>);
        self
    }

    pub(crate) fn json<T: JsonSchema>(self, status: u16, about: &'static str) -> Route {
        self.answer(status, about, vec![Content::Json(draw::<T>)])
    }

    pub(crate) fn answer(mut self, status: u16, about: &'static str, content: Vec<Content>) -> Route {
        self.answers.push(RouteResponse { status, about, content });
        self
    }

    /// Says how it can fail instead.
    pub(crate) fn fails(mut self, statuses: &'static [u16]) -> Route {
        self.fails = statuses;
        self
    }
}
