// it's a "comment"
#include "a.h"
/* eval("x") */
auto raw = R"x(a "quoted" )" \ // none )x";
auto number = 1'000'000;
auto text = u8"say \"hi\"";
char quote() { return '\''; } // done
