/**
 * Generates small faults for a source file, of the kind that people make: a comparison reversed, a
 * check skipped, an await dropped, a bound moved, an option omitted.
 */
import { parseSync } from 'oxc-parser';
import { literalFaults } from './literal-faults.ts';
import { childrenOf, type SyntaxNode } from './syntax-node.ts';

/** One change to a source file. Offsets are UTF-16 code units. */
export interface Mutation {
  start: number;
  end: number;
  replacement: string;
  /** The kind of fault, for the report. */
  kind: string;
}

/** Replaces a statement that is left out. `if (a) b();` must not take the next statement instead. */
export const NO_STATEMENT = ';';

const REVERSED: Record<string, readonly string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
};

/** Calls on a query, a list or a text that can be left out: what remains is of the same kind. */
const OPTIONAL_CALLS = new Set(
  (
    'where whereRef orderBy limit having groupBy forUpdate skipLocked onConflict ' +
    'filter slice toSorted toReversed trim toLowerCase normalize replace replaceAll catch unref'
  ).split(' '),
);

/** Statements that end a block early. */
const EARLY_ENDS = new Set([
  'ReturnStatement',
  'ThrowStatement',
  'ContinueStatement',
  'BreakStatement',
]);

/** The longest array whose elements are left out one at a time. */
const MAX_ELEMENTS = 8;

