/** Finds every regular expression in the program. */
import { Glob } from 'bun';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** A literal in the program, or an expression built at run time (`pattern` is then null). */
export interface SourcePattern {
  /** `server/terminology/match/normalize.ts:29` */
  where: string;
  pattern: RegExp | null;
}

interface Node {
  type: string;
  start: number;
  regex?: { pattern: string; flags: string };
  callee?: { name?: string };
}

/** The patterns of server/ and web/, in no particular order. */
export async function sourcePatterns(): Promise<SourcePattern[]> {
  const found: SourcePattern[] = [];
  for await (const path of new Glob('{server,web}/**/*.{ts,tsx}').scan(root)) {
    const text = await Bun.file(join(root, path)).text();
    const line = (at: number) => text.slice(0, at).split('\n').length;
    visit(parseSync(path, text).program, (node) => {
      const where = `${path}:${line(node.start)}`;
      if (node.type === 'Literal' && node.regex) {
        found.push({ where, pattern: new RegExp(node.regex.pattern, node.regex.flags) });
      }
      const makes = node.type === 'NewExpression' || node.type === 'CallExpression';
      if (makes && node.callee?.name === 'RegExp') found.push({ where, pattern: null });
    });
  }
  return found;
}

function visit(value: unknown, take: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && 'start' in value) take(value as Node);
  for (const child of Object.values(value)) visit(child, take);
}
