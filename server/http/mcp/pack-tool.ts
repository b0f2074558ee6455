/** The tool list_packs, which lists the terminology packs. */
import { closed } from '../../contract/schema.ts';
import { TermPackList } from '../../contract/terminology.ts';
import type { Tool } from './tool.ts';

const Nothing = closed({});

/** Creates the tool. */
export function packTool(packs: TermPackList): Tool<typeof Nothing> {
  const lines = packs.packs.map(
    ({ id, title, description, termCount }) =>
      `${id}: ${title}, ${termCount} terms${description ? `. ${description}` : ''}`,
  );
  return {
    name: 'list_packs',
    title: 'List the terminology packs',
    description:
      'Packs of names and terms used to correct captions. They are selected by topic and glossary; to use a pack regardless, name it in terminology.packs of caption_audio.',
    input: Nothing,
    output: TermPackList,
    scope: null,
    hints: { readOnlyHint: true },
    run: async () => ({ text: [lines.join('\n')], value: { ...packs } }),
  };
}
