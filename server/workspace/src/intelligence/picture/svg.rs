//! The picture as SVG.

use std::fmt::Write as _;

use super::layout::{
    LABEL, LEFT, Layout, Rect, SIDE, TILE_HEIGHT, TOP, facts_of, fitted, layout, legend as roles,
    text_width,
};
use super::{Line, LineKind, Picture, Status, Tile, colour, counted, escaped};

const STYLE: &str = "\
.bg{fill:#fcfcfb}.band{fill:#f1f3f1}.tile{fill:#fff;stroke:#d5dad6;stroke-width:1}\
.t{fill:#1d2320}.m{fill:#67706b}.track{fill:#e4e8e5}.rule{stroke:#dfe3e0}\
.e{fill:none;stroke:#93a09a;stroke-linecap:round}.e.cycle{stroke:#f08c00}.e.up{stroke:#e03131;stroke-dasharray:6 5}\
.ring{fill:none;stroke:#f08c00;stroke-width:2}\
@media(prefers-color-scheme:dark){.bg{fill:#17191c}.band{fill:#1f2327}.tile{fill:#282d32;stroke:#3b4248}\
.t{fill:#e8ecea}.m{fill:#98a29d}.track{fill:#363d42}.rule{stroke:#343a40}.e{stroke:#6f7c77}}";

const FONT: &str = "font-family=\"ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','PingFang SC','Noto Sans CJK SC',sans-serif\"";

pub(super) fn draw(picture: &Picture) -> String {
    let layout = layout(picture);
    let mut out = String::new();
    let (width, height) = (layout.width, layout.height);
    line(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{}\" {FONT}>",
            escaped(&format!("Architecture of {}", picture.name))
        ),
    );
    line(&mut out, format_args!("<style>{STYLE}</style>"));
    line(
        &mut out,
        format_args!(
            "<defs>{}{}{}</defs>",
            arrow("a", "#93a09a"),
            arrow("a-cycle", "#f08c00"),
            arrow("a-up", "#e03131")
        ),
    );
    line(
        &mut out,
        format_args!("<rect class=\"bg\" width=\"{width:.0}\" height=\"{height:.0}\"/>"),
    );
    head(&mut out, picture, &layout);
    for (band, rect) in picture.layers.iter().zip(&layout.bands) {
        line(
            &mut out,
            format_args!(
                "<rect class=\"band\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"14\"/>",
                rect.x, rect.y, rect.width, rect.height
            ),
        );
        name_of_band(&mut out, &band.name, band.more, rect);
    }
    // What is wrong lies above what is right.
    let mut drawn: Vec<(&Line, &String)> = picture.edges.iter().zip(&layout.paths).collect();
    drawn.sort_by_key(|(edge, _)| edge.kind != LineKind::Down);
    for (edge, path) in drawn {
        draw_edge(&mut out, edge, path);
    }
    for (at, (module, rect)) in picture.modules.iter().zip(&layout.tiles).enumerate() {
        tile(&mut out, at, module, rect);
    }
    side(&mut out, picture, &layout);
    out.push_str("</svg>\n");
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}

fn arrow(id: &str, colour: &str) -> String {
    format!(
        "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\">\
         <path d=\"M0.5 0.8L7.5 4L0.5 7.2Z\" fill=\"{colour}\"/></marker>"
    )
}

fn head(out: &mut String, picture: &Picture, layout: &Layout) {
    line(
        out,
        format_args!(
            "<text class=\"t\" x=\"{LEFT}\" y=\"56\" font-size=\"27\" font-weight=\"650\" letter-spacing=\"-0.3\">{}</text>",
            escaped(&fitted(&picture.name, 27.0, 760.0))
        ),
    );
    let parts = [
        counted(picture.modules.len(), "module"),
        counted(picture.layers.len(), "layer"),
        counted(picture.files, "file"),
        counted(picture.recipes, "recipe"),
        format!("{:.0} % covered", picture.coverage * 100.0),
    ];
    line(
        out,
        format_args!(
            "<text class=\"m\" x=\"{LEFT}\" y=\"82\" font-size=\"14\">{}</text>",
            escaped(&parts.join("  ·  "))
        ),
    );
    let (x, y, radius) = (layout.side + SIDE - 36.0, 60.0, 28.0);
    let around = std::f64::consts::TAU * radius;
    let filled = around * (picture.health / 100.0).clamp(0.0, 1.0);
    let shade = health_colour(picture.health);
    line(
        out,
        format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" stroke-width=\"7\" class=\"rule\"/>\
             <circle cx=\"{x:.1}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" stroke-width=\"7\" stroke=\"{shade}\" \
             stroke-linecap=\"round\" stroke-dasharray=\"{filled:.1} {around:.1}\" transform=\"rotate(-90 {x:.1} {y})\"/>\
             <text class=\"t\" x=\"{x:.1}\" y=\"{:.1}\" font-size=\"18\" font-weight=\"650\" text-anchor=\"middle\">{:.0}</text>",
            y + 6.5,
            picture.health
        ),
    );
    line(
        out,
        format_args!(
            "<text class=\"t\" x=\"{:.1}\" y=\"56\" font-size=\"15\" font-weight=\"600\" text-anchor=\"end\">Health</text>\
             <text class=\"m\" x=\"{:.1}\" y=\"76\" font-size=\"12\" text-anchor=\"end\">of 100</text>",
            x - 44.0,
            x - 44.0
        ),
    );
}

