import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Import edges and call targets by javac, a JSON object on each line.
 *
 * <pre>java JavaEdges.java ROOT SOURCE_FOLDER</pre>
 */
public class JavaEdges {
    static Path root;
    static Trees trees;

    public static void main(String[] arguments) throws Exception {
        root = Path.of(arguments[0]).toRealPath();
        List<Path> paths;
        try (var walk = Files.walk(root.resolve(arguments[1]))) {
            paths = walk.filter(p -> p.toString().endsWith(".java") && !p.endsWith("module-info.java"))
                    .sorted().toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var files = compiler.getStandardFileManager(null, null, null);
        var task = (JavacTask) compiler.getTask(null, files, d -> {}, List.of("-proc:none"), null,
                files.getJavaFileObjectsFromPaths(paths));
        trees = Trees.instance(task);
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        for (CompilationUnitTree unit : units) {
            new Scanner(unit).scan(unit, null);
        }
    }

    static String relative(CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
    }

    static class Scanner extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final SourcePositions positions = trees.getSourcePositions();

        Scanner(CompilationUnitTree unit) {
            this.unit = unit;
        }

        long line(CompilationUnitTree unit, long position) {
            return unit.getLineMap().getLineNumber(position);
        }

        @Override
        public Void visitImport(ImportTree node, Void unused) {
            TreePath path = new TreePath(getCurrentPath(), node.getQualifiedIdentifier());
            Element element = trees.getElement(path);
            if (element == null && node.isStatic()) {
                Tree of = ((MemberSelectTree) node.getQualifiedIdentifier()).getExpression();
                element = trees.getElement(new TreePath(path, of));
            }
            TreePath target = element == null || element.getKind() == ElementKind.PACKAGE ? null : trees.getPath(element);
            if (target != null && target.getCompilationUnit() != unit) {
                System.out.printf("{\"kind\":\"import\",\"from\":\"%s\",\"to\":\"%s\"}%n", relative(unit),
                        relative(target.getCompilationUnit()));
            }
            return super.visitImport(node, unused);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree node, Void unused) {
            ExpressionTree select = node.getMethodSelect();
            String name;
            long position;
            if (select instanceof MemberSelectTree member) {
                name = member.getIdentifier().toString();
                position = positions.getEndPosition(unit, select) - name.length();
            } else {
                name = select.toString();
                position = positions.getStartPosition(unit, select);
            }
            if (name.equals("this") || name.equals("super")) {
                name = "<init>";
            }
            show(name, position, trees.getElement(new TreePath(getCurrentPath(), select)));
            return super.visitMethodInvocation(node, unused);
        }

        @Override
        public Void visitNewClass(NewClassTree node, Void unused) {
            String name = node.getIdentifier().toString().replaceAll("<.*", "").replaceAll(".*\\.", "");
            Element element = trees.getElement(new TreePath(getCurrentPath(), node.getIdentifier()));
            show(name, positions.getStartPosition(unit, node.getIdentifier()), element);
            return super.visitNewClass(node, unused);
        }

        void show(String name, long position, Element element) {
            if (element == null || position < 0) {
                return;
            }
            TreePath target = trees.getPath(element);
            if (target == null && element.getKind() == ElementKind.CONSTRUCTOR) {
                target = trees.getPath(element.getEnclosingElement());
            }
            String site = String.format("\"file\":\"%s\",\"line\":%d,\"name\":\"%s\"", relative(unit),
                    line(unit, position), name);
            if (target == null) {
                System.out.printf("{\"kind\":\"external\",%s}%n", site);
                return;
            }
            CompilationUnitTree other = target.getCompilationUnit();
            // From the first annotation or comment to the end: the name is between.
            long start = line(other, positions.getStartPosition(other, target.getLeaf()));
            Tree body = target.getLeaf() instanceof MethodTree method ? method.getBody() : null;
            long end = body == null ? line(other, positions.getEndPosition(other, target.getLeaf()))
                    : line(other, positions.getStartPosition(other, body));
            System.out.printf("{\"kind\":\"call\",%s,\"calleeFile\":\"%s\",\"calleeLine\":%d,\"calleeEnd\":%d}%n", site,
                    relative(other), start, end);
        }
    }
}
