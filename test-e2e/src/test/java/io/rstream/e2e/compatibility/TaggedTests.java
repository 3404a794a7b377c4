package io.rstream.e2e.compatibility;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Finds the tags of test methods in source files, read by the compiler's own parser. */
final class TaggedTests {

    private static final Set<String> TEST_ANNOTATIONS =
            Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate");

    private TaggedTests() {}

    /** Every tag in the test sources of all modules below the root, in the order of files and lines. */
    static List<TaggedTest> below(Path root) {
        try (var modules = Files.list(root)) {
            var files = modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .flatMap(TaggedTests::sources)
                    .sorted()
                    .toList();
            return in(root, files);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + root, e);
        }
    }

    private static Stream<Path> sources(Path folder) {
        try (var files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + folder, e);
        }
    }

    /** Every tag in the given files. */
    static List<TaggedTest> in(Path root, List<Path> files) {
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            var task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            var found = new ArrayList<TaggedTest>();
            for (var unit : task.parse()) {
                unit.accept(
                        new Tags(root.relativize(Path.of(unit.getSourceFile().toUri())), found), List.of());
            }
            return List.copyOf(found);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the test sources", e);
        }
    }

    /** Carries the tags of the classes around a method as its parameter. */
    private static final class Tags extends TreeScanner<Void, List<String>> {

        private final Path file;
        private final List<TaggedTest> found;
        private String type = "";

        Tags(Path file, List<TaggedTest> found) {
            this.file = file;
            this.found = found;
        }

        @Override
        public Void visitCompilationUnit(CompilationUnitTree unit, List<String> tags) {
            return scan(unit.getTypeDecls(), tags);
        }

        @Override
        public Void visitClass(ClassTree tree, List<String> tags) {
            var outer = type;
            type = tree.getSimpleName().toString();
            scan(tree.getMembers(), with(tags, tree.getModifiers()));
            type = outer;
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, List<String> tags) {
            var isTest = method.getModifiers().getAnnotations().stream()
                    .anyMatch(annotation -> TEST_ANNOTATIONS.contains(simpleName(annotation)));
            // The tags of a class are those of its tests only; a method's own tag counts even where it is lost.
            with(isTest ? tags : List.of(), method.getModifiers())
                    .forEach(tag -> found.add(
                            new TaggedTest(file, type, method.getName().toString(), tag, isTest)));
            return null;
        }

        private static List<String> with(List<String> tags, ModifiersTree modifiers) {
            var all = new ArrayList<>(tags);
            modifiers.getAnnotations().stream()
                    .flatMap(Tags::single)
                    .filter(annotation -> simpleName(annotation).equals("Tag"))
                    .forEach(annotation -> all.add(text(annotation)));
            return all;
        }

        /** {@code @Tags} holds several. */
        private static Stream<AnnotationTree> single(AnnotationTree annotation) {
            if (!simpleName(annotation).equals("Tags")) {
                return Stream.of(annotation);
            }
            var value = value(annotation);
            return (value instanceof NewArrayTree array ? array.getInitializers() : List.of(value))
                    .stream().map(AnnotationTree.class::cast);
        }

        private static String text(AnnotationTree annotation) {
            return value(annotation) instanceof LiteralTree literal
                    ? String.valueOf(literal.getValue())
                    : value(annotation).toString();
        }

        private static ExpressionTree value(AnnotationTree annotation) {
            var argument = annotation.getArguments().getFirst();
            return argument instanceof AssignmentTree assignment ? assignment.getExpression() : argument;
        }

        private static String simpleName(AnnotationTree annotation) {
            var name = annotation.getAnnotationType().toString();
            return name.substring(name.lastIndexOf('.') + 1);
        }
    }
}
