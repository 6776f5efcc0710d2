//! Targets and what they need of each other.

use std::collections::BTreeSet;

use crate::map::{CodeMap, KNOWN_CALL};

/// Fills in what the files of each target import or call of others.
pub(crate) fn link(map: &mut CodeMap) {
    let mut needs: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); map.targets.len()];
    let target = |file: crate::map::FileId| map.files[file.0 as usize].target;
    for edge in &map.imports {
        let (from, to) = (target(edge.from), target(edge.to));
        if from != to {
            needs[from as usize].insert(to);
        }
    }
    for call in map
        .calls
        .iter()
        .filter(|call| call.confidence >= KNOWN_CALL)
    {
        let (from, to) = (
            target(call.file),
            target(map.symbols[call.callee.0 as usize].file),
        );
        if from != to {
            needs[from as usize].insert(to);
        }
    }
    for (target, needs) in map.targets.iter_mut().zip(needs) {
        target.dependencies = needs.into_iter().collect();
    }
}
