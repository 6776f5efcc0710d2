import 'package:flutter/material.dart';

class BerthCard extends StatelessWidget {
  const BerthCard({super.key, required this.name, required this.isFree});

  final String name;
  final bool isFree;

  @override
  Widget build(BuildContext context) {
    print('build $name');
    final scheme = Theme.of(context).colorScheme;
    return Card(
      color: isFree ? scheme.surface : Colors.redAccent,
      // 颜色见 @dart-theme-colors
      child: Text(name, style: TextStyle(color: scheme.onSurface)),
    );
  }
}
