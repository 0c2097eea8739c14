// Asks Neo4j's own analyser about queries: JSON strings in, one a line; out, in order, lines of
//   {"errors": how many, "first": the first message, "rules": [what stands in the query]}.
// Rules are clauses and commands of the grammar that do more than read, prefixes, and "several" statements.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(import.meta.url);
const { lintCypherQuery, getDebugTree, isNotParamError } = require("@neo4j-cypher/language-support");

const EFFECTS = new Set([
  "createClause", "insertClause", "mergeClause", "setClause", "removeClause", "deleteClause", "foreachClause",
  "loadCSVClause", "useClause", "command", "composableCommandClauses", "subqueryInTransactionsParameters",
  "preparserOption", "console_command",
]);

function rulesOf(tree) {
  const found = new Set();
  const stack = [tree];
  let statements = 0;
  while (stack.length) {
    const node = stack.pop();
    if (EFFECTS.has(node.name) && node.children.length) found.add(node.name);
    if (node.name === "statementOrCommand" && node.children.length) statements += 1;
    stack.push(...node.children);
  }
  if (statements > 1) found.add("several");
  return [...found].sort();
}

// Neo4j replaces these before it looks for tokens; the grammar used here does not.
function unescaped(query) {
  return query.replace(/\\(?:u([0-9a-fA-F]{4})|[^])/g, (all, hex) => (hex ? String.fromCharCode(parseInt(hex, 16)) : all));
}

function verdict(query) {
  try {
    const errors = lintCypherQuery(query, {}).diagnostics.filter((d) => d.severity === 1 && isNotParamError(d));
    return { errors: errors.length, first: errors[0]?.message ?? "", rules: rulesOf(getDebugTree(unescaped(query))) };
  } catch (error) {
    return { errors: -1, first: `the analyser failed: ${error.message}`, rules: [] };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(verdict(JSON.parse(line))) + "\n");
}
