// it's a "comment"
package a

/* outer /* inner */ still "comment" */
class Sample(val name: String) {
    val quote = '"'
    val text = "hi ${list.map { "<$it>" }} and $name.x // no comment \" 饼干"
    val raw = """a "quoted" \ $name ${name.length}"""
    fun `it's a test`() = 1 / 2 // done
}
