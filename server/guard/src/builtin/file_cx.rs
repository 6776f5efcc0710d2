use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use asd_syntax::{Language, Mask, Tree};
use tree_sitter::{Node, TreeCursor};

use super::bindings::Bindings;
use super::metrics::outline::Outline;

/// The file that rules look at.
pub(crate) struct FileCx<'a> {
    /// Project-relative path with `/`, when it has one.
    pub(crate) path: Option<&'a str>,
    /// The whole text.
    pub(crate) text: &'a str,
    /// Its language.
    pub(crate) language: Language,
    /// Its tree, when it has one that can be relied on.
    pub(crate) tree: Option<&'a Tree>,
    /// Its comments and literals.
    pub(crate) mask: &'a Mask,
    /// Whether it is a test.
    pub(crate) is_test: bool,
    /// Every node, made when someone first asks.
    nodes: OnceCell<Vec<Placed<'a>>>,
    /// The node being visited, behind those around it, outermost first.
    around: RefCell<Vec<Node<'a>>>,
    /// Made when a rule first asks for a name.
    bindings: OnceCell<Bindings<'a>>,
    /// Made when a rule first asks for a measure.
    outline: OnceCell<Outline<'a>>,
}

impl<'a> FileCx<'a> {
    /// A file with nothing visited yet.
    pub(crate) fn new(
        path: Option<&'a str>,
        text: &'a str,
        language: Language,
        tree: Option<&'a Tree>,
        mask: &'a Mask,
        is_test: bool,
    ) -> Self {
        Self {
            path,
            text,
            language,
            tree,
            mask,
            is_test,
            nodes: OnceCell::new(),
            around: RefCell::default(),
            bindings: OnceCell::new(),
            outline: OnceCell::new(),
        }
    }

    /// Every node of the tree in the order of the text, a node before its
    /// children. Walking a tree costs more than anything that rules do with
    /// its nodes, so it is walked once for all of them.
    pub(crate) fn nodes(&self) -> &[Placed<'a>] {
        self.nodes
            .get_or_init(|| self.tree.map_or_else(Vec::new, walk))
    }

    /// The source of a node.
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'a str {
        &self.text[node.byte_range()]
    }

    /// The source of a field of a node; empty when it has none.
    pub(crate) fn field_text(&self, node: Node<'a>, field: &str) -> &'a str {
        node.child_by_field_name(field)
            .map_or("", |child| self.text_of(child))
    }

    /// Says which node is visited; nodes come in the order of [`Self::nodes`].
    pub(super) fn enter(&self, placed: &Placed<'a>) {
        let mut around = self.around.borrow_mut();
        around.truncate(placed.depth as usize);
        around.push(placed.node);
    }

    /// The nodes around `node`, innermost first. Cheap for the node being
    /// visited; for another one the tree is descended from its root.
    pub(crate) fn ancestors(&self, node: Node<'a>) -> Ancestors<'a> {
        if let [around @ .., visited] = self.around.borrow().as_slice()
            && visited.id() == node.id()
        {
            return Ancestors(around.to_vec());
        }
        let mut path = Vec::new();
        let mut at = self.tree.map(Tree::root_node);
        while let Some(outer) = at.filter(|outer| *outer != node) {
            path.push(outer);
            at = outer.child_with_descendant(node);
        }
        Ancestors(path)
    }

    /// The node around `node`.
    pub(crate) fn parent(&self, node: Node<'a>) -> Option<Node<'a>> {
        if let [around @ .., visited] = self.around.borrow().as_slice()
            && visited.id() == node.id()
        {
            return around.last().copied();
        }
        node.parent()
    }

    /// Who declares which name, and where.
    pub(crate) fn bindings(&self) -> &Bindings<'a> {
        self.bindings.get_or_init(|| Bindings::of(self))
    }

    /// The functions and types with their measures.
    pub(crate) fn outline(&self) -> &Outline<'a> {
        self.outline.get_or_init(|| Outline::of(self))
    }

    /// Whether the path has a folder of one of these names.
    pub(crate) fn in_folder(&self, names: &[&str]) -> bool {
        self.path
            .and_then(|path| path.rsplit_once('/'))
            .is_some_and(|(folders, _)| folders.split('/').any(|folder| names.contains(&folder)))
    }

    /// The name of the file without its folders; empty when it has no path.
    pub(crate) fn file_name(&self) -> &'a str {
        self.path
            .map_or("", |path| path.rsplit('/').next().unwrap_or(path))
    }
}

