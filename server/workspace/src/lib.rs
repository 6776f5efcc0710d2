//! One opened project: its configuration, recipes and rules as one immutable
//! [`ProjectState`], made anew when something changes, and what is asked of it
//! (checks of a text or of the whole tree, recipes by trigger, a search).
//!
//! The doors hold a state and never change one.
