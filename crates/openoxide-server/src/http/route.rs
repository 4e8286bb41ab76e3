//! Describes a route: its address, its input, its answers and its handler.

use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, post};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::state::HttpState;

/// Draws the schema of a type.
pub(crate) type Draw = fn(&mut SchemaGenerator) -> Schema;

/// What comes back.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// Nothing.
    Nothing,
    /// JSON.
    Json(Draw),
    /// Something else, by its type.
    Other(&'static str),
}

/// An answer that a route can give.
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
    /// Errors, by their status.
    pub(crate) fails: Vec<u16>,
    pub(crate) handler: MethodRouter<HttpState>,
}

fn draw<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Route {
    fn new(method: &'static str, path: &'static str, name: &'static str, handler: MethodRouter<HttpState>) -> Route {
        let (query, body, answers, fails) = (None, None, Vec::new(), Vec::new());
        Route { method, path, name, about: "", query, body, answers, fails, handler }
    }

    pub(crate) fn get<T: 'static>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<T, HttpState>,
    ) -> Route {
        Route::new("get", path, name, get(handler))
    }

    pub(crate) fn post<T: 'static>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<T, HttpState>,
    ) -> Route {
        Route::new("post", path, name, post(handler))
    }

    pub(crate) fn delete<T: 'static>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<T, HttpState>,
    ) -> Route {
        Route::new("delete", path, name, delete(handler))
    }

    /// Says what it is for.
    pub(crate) fn about(mut self, about: &'static str) -> Route {
        self.about = about;
        self
    }

    /// Says what its query can hold.
    pub(crate) fn query<T: JsonSchema>(mut self) -> Route {
        self.query = Some(|generator| T::json_schema(generator));
        self
    }

    /// Says what its body holds.
    pub(crate) fn body<T: JsonSchema>(mut self) -> Route {
        self.body = Some(draw::<T>);
        self
    }

    /// Says that it can answer JSON.
    pub(crate) fn json<T: JsonSchema>(self, status: u16, about: &'static str) -> Route {
        self.answer(status, about, vec![Content::Json(draw::<T>)])
    }

    /// Says what it can answer.
    pub(crate) fn answer(mut self, status: u16, about: &'static str, content: Vec<Content>) -> Route {
        self.answers.push(RouteResponse { status, about, content });
        self
    }

    /// Says how it can fail, besides the ways that every route can.
    pub(crate) fn fails(mut self, statuses: &[u16]) -> Route {
        self.fails.extend(statuses);
        self
    }
}

impl Content {
    /// Returns JSON of a type.
    pub(crate) fn of<T: JsonSchema>() -> Content {
        Content::Json(draw::<T>)
    }
}
