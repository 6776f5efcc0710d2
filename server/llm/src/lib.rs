//! Model providers behind one streaming trait with eleven event kinds: wire
//! formats and their habits, retries, usage and cost, schemas of tools, and calls
//! that a model writes as text.
//!
//! What is said to a model is decided in `agent`.
