// 饼干: a trailing note. eval("x")
import Foundation

/// Keeps cookies. "not a string"
class CookieStore /* inline "quoted" */ {
    let greeting = "hi \(name.map { "<\($0)>" } ?? "none") there" // it's fine
    let raw = #"a "quoted" \n and \#(greeting) part"#
    let text = """
        First "line" // no comment
        \(greeting) /* none */
        """
    /* outer /* inner */ still "comment" */
    func half(a: Int, b: Int) -> Int { return a / b / 2 }
}