fn health_colour(score: f64) -> &'static str {
    if score >= 70.0 {
        "#2f9e44"
    } else if score >= 40.0 {
        "#f08c00"
    } else {
        "#e03131"
    }
}

/// The name of a layer, over several lines when it is long.
fn name_of_band(out: &mut String, name: &str, more: usize, rect: &Rect) {
    let words: Vec<&str> = name.split(' ').collect();
    let middle = rect.y + rect.height / 2.0;
    let first = middle + 5.0 - (words.len() as f64 - 1.0) * 9.0;
    for (at, word) in words.iter().enumerate() {
        line(
            out,
            format_args!(
                "<text class=\"m\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"14\" font-weight=\"600\">{}</text>",
                rect.x + 18.0,
                first + 18.0 * at as f64,
                escaped(&fitted(word, 14.0, LABEL - 24.0))
            ),
        );
    }
    if more > 0 {
        line(
            out,
            format_args!(
                "<text class=\"m\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"end\">and {more} smaller</text>",
                rect.x + rect.width - 18.0,
                rect.bottom() - 9.0
            ),
        );
    }
}

fn draw_edge(out: &mut String, edge: &Line, path: &str) {
    let (class, marker) = match edge.kind {
        LineKind::Down => ("", "a"),
        LineKind::Cycle => (" cycle", "a-cycle"),
        LineKind::Up => (" up", "a-up"),
    };
    let start = if edge.mutual {
        format!(" marker-start=\"url(#{marker})\"")
    } else {
        String::new()
    };
    let width = (0.9 + (1.0 + edge.weight).log10() * 0.9).min(3.6);
    let opacity = (0.38 + (1.0 + edge.weight).log10() * 0.14).min(0.85);
    line(
        out,
        format_args!(
            "<path class=\"e{class}\" data-from=\"{}\" data-to=\"{}\" d=\"{path}\" stroke-width=\"{width:.1}\" \
             opacity=\"{opacity:.2}\" marker-end=\"url(#{marker})\"{start}/>",
            edge.from, edge.to
        ),
    );
}

fn tile(out: &mut String, at: usize, module: &Tile, rect: &Rect) {
    let (x, y, width) = (rect.x, rect.y, rect.width);
    line(out, format_args!("<g class=\"module\" data-at=\"{at}\">"));
    let facts = [
        counted(module.files, "file"),
        counted(module.recipes.len(), "recipe"),
        format!("needs {}", module.fan_out),
        format!("needed by {}", module.fan_in),
    ];
    line(
        out,
        format_args!(
            "<title>{} ({})\n{}</title>",
            escaped(&module.name),
            module.role.as_str(),
            facts.join(", ")
        ),
    );
    line(
        out,
        format_args!(
            "<rect class=\"tile\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{TILE_HEIGHT}\" rx=\"9\"/>\
             <rect x=\"{:.1}\" y=\"{:.1}\" width=\"4\" height=\"{:.1}\" rx=\"2\" fill=\"{}\"/>",
            x + 9.0,
            y + 11.0,
            TILE_HEIGHT - 28.0,
            colour(module.role)
        ),
    );
    if module.in_cycle {
        line(
            out,
            format_args!(
                "<rect class=\"ring\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"10\"/>",
                x - 1.0,
                y - 1.0,
                width + 2.0,
                TILE_HEIGHT + 2.0
            ),
        );
    }
    line(
        out,
        format_args!(
            "<text class=\"t\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"14\" font-weight=\"600\">{}</text>\
             <text class=\"m\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"11.5\">{}</text>",
            x + 21.0,
            y + 24.0,
            escaped(&fitted(&module.name, 15.4, width - 32.0)),
            x + 21.0,
            y + 41.0,
            escaped(&shortened(
                &facts_of(module.files, module.recipes.len()),
                11.5,
                width - 26.0
            ))
        ),
    );
    let track = width - 22.0;
    line(
        out,
        format_args!(
            "<rect class=\"track\" x=\"{:.1}\" y=\"{:.1}\" width=\"{track:.1}\" height=\"4\" rx=\"2\"/>",
            x + 11.0,
            y + TILE_HEIGHT - 11.0
        ),
    );
    if module.coverage > 0.0 {
        let shade = if module.coverage >= 0.5 {
            "#2f9e44"
        } else {
            "#f08c00"
        };
        line(
            out,
            format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"4\" rx=\"2\" fill=\"{shade}\"/>",
                x + 11.0,
                y + TILE_HEIGHT - 11.0,
                (track * module.coverage).max(4.0)
            ),
        );
    }
    out.push_str("</g>\n");
}

