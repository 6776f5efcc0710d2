//! asd
fn main() {}
