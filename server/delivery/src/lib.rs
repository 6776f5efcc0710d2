//! Knowledge pushed into the files that IDEs and agents read: the channels, their
//! budgets, the protection of files that belong to people, MCP configuration, and
//! what `asd setup` and `asd mirror` write.
//!
//! Rendering is pure; only this room writes IDE files.
