//! What comes of calls and looks, as the JSON that others build on: one conversion, whoever asks.

mod activation;
mod question;

pub use activation::{activate_answer, message_line, notice_line, refused_line};
pub use question::question_line;
