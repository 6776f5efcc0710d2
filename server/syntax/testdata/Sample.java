// it's a "comment"
package a;

/** Says "hi". */
class Sample {
    char quote = '"', apostrophe = '\'';
    String text = "say \"hi\" // no comment"; /* eval("x") */
    String block = """
        First "line" // no comment
        \""" 饼干
        """;

    int half(int a, int b) { return a / b / 2; }
}
