//! The picture as a Mermaid flowchart, for Markdown.

use std::fmt::Write as _;

use super::{LineKind, Picture, counted};

/// Mermaid draws more edges than these badly.
const MOST_EDGES: usize = 40;

pub(super) fn draw(picture: &Picture) -> String {
    let mut out = String::from("flowchart TB\n");
    for (at, band) in picture.layers.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  subgraph L{at}[\"{}\"]", text(&band.name));
        out.push_str("    direction LR\n");
        for module in &band.modules {
            let tile = &picture.modules[*module];
            let known = match tile.recipes.len() {
                0 => String::new(),
                count => format!(", {}", counted(count, "recipe")),
            };
            let class = if tile.in_cycle {
                "cycle"
            } else if tile.coverage >= 0.5 {
                "known"
            } else if tile.coverage > 0.0 {
                "partly"
            } else {
                "unknown"
            };
            let _ = writeln!(
                out,
                "    m{module}[\"{}<br/><small>{}{known}</small>\"]:::{class}",
                text(&tile.name),
                counted(tile.files, "file")
            );
        }
        out.push_str("  end\n");
    }
    let mut styles = String::new();
    for (at, edge) in picture.edges.iter().take(MOST_EDGES).enumerate() {
        let arrow = match edge.kind {
            LineKind::Up => "-.->",
            _ if edge.mutual => "<-->",
            _ => "-->",
        };
        let _ = writeln!(out, "  m{} {arrow} m{}", edge.from, edge.to);
        let colour = match edge.kind {
            LineKind::Down => continue,
            LineKind::Cycle => "#f08c00",
            LineKind::Up => "#e03131",
        };
        let _ = writeln!(styles, "  linkStyle {at} stroke:{colour},stroke-width:2px");
    }
    out.push_str(&styles);
    out.push_str("  classDef known fill:#d3f9d8,stroke:#2f9e44,color:#1d2320\n");
    out.push_str("  classDef partly fill:#fff3bf,stroke:#f08c00,color:#1d2320\n");
    out.push_str("  classDef unknown fill:#f1f3f1,stroke:#adb5bd,color:#1d2320\n");
    out.push_str("  classDef cycle fill:#ffe8cc,stroke:#f08c00,stroke-width:2px,color:#1d2320\n");
    out
}

/// A text that is safe in a quoted label.
fn text(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '#' => out.push_str("#35;"),
            '&' => out.push_str("#amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