fn side(out: &mut String, picture: &Picture, layout: &Layout) {
    let x = layout.side;
    let right = x + SIDE;
    let mut y = TOP + 16.0;
    section(
        out,
        x,
        y,
        right,
        "Knowledge",
        &format!("{:.0} of 100", picture.radar),
    );
    y += 34.0;
    for row in &picture.rows {
        let shade = match row.status {
            Status::Strong => "#2f9e44",
            Status::Adequate => "#74b816",
            Status::Weak => "#f08c00",
            Status::Missing => "#b8c0bc",
        };
        let track = 92.0;
        let start = right - track - 26.0;
        line(
            out,
            format_args!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{shade}\"/>\
                 <text class=\"t\" x=\"{:.1}\" y=\"{y:.1}\" font-size=\"13\">{}</text>\
                 <rect class=\"track\" x=\"{start:.1}\" y=\"{:.1}\" width=\"{track}\" height=\"5\" rx=\"2.5\"/>\
                 <text class=\"m\" x=\"{right:.1}\" y=\"{y:.1}\" font-size=\"12\" text-anchor=\"end\">{}</text>",
                x + 4.0,
                y - 4.5,
                x + 16.0,
                escaped(&shortened(row.label, 13.0, start - x - 24.0)),
                y - 7.0,
                row.count
            ),
        );
        if row.score > 0 {
            line(
                out,
                format_args!(
                    "<rect x=\"{start:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"5\" rx=\"2.5\" fill=\"{shade}\"/>",
                    y - 7.0,
                    track * row.score as f64 / 100.0
                ),
            );
        }
        y += 25.0;
    }
    y += 18.0;
    let up: Vec<&Line> = picture
        .edges
        .iter()
        .filter(|edge| edge.kind == LineKind::Up)
        .collect();
    if !picture.cycles.is_empty() {
        section(
            out,
            x,
            y,
            right,
            "Circles",
            &picture.cycles.len().to_string(),
        );
        y += 28.0;
        for cycle in picture.cycles.iter().take(4) {
            let text = cycle.join(" ⇄ ");
            note(out, x, y, "#f08c00", &text);
            y += 24.0;
        }
        y += 14.0;
    }
    if !up.is_empty() {
        section(
            out,
            x,
            y,
            right,
            "Against the layers",
            &up.len().to_string(),
        );
        y += 28.0;
        for edge in up.iter().take(4) {
            let name = |at: usize| picture.modules[at].name.as_str();
            note(
                out,
                x,
                y,
                "#e03131",
                &format!("{} → {}", name(edge.from), name(edge.to)),
            );
            y += 24.0;
        }
        y += 14.0;
    }
    legend(out, picture, x, y, right);
    if picture.hidden_edges > 0 {
        line(
            out,
            format_args!(
                "<text class=\"m\" x=\"{LEFT}\" y=\"{:.1}\" font-size=\"12\">{} that weigh less or follow from those shown are not drawn.</text>",
                layout.height - 24.0,
                counted(picture.hidden_edges, "dependency").replace("dependencys", "dependencies")
            ),
        );
    }
}

fn section(out: &mut String, x: f64, y: f64, right: f64, title: &str, value: &str) {
    line(
        out,
        format_args!(
            "<text class=\"t\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"14\" font-weight=\"650\">{title}</text>\
             <text class=\"m\" x=\"{right:.1}\" y=\"{y:.1}\" font-size=\"13\" text-anchor=\"end\">{value}</text>\
             <line class=\"rule\" x1=\"{x:.1}\" x2=\"{right:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
            y + 9.0,
            y + 9.0
        ),
    );
}

fn note(out: &mut String, x: f64, y: f64, shade: &str, text: &str) {
    line(
        out,
        format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{shade}\"/>\
             <text class=\"t\" x=\"{:.1}\" y=\"{y:.1}\" font-size=\"12.5\">{}</text>",
            x + 4.0,
            y - 4.0,
            x + 16.0,
            escaped(&shortened(text, 12.5, SIDE - 20.0))
        ),
    );
}

/// A text whose beginning fits.
fn shortened(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars() {
        if text_width(&shown, size) + 2.0 * size > width {
            break;
        }
        shown.push(c);
    }
    format!("{}…", shown.trim_end())
}

/// The colours of the roles that occur.
fn legend(out: &mut String, picture: &Picture, x: f64, y: f64, right: f64) {
    section(out, x, y, right, "Roles", "");
    for (role, at, row) in roles(picture) {
        let (at, row) = (x + at, y + 30.0 + row as f64 * 22.0);
        line(
            out,
            format_args!(
                "<rect x=\"{at:.1}\" y=\"{:.1}\" width=\"4\" height=\"13\" rx=\"2\" fill=\"{}\"/>\
                 <text class=\"m\" x=\"{:.1}\" y=\"{row:.1}\" font-size=\"12.5\">{}</text>",
                row - 11.0,
                colour(role),
                at + 10.0,
                role.as_str()
            ),
        );
    }
}
