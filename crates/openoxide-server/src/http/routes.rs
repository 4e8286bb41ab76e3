//! Every route, in the order in which the document lists them.

use openoxide_wire::{ActivateAnswer, ReadAnswer};

use super::activations::{self, ActivateInput, AnswerInput, WaitingAnswer};
use super::asked::Just;
use super::files::{self, ReadQuery};
use super::route::{Content, Route};
use super::skills::{self, ListQuery, SkillAnswer, SkillsAnswer};
use super::status::{self, Nothing};

/// Returns every route.
pub(crate) fn all() -> Vec<Route> {
    let mut all = of_skills();
    all.extend(of_activations());
    all.extend(of_the_server());
    all
}

fn of_skills() -> Vec<Route> {
    vec![
        Route::get("/v1/skills", "listSkills", skills::list)
            .about("Lists the skills that count.")
            .query::<ListQuery>()
            .json::<SkillsAnswer>(200, "The skills, in the host's order.")
            .fails(&[404, 409]),
        Route::get("/v1/skills/{id}", "showSkill", skills::show)
            .about("Shows everything about one skill.")
            .query::<Just>()
            .json::<SkillAnswer>(200, "The skill.")
            .fails(&[404, 409]),
        Route::get("/v1/skills/{id}/files", "listFiles", files::top)
            .about("Lists what is in a skill's folder.")
            .query::<ReadQuery>()
            .json::<ReadAnswer>(200, "The names in the folder.")
            .fails(&[404, 409]),
        Route::get("/v1/skills/{id}/files/{*path}", "readFile", files::file)
            .about("Reads a file of a skill: its bytes, or JSON for whoever accepts that; a folder is always JSON.")
            .query::<ReadQuery>()
            .answer(
                200,
                "The file, or the names in the folder.",
                vec![Content::of::<ReadAnswer>(), Content::Other("*/*")],
            )
            .fails(&[404, 406, 409]),
    ]
}

fn of_activations() -> Vec<Route> {
    vec![
        Route::post("/v1/skills/{id}/activate", "activateSkill", activations::activate)
            .about("Calls a skill: answers what the model is sent, or asks what the user must decide first.")
            .query::<Just>()
            .body::<ActivateInput>()
            .json::<ActivateAnswer>(200, "What the model is sent.")
            .json::<WaitingAnswer>(202, "The user must decide something first.")
            .fails(&[404, 409, 415, 422]),
        Route::post("/v1/activations/{handle}", "answerQuestion", activations::answer)
            .about("Answers the question that an activation waits for.")
            .body::<AnswerInput>()
            .json::<ActivateAnswer>(200, "What the model is sent.")
            .json::<WaitingAnswer>(202, "The user must decide something else.")
            .fails(&[404, 409, 415, 422]),
        Route::delete("/v1/activations/{handle}", "dropActivation", activations::drop_it)
            .about("Drops an activation that waits for an answer.")
            .answer(204, "It waits no more.", vec![Content::Nothing])
            .fails(&[404]),
    ]
}

fn of_the_server() -> Vec<Route> {
    vec![
        Route::get("/healthz", "health", status::health)
            .about("Tells that the server answers.")
            .query::<Nothing>()
            .answer(200, "It does.", vec![Content::Other("text/plain")]),
    ]
}
