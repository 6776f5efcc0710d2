// it's a "comment"
/// <summary>Says "hi".</summary>
class Sample {
    char quote = '"', apostrophe = '\'';
    string path = @"c:\dir" + @"say ""hi"" // none"; /* eval("x") */
    string text = $"hi {list.Select(x => "<" + x + ">")} and {{no}} 饼干";
    string raw = """a "quoted" \ here""";
    int Half(int a, int b) { return a / b / 2; }
}
