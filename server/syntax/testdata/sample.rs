//! It's a "crate".
/* outer /* inner */ still "comment" */
/// Says 'hi'.
fn quote<'a>(x: &'a str) -> char {
    let raw = r#"a "quoted" \"#; // it's
    let bytes = b"x\"" as &[u8];
    'outer: loop {
        break 'outer;
    }
    if x == "饼干 // none" { '"' } else { '\'' }
}
