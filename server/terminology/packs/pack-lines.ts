/** Describes the errors in a pack with the lines of its file. */
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import type { PackIssue } from './pack-checks.ts';

interface InvalidPackFile {
  /** The path relative to the folder of packs, with `/`. */
  path: string;
  text: string;
  issues: readonly Omit<PackIssue, 'pack'>[];
}

/** One line per error: `vendors/workos.yaml:9: terms.0.weight must be number`. Errors of YAML hide all others. */
export function describeIssues({ path, text, issues }: InvalidPackFile): string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    return document.errors.map(
      ({ pos, message }) => `${path}:${lines.linePos(pos[0]).line}: ${message}`,
    );
  }
  return issues.map(({ field, message }) => {
    const line = lineOf(document, lines, field);
    return `${path}:${line}: ${field || 'the file'} ${message}`;
  });
}

/** The line of a field, or of its nearest parent if the field is missing. */
function lineOf(document: Document, lines: LineCounter, field: string): number {
  const path = field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
