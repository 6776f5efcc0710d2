//! Where everything stands: layers as bands, modules in rows of a band, in an
//! order that keeps edges short.

use super::{LineKind, Picture, counted};

/// Where the bands begin.
pub(super) const LEFT: f64 = 32.0;
pub(super) const TOP: f64 = 112.0;
/// The column of the names of layers.
pub(super) const LABEL: f64 = 118.0;
/// The room for modules.
pub(super) const ROOM: f64 = 820.0;
/// The column of the dimensions.
pub(super) const SIDE: f64 = 312.0;
const SIDE_GAP: f64 = 28.0;

pub(super) const TILE_HEIGHT: f64 = 62.0;
const TILE_GAP: f64 = 18.0;
const ROW_GAP: f64 = 34.0;
const PADDING: f64 = 18.0;
const BAND_GAP: f64 = 34.0;
const NARROWEST: f64 = 126.0;
const WIDEST: f64 = 232.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rect {
    pub(super) fn middle(&self) -> f64 {
        self.x + self.width / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) bands: Vec<Rect>,
    pub(super) tiles: Vec<Rect>,
    /// The path of each edge.
    pub(super) paths: Vec<String>,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Where the column of dimensions begins.
    pub(super) side: f64,
}

/// About how wide a text is at so many points.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars()
        .map(|c| match c {
            'i' | 'l' | 'j' | 't' | 'f' | 'r' | '.' | ',' | '-' | '/' | ' ' => 0.36,
            'm' | 'w' | 'M' | 'W' => 0.86,
            c if c.is_ascii_uppercase() => 0.68,
            c if c.is_ascii() => 0.56,
            // Chinese characters and the like are square.
            _ => 1.0,
        })
        .sum::<f64>()
        * size
}

/// What stands below the name of a module.
pub(super) fn facts_of(files: usize, recipes: usize) -> String {
    match recipes {
        0 => counted(files, "file"),
        count => format!("{} · {}", counted(files, "file"), counted(count, "recipe")),
    }
}

/// A text that is not wider than that.
pub(super) fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    // The end of a path says more than its beginning.
    let letters: Vec<char> = text.chars().collect();
    for from in 1..letters.len() {
        let shown: String = std::iter::once('…')
            .chain(letters[from..].iter().copied())
            .collect();
        if text_width(&shown, size) <= width {
            return shown;
        }
    }
    "…".to_owned()
}

pub(super) fn layout(picture: &Picture) -> Layout {
    let order = ordered(picture);
    let widths: Vec<f64> = picture
        .modules
        .iter()
        .map(|module| {
            let facts = facts_of(module.files, module.recipes.len());
            // The name is bold, which is wider.
            let widest = (text_width(&module.name, 14.0) * 1.1).max(text_width(&facts, 11.5));
            (widest + 42.0).clamp(NARROWEST, WIDEST)
        })
        .collect();
    let mut tiles = vec![Rect::default(); picture.modules.len()];
    let mut bands = Vec::new();
    let mut y = TOP;
    let (padding, gap) = stretched(picture, &order, &widths);
    for (band, order) in picture.layers.iter().zip(&order) {
        let mut row_y = y + padding;
        for row in rows(order, &widths) {
            let width: f64 = row.iter().map(|at| widths[*at]).sum::<f64>()
                + TILE_GAP * (row.len().saturating_sub(1)) as f64;
            let mut x = LEFT + LABEL + ((ROOM - width) / 2.0).max(0.0);
            for at in row {
                tiles[at] = Rect {
                    x,
                    y: row_y,
                    width: widths[at],
                    height: TILE_HEIGHT,
                };
                x += widths[at] + TILE_GAP;
            }
            row_y += TILE_HEIGHT + ROW_GAP;
        }
        let more = if band.more > 0 { 16.0 } else { 0.0 };
        let height = (row_y - ROW_GAP + padding + more - y).max(TILE_HEIGHT + 2.0 * padding);
        bands.push(Rect {
            x: LEFT,
            y,
            width: LABEL + ROOM + PADDING,
            height,
        });
        y += height + gap;
    }
    let side = LEFT + LABEL + ROOM + PADDING + SIDE_GAP;
    let diagram = y - gap + 52.0;
    Layout {
        paths: paths(picture, &tiles),
        bands,
        tiles,
        width: side + SIDE + LEFT,
        height: diagram.max(side_height(picture)),
        side,
    }
}

