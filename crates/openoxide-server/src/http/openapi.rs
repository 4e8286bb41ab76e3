//! Describes the routes as an `OpenAPI` document, from the same values that make them.
//!
//! Crates that derive the document from annotations would state each route a second time.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::route::{Content, Draw, Route};
use super::routes;
use crate::answer::ErrorAnswer;
use crate::ingress::is_for_everybody;

/// How the ingress can refuse every request.
const INGRESS: [u16; 8] = [400, 401, 403, 408, 411, 413, 415, 503];

/// Returns the `OpenAPI` document of the HTTP face.
pub fn openapi() -> Value {
    let mut writer = Writer::new();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes::all() {
        let path = route.path.replace("{*", "{");
        let operation = writer.operation(&route);
        let item = paths.entry(path).or_insert_with(|| json!({}));
        item[route.method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "OpenOxide",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The Agent Skills of this machine: which are active, what they say, and what a model gets when one is called.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": writer.schemas(),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "key": { "type": "apiKey", "in": "header", "name": "x-api-key" },
            },
        },
        "security": secrets(),
    })
}

/// The ways to show the access token.
fn secrets() -> Vec<Value> {
    vec![json!({ "token": [] }), json!({ "key": [] })]
}

/// Writes operations, and keeps the schemas that they refer to.
struct Writer {
    /// For what is written.
    out: SchemaGenerator,
    /// For what is read.
    input: SchemaGenerator,
}

impl Writer {
    fn new() -> Writer {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Writer {
            out: settings().for_serialize().into_generator(),
            input: settings().for_deserialize().into_generator(),
        }
    }

    fn operation(&mut self, route: &Route) -> Value {
        let mut operation = json!({ "operationId": route.name, "summary": route.about });
        if route.method == "get" && is_for_everybody(&http::Method::GET, route.path, true) {
            // Nothing has to be shown, and what is shown must be right.
            operation["security"] = [vec![json!({})], secrets()].concat().into();
        }
        let parameters: Vec<Value> = path_parameters(route.path).chain(self.query_parameters(route.query)).collect();
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some(body) = route.body {
            let schema = body(&mut self.input).to_value();
            let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
            // An object that needs no field can be left away.
            let required = self.input.definitions().get(name).is_some_and(|schema| schema.get("required").is_some());
            let content = json!({ "application/json": { "schema": schema } });
            operation["requestBody"] = json!({ "content": content, "required": required });
        }
        let mut responses = Map::new();
        for answer in &route.answers {
            let mut response = json!({ "description": answer.about });
            for content in &answer.content {
                let (kind, schema) = match content {
                    Content::Json(draw) => ("application/json", draw(&mut self.out).into()),
                    Content::Other(kind) => (*kind, json!({ "type": "string" })),
                };
                response["content"][kind] = json!({ "schema": schema });
            }
            responses.insert(answer.status.to_string(), response);
        }
        if route.method == "get" && route.answers.iter().any(|answer| !answer.content.is_empty()) {
            responses.insert("304".to_owned(), json!({ "description": "Nothing has changed since." }));
        }
        let error = self.out.subschema_for::<ErrorAnswer>();
        for status in INGRESS.iter().chain(route.fails) {
            let about = http::StatusCode::from_u16(*status).ok().and_then(|status| status.canonical_reason());
            let content = json!({ "application/json": { "schema": error } });
            responses
                .insert(status.to_string(), json!({ "description": about.unwrap_or("Error"), "content": content }));
        }
        responses.sort_keys();
        operation["responses"] = responses.into();
        operation
    }

    fn query_parameters(&mut self, query: Option<Draw>) -> Vec<Value> {
        let Some(schema) = query.map(|draw| draw(&mut self.input).to_value()) else { return Vec::new() };
        let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let properties = schema["properties"].as_object().into_iter().flatten();
        let parameter = |(name, property): (&String, &Value)| {
            let mut schema = property.clone();
            let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            // What is left away is left away; there is no null in an address.
            if let Some(kinds) = schema["type"].as_array() {
                schema["type"] = kinds.iter().find(|kind| *kind != "null").cloned().unwrap_or(Value::Null);
            }
            json!({
                "name": name, "in": "query", "required": required(name), "schema": schema,
                "description": about.unwrap_or_default(),
            })
        };
        properties.map(parameter).collect()
    }

    fn schemas(mut self) -> Value {
        let mut all = self.out.take_definitions(true);
        all.extend(self.input.take_definitions(true));
        all.sort_keys();
        all.into()
    }
}

/// Describes the names in braces of an address.
fn path_parameters(path: &'static str) -> impl Iterator<Item = Value> {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    names.map(|name| {
        let name = name.trim_start_matches('*');
        let about = match name {
            "id" => "What the skill is called in an address: its name, or the `id` of a list.",
            "path" => "The path in the skill's folder.",
            "handle" => "What a waiting activation is called.",
            _ => "A name.",
        };
        let schema = json!({ "type": "string", "minLength": 1 });
        json!({ "name": name, "in": "path", "required": true, "schema": schema, "description": about })
    })
}
