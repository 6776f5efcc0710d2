// as:agent rename it
/* asd:ignore rust-x */
/// doc of @net-client
let x = "// @a-b"; // asd:ignore rust-no-unwrap
// plain
