/**
 * Puts many faults into one source file, each behind a switch: `a < b` becomes
 * `isFaultOn(7) ? (a <= b) : (a < b)`. A process can then try one fault after the other without
 * loading the program again.
 */
import { parseSync } from 'oxc-parser';
import { NO_STATEMENT, type Mutation } from './mutations.ts';
import { childrenOf, type SyntaxNode } from './syntax-node.ts';

/** A fault with the number of its switch. */
export interface SwitchedFault extends Mutation {
  id: number;
}

/** An expression that can be put into parentheses, or a statement that can be left out. */
interface Place {
  start: number;
  end: number;
  isStatement: boolean;
  faults: SwitchedFault[];
}

const STATEMENTS = new Set([
  'ExpressionStatement',
  'ReturnStatement',
  'ThrowStatement',
  'ContinueStatement',
  'BreakStatement',
]);

const EXPRESSIONS = new Set([
  'ArrayExpression',
  'ArrowFunctionExpression',
  'AssignmentExpression',
  'AwaitExpression',
  'BinaryExpression',
  'CallExpression',
  'ChainExpression',
  'ConditionalExpression',
  'FunctionExpression',
  'Identifier',
  'Literal',
  'LogicalExpression',
  'MemberExpression',
  'NewExpression',
  'ObjectExpression',
  'ParenthesizedExpression',
  'TemplateLiteral',
  'UnaryExpression',
]);

/** Fields whose expression is more than a value: `a.b()` calls with `this`, `(c ? a.b : d)()` without. */
const FIXED_FIELDS = new Set(['callee', 'tag', 'quasi']);

/** TypeScript's nodes that wrap an expression. Its other nodes do not run. */
const RUN_TYPES = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/**
 * Adds a switch for each fault that has a place for one. The code calls a global `isFaultOn` with
 * the number of the fault.
 * @param path names the file, which determines its language (.ts or .tsx)
 * @example
 * withSwitches('a.ts', 'return a < b;', [{ id: 7, start: 9, end: 10, replacement: '<=', kind: '' }])
 * // 'return (isFaultOn(7) ? (a <= b) : (a < b));'
 */
export function withSwitches(
  path: string,
  source: string,
  faults: readonly SwitchedFault[],
): string {
  const { program } = parseSync(path, source);
  const places = [...placesIn(program as unknown as SyntaxNode)].toSorted(
    (a, b) => a.start - b.start || b.end - a.end,
  );
  for (const fault of faults) smallestPlaceOf(fault, places)?.faults.push(fault);
  const used = places.filter(({ faults }) => faults.length > 0);
  return switched(source, 0, source.length, used);
}

function* placesIn(node: SyntaxNode, field = '', isInChain = false): Generator<Place> {
  if (node.type.startsWith('TS') && !RUN_TYPES.has(node.type)) return;
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
  const isStatement = STATEMENTS.has(node.type);
  const isValue = EXPRESSIONS.has(node.type) && !FIXED_FIELDS.has(field) && !isInChain;
  if (isStatement || isValue) {
    yield { start: node.start, end: node.end, isStatement, faults: [] };
  }
  for (const [child, name] of childrenOf(node)) {
    // Of a chain such as `a?.b(c).d`, only the whole and the arguments can be replaced.
    const isLink = name === 'callee' || name === 'object' || node.type === 'TSNonNullExpression';
    const continues = node.type === 'ChainExpression' || (isInChain && isLink);
    yield* placesIn(child, name, continues);
  }
}

/** The place for the switch of a fault. An element that is left out leaves the list around it. */
function smallestPlaceOf(
  { start, end, replacement }: SwitchedFault,
  places: readonly Place[],
): Place | undefined {
  return places
    .filter((place) => place.start <= start && place.end >= end)
    .filter((place) => place.isStatement === (replacement === NO_STATEMENT))
    .filter((place) => replacement !== '' || place.start < start || place.end > end)
    .toSorted((a, b) => a.end - a.start - (b.end - b.start))[0];
}

/** The source from one offset to another, with the switches of the places in it. */
function switched(source: string, from: number, to: number, places: readonly Place[]): string {
  let code = '';
  let at = from;
  for (const [index, place] of places.entries()) {
    if (place.start < at) continue;
    const inner = places.slice(index + 1).filter(({ start }) => start < place.end);
    const own = switched(source, place.start, place.end, inner);
    code += source.slice(at, place.start) + withChoices(source, place, own);
    at = place.end;
  }
  return code + source.slice(at, to);
}

function withChoices(source: string, { start, end, isStatement, faults }: Place, own: string) {
  if (isStatement) return `{ if (!isFaultOn(${faults[0]!.id})) { ${own} } }`;
  let code = own;
  for (const fault of faults) {
    const faulty =
      source.slice(start, fault.start) + fault.replacement + source.slice(fault.end, end);
    code = `isFaultOn(${fault.id}) ? (${faulty}) : (${code})`;
  }
  return `(${code})`;
}
