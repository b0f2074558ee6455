/** The blocks of code in a Markdown document. */

export interface FencedBlock {
  /** `sh`, `diff`, `ts` … */
  language: string;
  /** What stands behind the language: the path of a file that the block is. */
  path: string;
  text: string;
}

/** All of them, in order; indented ones too. */
export const fencedBlocks = (markdown: string): FencedBlock[] =>
  [...markdown.matchAll(/^( *)```(\w+) *(\S*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', path = '', text = '']) => ({
      language,
      path,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
