use asd_codemap::{CodeMap, module_graph};

use super::super::dimensions::active;
use super::super::panorama::Panorama;
use super::super::test_map::map;
use super::*;

fn picture(map: &CodeMap, name: &str) -> Picture {
    let graph = module_graph(map, &[]);
    let panorama = Panorama::new(map, &graph, Vec::new(), &active(map));
    Picture::of(name, &panorama)
}

fn three() -> CodeMap {
    map(&[
        ("net/a.py", "def a(): pass\n"),
        ("ui/b.py", "from net.a import a\ndef b(): a()\n"),
        (
            "main.py",
            "from ui.b import b\nfrom net.a import a\nb()\na()\n",
        ),
    ])
}

#[test]
fn layers_stand_from_the_top_down_and_edges_lead_downward() {
    let picture = picture(&three(), "demo");
    let names: Vec<&str> = picture
        .modules
        .iter()
        .map(|module| module.name.as_str())
        .collect();
    assert_eq!(names, ["root", "ui", "net"]);
    let layout = layout::layout(&picture);
    assert!(layout.tiles[0].bottom() < layout.tiles[1].y);
    assert!(layout.tiles[1].bottom() < layout.tiles[2].y);
    assert!(picture.edges.iter().all(|edge| edge.kind == LineKind::Down));
    assert_eq!(
        picture.edges.len(),
        2,
        "what follows from others is left out"
    );
    assert_eq!(picture.hidden_edges, 1);
    assert_eq!(picture.modules[0].needs, ["net", "ui"]);
}

#[test]
fn tiles_do_not_overlap_and_stay_inside_also_when_there_are_many() {
    let mut files: Vec<(String, String)> = Vec::new();
    for folder in 0..40 {
        let needs = if folder > 25 {
            format!("from package_{:02}.a import f\nf()\n", folder - 20)
        } else {
            String::new()
        };
        files.push((
            format!("package_{folder:02}/a.py"),
            format!("{needs}def f(): pass\n"),
        ));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let picture = picture(&map(&files), "many");
    assert_eq!(
        picture.layers.iter().map(|band| band.more).sum::<usize>(),
        2
    );
    let layout = layout::layout(&picture);
    for (at, one) in layout.tiles.iter().enumerate() {
        assert!(one.x >= 0.0 && one.x + one.width <= layout.side && one.bottom() <= layout.height);
        for other in &layout.tiles[at + 1..] {
            let apart = one.x + one.width <= other.x
                || other.x + other.width <= one.x
                || one.bottom() <= other.y
                || other.bottom() <= one.y;
            assert!(apart, "{one:?} {other:?}");
        }
    }
}

#[test]
fn circles_are_drawn_as_such() {
    let map = map(&[
        ("a/x.py", "from b.y import g\ndef f(): g()\n"),
        ("b/y.py", "from a.x import f\ndef g(): f()\n"),
    ]);
    let picture = picture(&map, "round");
    assert_eq!(picture.cycles, [["a", "b"]]);
    assert!(picture.modules.iter().all(|module| module.in_cycle));
    let svg = picture.draw(PictureFormat::Svg);
    assert!(svg.contains("class=\"e cycle\"") && svg.contains("a ⇄ b"));
    assert_eq!(picture.edges.len(), 1, "there and back is one line");
    assert_eq!(picture.hidden_edges, 0);
    let mermaid = picture.draw(PictureFormat::Mermaid);
    assert!(mermaid.contains("m0 <--> m1") && mermaid.contains("linkStyle 0 stroke:#f08c00"));
}

#[test]
fn equal_projects_give_equal_bytes() {
    for format in [
        PictureFormat::Svg,
        PictureFormat::Mermaid,
        PictureFormat::Html,
    ] {
        let one = picture(&three(), "demo").draw(format);
        assert_eq!(one, picture(&three(), "demo").draw(format));
    }
}

#[test]
fn names_cannot_break_out_of_the_picture() {
    let picture = picture(&three(), "</script><script>alert('x')</script>\"");
    for format in [PictureFormat::Svg, PictureFormat::Html] {
        let drawn = picture.draw(format);
        assert!(!drawn.contains("<script>alert"), "{drawn}");
    }
    let mut picture = picture;
    picture.modules[0].name = "a\"]--><b>".to_owned();
    assert!(
        picture
            .draw(PictureFormat::Mermaid)
            .contains("a#quot;]--#gt;#lt;b#gt;")
    );
    picture.modules[0].recipes = vec!["</script><img>".to_owned()];
    assert!(!picture.draw(PictureFormat::Html).contains("</script><img>"));
}

#[test]
fn an_empty_project_has_a_picture_too() {
    let picture = picture(&CodeMap::default(), "empty");
    assert!(picture.draw(PictureFormat::Svg).ends_with("</svg>\n"));
    assert!(
        picture
            .draw(PictureFormat::Mermaid)
            .starts_with("flowchart TB\n")
    );
}
