/** The code blocks of a Markdown document. */

export interface FencedBlock {
  /** `sh`, `diff`, `ts` … */
  language: string;
  /** The text after the language: the path of the file that the block shows. */
  path: string;
  text: string;
}

/** All blocks, in order, including indented ones. */
export const fencedBlocks = (markdown: string): FencedBlock[] =>
  [...markdown.matchAll(/^( *)```(\w+) *(\S*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', path = '', text = '']) => ({
      language,
      path,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
