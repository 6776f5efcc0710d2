//! What is told of a project from its code and its recipes together, without a
//! model: dimensions with their gaps, the briefing of a project that is new,
//! whether recipes still hold, topics of a wiki, the panorama and its pictures.
//!
//! Tables and formulas; who asks and how the answer travels is not known here.

pub(crate) mod briefing;
pub(crate) mod dimensions;
pub(crate) mod evidence;
pub(crate) mod feedback;
pub(crate) mod panorama;
pub(crate) mod picture;
pub(crate) mod relevance;
pub(crate) mod session;
#[cfg(test)]
pub(crate) mod test_map;
pub(crate) mod wiki;
