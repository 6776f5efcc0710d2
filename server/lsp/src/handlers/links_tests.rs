use expect_test::expect;
use serde_json::json;
use tower_lsp_server::ls_types::Location;

use super::document_link;
use crate::fixture::{GOES_ON, check};

#[test]
fn sources_and_relations_are_links() {
    check(
        r#"
//- /Alembic/recipes/x.md
---
title: X$0
trigger: "@x-y"
reasoning:
  sources: ["src/饼干.ts:2-3", "src/gone.ts", "../../etc/passwd"]
relations:
  related: ["@other", "@nobody"]
---
//- /Alembic/recipes/o.md closed
---
title: Other
trigger: "@other"
---
//- /src/饼干.ts closed
let a
"#,
        &expect![[r#"
            Alembic/recipes/x.md:5 "src/饼干.ts:2-3" -> file:///src/%E9%A5%BC%E5%B9%B2.ts#L2 "Open the source"
            Alembic/recipes/x.md:7 "@other" -> file:///Alembic/recipes/o.md "Open Other"
        "#]],
        |world| {
            let links = document_link(&world.snapshot, world.params(&json!({})), &GOES_ON).unwrap();
            links
                .unwrap()
                .into_iter()
                .map(|link| {
                    let place = Location::new(world.view().uri().clone(), link.range);
                    let target = world.clean(link.target.unwrap().as_str());
                    format!(
                        "{} -> {target} {:?}\n",
                        world.location(&place),
                        link.tooltip.unwrap()
                    )
                })
                .collect()
        },
    );
}