/// The inner margin and the distance of bands: larger where the column beside
/// them is higher than they are.
fn stretched(picture: &Picture, order: &[Vec<usize>], widths: &[f64]) -> (f64, f64) {
    let bands = order.len() as f64;
    let content: f64 = order
        .iter()
        .map(|order| rows(order, widths).len() as f64 * (TILE_HEIGHT + ROW_GAP) - ROW_GAP)
        .sum();
    let natural = TOP + content + bands * 2.0 * PADDING + (bands - 1.0).max(0.0) * BAND_GAP + 52.0;
    let room = (side_height(picture) - natural).max(0.0);
    if bands < 2.0 {
        return (PADDING + (room / 2.0).min(60.0), BAND_GAP);
    }
    (
        PADDING + (room * 0.4 / bands / 2.0).min(34.0),
        BAND_GAP + (room * 0.6 / (bands - 1.0)).min(90.0),
    )
}

/// The roles in the order in which they are explained, each with its place in
/// the column.
pub(super) fn legend(picture: &Picture) -> Vec<(asd_codemap::Role, f64, usize)> {
    let mut roles: Vec<asd_codemap::Role> = picture.modules.iter().map(|m| m.role).collect();
    roles.sort_unstable();
    roles.dedup();
    let (mut at, mut row) = (0.0, 0);
    roles
        .into_iter()
        .map(|role| {
            let width = text_width(role.as_str(), 12.5) + 32.0;
            if at + width > SIDE {
                at = 0.0;
                row += 1;
            }
            let place = (role, at, row);
            at += width;
            place
        })
        .collect()
}

/// Where the column of dimensions ends.
fn side_height(picture: &Picture) -> f64 {
    let list = |count: usize| {
        if count == 0 {
            0.0
        } else {
            42.0 + 24.0 * count.min(4) as f64
        }
    };
    let up = picture
        .edges
        .iter()
        .filter(|line| line.kind == LineKind::Up)
        .count();
    let legend = legend(picture)
        .last()
        .map_or(0.0, |(_, _, row)| *row as f64 * 22.0);
    TOP + 16.0
        + 34.0
        + picture.rows.len() as f64 * 25.0
        + 18.0
        + list(picture.cycles.len())
        + list(up)
        + 30.0
        + legend
        + 40.0
}

/// Rows of a band, each as full as the room allows, of about equal width.
fn rows(order: &[usize], widths: &[f64]) -> Vec<Vec<usize>> {
    let total: f64 = order.iter().map(|at| widths[*at] + TILE_GAP).sum();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few rows"
    )]
    let count = ((total / ROOM).ceil() as usize).max(1);
    let each = order.len().div_ceil(count).max(1);
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = 0.0;
    for at in order {
        let fits = used + widths[*at] <= ROOM;
        match rows.last_mut() {
            Some(row) if fits && row.len() < each => row.push(*at),
            _ => {
                rows.push(vec![*at]);
                used = 0.0;
            }
        }
        used += widths[*at] + TILE_GAP;
    }
    rows
}

/// The modules of each layer, those with neighbours at the left on the left.
fn ordered(picture: &Picture) -> Vec<Vec<usize>> {
    let mut order: Vec<Vec<usize>> = picture
        .layers
        .iter()
        .map(|band| band.modules.clone())
        .collect();
    let mut position = vec![0.0; picture.modules.len()];
    let note = |order: &[usize], position: &mut [f64]| {
        for (index, at) in order.iter().enumerate() {
            // Between 0 and 1, whatever the length of the layer.
            position[*at] = (index as f64 + 0.5) / order.len() as f64;
        }
    };
    for layer in &order {
        note(layer, &mut position);
    }
    for _ in 0..6 {
        let downward = 0..order.len();
        for at in downward.clone().chain(downward.rev()) {
            let mut keyed: Vec<(f64, usize)> = order[at]
                .iter()
                .map(|module| (centre(picture, *module, &position), *module))
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            order[at] = keyed.into_iter().map(|(_, module)| module).collect();
            note(&order[at], &mut position);
        }
    }
    order
}

