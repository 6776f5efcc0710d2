// it's a "comment"
package a

/* eval("x") */
const raw = `a "quoted" \
// no comment 饼干`

func half(a, b int) string {
	quote := '"'
	return "say \"hi\" // none" + string(quote) + string('\'') // done
}