/// A node with its place in the tree.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) node: Node<'a>,
    /// Its kind, which is slow to ask for again.
    pub(crate) kind: u16,
    /// How many nodes are around it.
    pub(crate) depth: u32,
}

/// From so many nodes on, a tree is walked by two threads.
const WORTH_SHARING: usize = 10_000;

fn walk(tree: &Tree) -> Vec<Placed<'_>> {
    let root = tree.root_node();
    let mut nodes = Vec::with_capacity(root.descendant_count());
    nodes.push(Placed {
        node: root,
        kind: root.kind_id(),
        depth: 0,
    });
    let children = root.child_count() as usize;
    if root.descendant_count() < WORTH_SHARING {
        walk_children(root, 0..children, &mut nodes);
        return nodes;
    }
    let middle = middle_child(root);
    let mut rest = Vec::new();
    rayon::join(
        || walk_children(root, 0..middle, &mut nodes),
        || walk_children(root, middle..children, &mut rest),
    );
    nodes.append(&mut rest);
    nodes
}

/// The child of `root` in which the middle of its nodes lies.
fn middle_child(root: Node<'_>) -> usize {
    let half = root.descendant_count() / 2;
    let mut cursor = root.walk();
    let mut seen = 0;
    root.children(&mut cursor)
        .position(|child| {
            seen += child.descendant_count();
            seen >= half
        })
        .map_or(0, |index| index + 1)
}

/// Adds some children of `root` and all that is below them.
fn walk_children<'a>(root: Node<'a>, children: Range<usize>, nodes: &mut Vec<Placed<'a>>) {
    let mut cursor = root.walk();
    let mut more = cursor.goto_first_child();
    for _ in 0..children.start {
        more = more && cursor.goto_next_sibling();
    }
    for _ in children {
        if !more {
            return;
        }
        walk_below(&mut cursor, nodes);
        more = cursor.goto_next_sibling();
    }
}

/// Adds the child of the root at the cursor and all that is below it; leaves
/// the cursor where it was.
fn walk_below<'a>(cursor: &mut TreeCursor<'a>, nodes: &mut Vec<Placed<'a>>) {
    let mut depth = 1;
    loop {
        let node = cursor.node();
        nodes.push(Placed {
            node,
            kind: node.kind_id(),
            depth,
        });
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        loop {
            if depth == 1 {
                return;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            cursor.goto_parent();
            depth -= 1;
        }
    }
}

/// The nodes around a node, innermost first.
pub(crate) struct Ancestors<'a>(Vec<Node<'a>>);

impl<'a> Iterator for Ancestors<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        self.0.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_in_the_order_of_the_text_however_many_there_are() {
        for functions in [0, 1, 2, 40, 2_000] {
            let text = "function f(a) { return g(a, [1, 2]); }\n".repeat(functions);
            let tree = asd_syntax::parse(Language::JavaScript, &text, None).expect("a grammar");
            let mut expected = Vec::new();
            let mut cursor = tree.walk();
            let mut depth = 0_u32;
            'nodes: loop {
                expected.push((cursor.node().id(), cursor.node().start_byte(), depth));
                if cursor.goto_first_child() {
                    depth += 1;
                    continue;
                }
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        break 'nodes;
                    }
                    depth -= 1;
                }
            }
            let walked: Vec<_> = walk(&tree)
                .iter()
                .map(|placed| (placed.node.id(), placed.node.start_byte(), placed.depth))
                .collect();
            assert_eq!(walked, expected);
        }
    }
}
