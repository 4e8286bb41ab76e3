//! What comes of calls and looks, as the JSON that others build on: one conversion, whoever asks.

mod activation;
mod change;
mod hosts;
mod prompt;
mod question;
mod roots;

pub use activation::{activate_answer, message_line, notice_line, refused_line};
pub use change::{change_answer, setting_answer, switch_answer};
pub use hosts::{Rows, hosts_answer, hosts_matrix};
pub use prompt::{Beginning, BeginningError, Onlooker, prompt_answer};
pub use question::question_line;
pub use roots::roots_answer;