/// The mean place of a module's neighbours, by weight.
fn centre(picture: &Picture, module: usize, position: &[f64]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for line in &picture.edges {
        let other = match (line.from == module, line.to == module) {
            (true, false) => line.to,
            (false, true) => line.from,
            _ => continue,
        };
        let weight = (1.0 + line.weight).ln();
        sum += weight * position[other];
        weights += weight;
    }
    if weights == 0.0 {
        position[module]
    } else {
        sum / weights
    }
}

/// Curves from tile to tile; their ends are spread along the sides of a tile.
fn paths(picture: &Picture, tiles: &[Rect]) -> Vec<String> {
    let goes_down = |at: usize| {
        let line = &picture.edges[at];
        tiles[line.from].y < tiles[line.to].y
    };
    let is_level = |at: usize| {
        let line = &picture.edges[at];
        (tiles[line.from].y - tiles[line.to].y).abs() < 0.5
    };
    let mut starts = vec![(0.0, 0.0); picture.edges.len()];
    let mut ends = starts.clone();
    for (module, tile) in tiles.iter().enumerate() {
        // The ends at the lower side, and at the upper one, each from the left.
        let mut lower: Vec<(f64, usize, bool)> = Vec::new();
        let mut upper: Vec<(f64, usize, bool)> = Vec::new();
        for (at, line) in picture.edges.iter().enumerate() {
            if line.from == module {
                let end = (tiles[line.to].middle(), at, true);
                if goes_down(at) || is_level(at) {
                    lower.push(end)
                } else {
                    upper.push(end)
                }
            }
            if line.to == module {
                let end = (tiles[line.from].middle(), at, false);
                if is_level(at) || !goes_down(at) {
                    lower.push(end)
                } else {
                    upper.push(end)
                }
            }
        }
        for (side, y) in [(&mut lower, tile.bottom()), (&mut upper, tile.y)] {
            side.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let count = side.len() as f64;
            for (index, (_, at, is_start)) in side.iter().enumerate() {
                let share = 0.5 + (index as f64 + 0.5 - count / 2.0) / count * 0.72;
                let point = (tile.x + tile.width * share, y);
                if *is_start {
                    starts[*at] = point;
                } else {
                    ends[*at] = point;
                }
            }
        }
    }
    (0..picture.edges.len())
        .map(|at| {
            let ((x1, y1), (x2, y2)) = (starts[at], ends[at]);
            if is_level(at) {
                let dip = y1 + 26.0 + ((x2 - x1).abs() / 40.0).min(14.0);
                return format!(
                    "M{x1:.1} {y1:.1}C{x1:.1} {dip:.1} {x2:.1} {dip:.1} {x2:.1} {y2:.1}"
                );
            }
            let bend = ((y2 - y1).abs() * 0.5).max(24.0);
            let sign = if y2 > y1 { 1.0 } else { -1.0 };
            let (c1, c2) = (y1 + sign * bend, y2 - sign * bend);
            format!("M{x1:.1} {y1:.1}C{x1:.1} {c1:.1} {x2:.1} {c2:.1} {x2:.1} {y2:.1}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_wide_keeps_its_end() {
        assert_eq!(fitted("abc", 14.0, 100.0), "abc");
        let shown = fitted("server/a/very/long/path/to/module", 14.0, 100.0);
        assert!(
            shown.starts_with('…') && shown.ends_with("module"),
            "{shown}"
        );
        assert!(text_width(&shown, 14.0) <= 100.0);
        assert!(text_width("网络", 10.0) > text_width("ne", 10.0));
    }

    #[test]
    fn rows_are_of_about_equal_length_and_fit() {
        let widths = vec![200.0; 9];
        let order: Vec<usize> = (0..9).collect();
        let rows = rows(&order, &widths);
        assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 3]);
    }
}
