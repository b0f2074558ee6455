/**
 * Generates small faults for a source file, of the kind that people make: a comparison reversed, a
 * check skipped, an await dropped, a bound moved, an option omitted.
 */
import { parseSync } from 'oxc-parser';

/** One change to a source file. Offsets are UTF-16 code units. */
export interface Mutation {
  start: number;
  end: number;
  replacement: string;
  /** The kind of fault, for the report. */
  kind: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const TURNED: Record<string, readonly string[]> = {
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

/** Calls that narrow the results of a query or a list; without them it yields more. */
const NARROWING = new Set(['where', 'orderBy', 'limit', 'filter', 'whereRef']);

/** Calls that only write a log line or count: omitting them does not change behaviour. */
const TELLING = /^(?:(?:\w+\.)*log\.(?!audit)\w+|(?:\w+\.)*metrics?\.|console\.|say\()/;

/**
 * Lists the possible faults in a file.
 * @param path names the file, which determines its language (.ts or .tsx)
 * @example
 * mutationsOf('a.ts', 'if (a < b) stop();').map(({ replacement }) => replacement)
 * // ['<=', '>=', 'false', 'true', '']: the comparison, the check, the call
 */
export function mutationsOf(path: string, source: string): Mutation[] {
  const faults: Mutation[] = [];
  const text = (node: Node): string => source.slice(node.start, node.end);
  const replace = (node: Node, replacement: string, kind: string): void => {
    if (text(node) !== replacement) {
      faults.push({ start: node.start, end: node.end, replacement, kind });
    }
  };

  const visit = (node: Node, parent: Node | null): void => {
    if (node.type.startsWith('TS') && !CARRIES_VALUES.has(node.type)) return;
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
    makeFaults(node, parent);
    for (const child of childrenOf(node)) visit(child, node);
  };

  const makeFaults = (node: Node, parent: Node | null): void => {
    switch (node.type) {
      case 'BinaryExpression': {
        const { left, right, operator } = node as unknown as Binary;
        const between = source.slice(left.end, right.start);
        for (const other of TURNED[operator] ?? []) {
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
        const test = node['test'] as Node;
        replace(test, 'false', 'check skipped');
        if (node['alternate']) replace(test, 'true', 'check always taken');
        return;
      }
      case 'ConditionalExpression': {
        replace(node['test'] as Node, 'false', 'choice fixed');
        replace(node['test'] as Node, 'true', 'choice fixed');
        return;
      }
      case 'UnaryExpression':
        if (node['operator'] === '!') replace(node, text(node['argument'] as Node), 'not dropped');
        return;
      case 'ExpressionStatement':
        makeStatementFaults(node);
        return;
      case 'CallExpression':
        makeCallFaults(node);
        return;
      case 'Literal':
        makeLiteralFaults(node, parent);
        return;
      case 'Property':
        if (parent?.type === 'ObjectExpression' && isPlain(node['value'] as Node)) {
          const comma = /^\s*,/.exec(source.slice(node.end))?.[0].length ?? 0;
          faults.push({
            start: node.start,
            end: node.end + comma,
            replacement: '',
            kind: 'option left out',
          });
        }
        return;
      default:
    }
  };

  const makeStatementFaults = (node: Node): void => {
    const expression = node['expression'] as Node;
    if (TELLING.test(text(expression))) return;
    if (expression.type === 'AwaitExpression') {
      replace(expression, text(expression['argument'] as Node), 'await dropped');
      replace(node, '', 'call left out');
    } else if (expression.type === 'CallExpression' || expression.type === 'AssignmentExpression') {
      replace(node, '', 'statement left out');
    }
  };

  const makeCallFaults = (node: Node): void => {
    const callee = node['callee'] as Node;
    if (callee.type !== 'MemberExpression') return;
    const object = callee['object'] as Node;
    const name = (callee['property'] as { name?: string }).name ?? '';
    if (NARROWING.has(name)) replace(node, text(object), `${name} left out`);
    if (text(object) === 'Math' && (name === 'min' || name === 'max')) {
      replace(callee, `Math.${name === 'min' ? 'max' : 'min'}`, 'min and max swapped');
    }
  };

  const makeLiteralFaults = (node: Node, parent: Node | null): void => {
    const { value } = node as unknown as { value: unknown };
    if (typeof value === 'boolean' && parent?.type !== 'Property') {
      replace(node, String(!value), 'answer turned');
    }
    // Bounds are in constants and options; small numbers elsewhere are mostly indexes.
    const isBound = parent?.type === 'VariableDeclarator' || parent?.type === 'Property';
    if (typeof value === 'number' && (isBound || value >= 3)) {
      replace(node, value === 0 ? '1' : `${text(node)} * 4`, 'bound moved');
    }
  };

  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed`);
  visit(program as unknown as Node, null);
  return faults;
}

interface Binary {
  left: Node;
  right: Node;
  operator: string;
}

const CARRIES_VALUES = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSParameterProperty',
]);

const isPlain = (node: Node): boolean =>
  node.type === 'Literal' || node.type === 'Identifier' || node.type === 'TemplateLiteral';

function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item && typeof item === 'object' && typeof (item as Node).type === 'string') {
        yield item as Node;
      }
    }
  }
}
