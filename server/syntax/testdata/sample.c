// it's a "comment" \
   and goes on
#include "a.h"
/* eval("x") */
char quote(void) {
    const char *text = "say \"hi\" // none 饼干";
    const wchar_t *wide = L"x";
    return text[0] / 2 == '\'' ? '"' : wide[0]; // done
}
