/** A node of a parsed source file, as oxc-parser returns it. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** The nodes directly below a node, each with the field that holds it. */
export function* childrenOf(node: SyntaxNode): Generator<[child: SyntaxNode, field: string]> {
  for (const [field, value] of Object.entries(node)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item && typeof item === 'object' && typeof (item as SyntaxNode).type === 'string') {
        yield [item as SyntaxNode, field];
      }
    }
  }
}
