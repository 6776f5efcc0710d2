// as:search how do we retry
// @as:s 网络
// as:abc is none
const s = "// as:search in a string";
call(); // asd:ignore no-console, no-eval -- needed here
/* asd:ignore-file no-console */
// see @net-client and @param, not mail@my-host or @scope-x/pkg
/** @deprecated use {@link Foo} and @net-client */
