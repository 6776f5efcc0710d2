// it's a "comment"
import 'dart:io';

/// Says "hi".
class Sample {
  final text = 'hi ${list.map((x) => "<$x>").join()} and $name.x // none \' 饼干';
  final raw = r'a \ $no' + "it's";
  /* outer /* inner */ still "comment" */
  final block = '''a 'quoted'
// no comment $name''';
  double half(int a, int b) => a / b / 2; // done
}