/** Calls that only log or count: leaving them out does not change behaviour. */
const LOG_CALLS = /^(?:(?:\w+\.)*log\.(?!audit)\w+|(?:\w+\.)*metrics?\.|console\.|say\()/;

/**
 * Lists the possible faults in a file.
 * @param path names the file, which determines its language (.ts or .tsx)
 * @example
 * mutationsOf('a.ts', 'if (a < b) stop();').map(({ replacement }) => replacement)
 * // ['<=', '>=', 'false', ';']: the comparison, the check, the call
 */
export function mutationsOf(path: string, source: string): Mutation[] {
  const faults: Mutation[] = [];
  const text = (node: SyntaxNode): string => source.slice(node.start, node.end);
  const replace = (node: SyntaxNode, replacement: string, kind: string): void => {
    if (text(node) !== replacement) {
      faults.push({ start: node.start, end: node.end, replacement, kind });
    }
  };

  const visit = (node: SyntaxNode, parent: SyntaxNode | null): void => {
    if (node.type.startsWith('TS') && !CARRIES_VALUES.has(node.type)) return;
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
    if (node.type === 'ExpressionStatement' && LOG_CALLS.test(text(node))) return;
    makeFaults(node, parent);
    for (const [child] of childrenOf(node)) visit(child, node);
  };

  const makeFaults = (node: SyntaxNode, parent: SyntaxNode | null): void => {
    switch (node.type) {
      case 'BinaryExpression': {
        const { left, right, operator } = node as unknown as Binary;
        const between = source.slice(left.end, right.start);
        for (const other of REVERSED[operator] ?? []) {
          const at = left.end + between.indexOf(operator);
          faults.push({
            start: at,
            end: at + operator.length,
            replacement: other,
            kind: 'operator turned',
          });
        }
        return;
      }
      case 'LogicalExpression': {
        const { left, right } = node as unknown as Binary;
        replace(node, text(left), 'operand left out');
        replace(node, text(right), 'operand left out');
        return;
      }
      case 'IfStatement': {
        const test = node['test'] as SyntaxNode;
        replace(test, 'false', 'check skipped');
        if (node['alternate']) replace(test, 'true', 'check always taken');
        return;
      }
      case 'ConditionalExpression': {
        replace(node['test'] as SyntaxNode, 'false', 'choice fixed');
        replace(node['test'] as SyntaxNode, 'true', 'choice fixed');
        return;
      }
      case 'UnaryExpression':
        if (node['operator'] === '!')
          replace(node, text(node['argument'] as SyntaxNode), 'not dropped');
        return;
      case 'ExpressionStatement':
        makeStatementFaults(node);
        return;
      case 'CallExpression':
        makeCallFaults(node);
        return;
      case 'Literal':
        for (const { replacement, kind } of literalFaults(node, text(node), parent)) {
          replace(node, replacement, kind);
        }
        return;
      case 'Property':
      case 'SpreadElement':
        if (
          parent?.type === 'ObjectExpression' &&
          !isFunction(node['value'] as SyntaxNode | undefined)
        ) {
          leaveOut(node, 'option left out');
        }
        return;
      case 'ArrayExpression': {
        const elements = (node['elements'] as (SyntaxNode | null)[]).filter((element) => !!element);
        if (elements.length > MAX_ELEMENTS) return;
        for (const element of elements) leaveOut(element, 'element left out');
        return;
      }
      case 'BlockStatement': {
        // An end that is alone in its block is as good as its check, which is skipped elsewhere.
        const [first, ...others] = (node['body'] as SyntaxNode[]).toReversed();
        if (first && others.length > 0 && parent?.type === 'IfStatement') {
          if (EARLY_ENDS.has(first.type)) replace(first, NO_STATEMENT, 'early end left out');
        }
        return;
      }
      default:
    }
  };

  const leaveOut = (node: SyntaxNode, kind: string): void => {
    const comma = /^\s*,/.exec(source.slice(node.end))?.[0].length ?? 0;
    faults.push({ start: node.start, end: node.end + comma, replacement: '', kind });
  };

  const makeStatementFaults = (node: SyntaxNode): void => {
    const expression = node['expression'] as SyntaxNode;
    if (expression.type === 'AwaitExpression') {
      replace(expression, text(expression['argument'] as SyntaxNode), 'await dropped');
      replace(node, NO_STATEMENT, 'call left out');
    } else if (expression.type === 'CallExpression' || expression.type === 'AssignmentExpression') {
      replace(node, NO_STATEMENT, 'statement left out');
    }
  };

  const makeCallFaults = (node: SyntaxNode): void => {
    const callee = node['callee'] as SyntaxNode;
    const given = node['arguments'] as SyntaxNode[];
    const hasOrder = !/^Math\.(?:min|max)$/.test(text(callee));
    for (const [at, left] of given.slice(0, -1).entries()) {
      const right = given[at + 1]!;
      if (!hasOrder || !areAlike(left, right)) continue;
      const swapped = text(right) + source.slice(left.end, right.start) + text(left);
      if (swapped === source.slice(left.start, right.end)) continue;
      faults.push({
        start: left.start,
        end: right.end,
        replacement: swapped,
        kind: 'arguments swapped',
      });
    }
    if (given.length > 1 && ['Identifier', 'ObjectExpression'].includes(given.at(-1)!.type)) {
      const [before, last] = given.slice(-2) as [SyntaxNode, SyntaxNode];
      faults.push({
        start: before.end,
        end: last.end,
        replacement: '',
        kind: 'last argument left out',
      });
    }
    if (callee.type !== 'MemberExpression') return;
    const object = callee['object'] as SyntaxNode;
    const name = (callee['property'] as { name?: string }).name ?? '';
    if (OPTIONAL_CALLS.has(name)) replace(node, text(object), `${name} left out`);
    if (name === 'execute' && text(object).endsWith('.transaction()') && given.length === 1) {
      const database = text(object).slice(0, -'.transaction()'.length).trimEnd();
      replace(node, `(${text(given[0]!)})(${database})`, 'transaction left out');
    }
    if (text(object) === 'Math' && (name === 'min' || name === 'max')) {
      replace(callee, `Math.${name === 'min' ? 'max' : 'min'}`, 'min and max swapped');
    }
  };

  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed`);
  visit(program as unknown as SyntaxNode, null);
  return faults;
}

interface Binary {
  left: SyntaxNode;
  right: SyntaxNode;
  operator: string;
}

const CARRIES_VALUES = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSParameterProperty',
]);

/** Whether two arguments could be confused: two names, or two constants of one type. */
const areAlike = (a: SyntaxNode, b: SyntaxNode): boolean =>
  a.type === 'Identifier'
    ? b.type === 'Identifier'
    : a.type === 'Literal' && b.type === 'Literal' && typeof a['value'] === typeof b['value'];

const isFunction = (node: SyntaxNode | undefined): boolean =>
  node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';
