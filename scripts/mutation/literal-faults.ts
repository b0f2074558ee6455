/** Small faults in a constant: a bound moved, a boolean inverted, a pattern that matches too much. */
import type { SyntaxNode } from './syntax-node.ts';

/**
 * The possible replacements of a constant. Bounds are in constants and options; small numbers elsewhere
 * are mostly indexes.
 * @param text its source
 * @param parent the node that contains it
 */
export function literalFaults(
  node: SyntaxNode,
  text: string,
  parent: SyntaxNode | null,
): { replacement: string; kind: string }[] {
  const { value, regex } = node as unknown as { value: unknown; regex?: Pattern };
  if (parent?.type === 'Property' && parent['key'] === node) return [];
  if (regex) return patternFaults(regex);
  if (typeof value === 'boolean' && parent?.type !== 'Property') {
    return [{ replacement: String(!value), kind: 'answer turned' }];
  }
  const isBound = parent?.type === 'VariableDeclarator' || parent?.type === 'Property';
  if (typeof value !== 'number' || (!isBound && value < 3)) return [];
  if (value === 0) return [{ replacement: '1', kind: 'bound moved' }];
  const faults = [
    { replacement: `${text} * 4`, kind: 'bound moved' },
    { replacement: `${text} * 10`, kind: 'bound moved far' },
  ];
  if (Number.isInteger(value)) {
    faults.push({ replacement: `(${text} + 1)`, kind: 'bound moved by one' });
  }
  if (text === '0o600') faults.push({ replacement: '0o644', kind: 'file opened to others' });
  return faults;
}

interface Pattern {
  pattern: string;
  flags: string;
}

function patternFaults({ pattern, flags }: Pattern): { replacement: string; kind: string }[] {
  const left = [
    ...(pattern.startsWith('^') ? [pattern.slice(1)] : []),
    ...(/(?<!\\)\$$/.test(pattern) ? [pattern.slice(0, -1)] : []),
  ];
  return left.map((rest) => ({ replacement: `/${rest}/${flags}`, kind: 'anchor dropped' }));
}
