//! Activating skills: reading them, asking for permissions, running their commands, and drawing the messages.

mod attach;
mod finish;
mod fork;
mod load;
mod loading;
mod operation;
mod outcome;
mod preload;
mod reattach;
mod shell;
mod template;

pub(crate) use finish::finish_texts;
pub use fork::ForkPlan;
pub(crate) use load::load;
pub(crate) use loading::Loading;
pub use operation::Activation;
pub use outcome::{ActivatedSkill, ActivationOutcome};
pub use preload::{Pinned, Preloaded, PreloadedSkill};
pub use reattach::{ReattachLimits, Reattached, ReattachedSkill};
pub use template::SkillTemplate;
