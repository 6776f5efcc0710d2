// Call targets by the TypeScript compiler, a JSON object on each line.
//
//     node node_calls.mjs TYPESCRIPT_FOLDER ROOT SOURCE_FOLDER

import { createRequire } from "node:module";
import { readdirSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const [modules, rootName, source] = process.argv.slice(2);
const ts = createRequire(resolve(modules, "x.js"))("typescript");
const root = realpathSync(rootName);

const files = [];
const walk = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else if (/\.(ts|tsx|js|mjs|cjs)$/.test(entry.name) && !entry.name.endsWith(".d.ts")) files.push(path);
  }
};
walk(join(root, source));

const program = ts.createProgram(files, {
  allowJs: true,
  noLib: false,
  strict: true,
  target: ts.ScriptTarget.ES2020,
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Node10,
  skipLibCheck: true,
  maxNodeModuleJsDepth: 0,
  types: [],
});
const checker = program.getTypeChecker();
const show = (row) => console.log(JSON.stringify(row));

for (const file of program.getSourceFiles()) {
  if (!files.includes(file.fileName)) continue;
  const visit = (node) => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) site(node);
    ts.forEachChild(node, visit);
  };
  const site = (node) => {
    const called = node.expression;
    const at = ts.isPropertyAccessExpression(called) ? called.name : called;
    if (!ts.isIdentifier(at) && at.kind !== ts.SyntaxKind.SuperKeyword) return;
    const line = file.getLineAndCharacterOfPosition(at.getStart(file)).line + 1;
    const row = { file: relative(root, file.fileName), line, name: at.getText(file) };
    let symbol = checker.getSymbolAtLocation(at);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    const declarations = symbol?.declarations ?? [];
    // What a variable or parameter holds is not known by its declaration,
    // unless a function stands there.
    const known = declarations.filter((one) => {
      if (ts.isParameter(one)) return false;
      if (ts.isVariableDeclaration(one) || ts.isPropertyDeclaration(one))
        return !!one.initializer && (ts.isFunctionLike(one.initializer) || ts.isClassExpression(one.initializer));
      return true;
    });
    if (known.length === 0) return;
    let any = false;
    for (const one of known) {
      const target = one.getSourceFile();
      if (!files.includes(target.fileName)) continue;
      any = true;
      const name = one.name ?? one;
      const calleeLine = target.getLineAndCharacterOfPosition(name.getStart(target)).line + 1;
      show({ kind: "call", ...row, calleeFile: relative(root, target.fileName), calleeLine });
    }
    if (!any) show({ kind: "external", ...row });
  };
  visit(file);
}
