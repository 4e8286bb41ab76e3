//! What comes of calls and looks, as the JSON that others build on: one conversion, whoever asks.

mod activation;
mod prompt;
mod question;

pub use activation::{activate_answer, message_line, notice_line, refused_line};
pub use prompt::{Beginning, BeginningError, Onlooker, prompt_answer};
pub use question::question_line;
