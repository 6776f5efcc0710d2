//! Modules of Swift.

use super::{Meaning, Resolver};

impl Resolver<'_> {
    pub(super) fn swift_module(&self, module: &str) -> Option<Meaning> {
        let name = module.split('.').next().unwrap_or(module);
        Some(
            self.layout
                .swift
                .get(name)
                .map_or(Meaning::External, |package| Meaning::Package(*package)),
        )
    }
}
