//! What a project is made of: targets from manifests, symbols, imports resolved
//! to files, calls, inheritance, layers and cycles, and the conventions that the
//! code itself follows.
//!
//! Facts only, no model; how they are delivered or drawn for a protocol is not
//! known here.
