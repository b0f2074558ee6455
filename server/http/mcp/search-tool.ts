/** The tool that searches the captions of a workspace. */
import { SEARCH } from '../../contract/limits.ts';
import { closed, open, Type } from '../../contract/schema.ts';
import type { CaptionSearch } from '../../search/caption-search.ts';
import { foundCaptions } from '../runs/search.ts';
import type { Tool } from './tool.ts';

const Input = closed({
  q: Type.String({ minLength: 1, maxLength: SEARCH.maxChars }),
  speaker: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
});

/** Finds captions. Throws a Problem: 422 if nothing is searched for. */
export const searchTool = (search: CaptionSearch): Tool<typeof Input> => ({
  name: 'search_captions',
  title: 'Search captions',
  description: 'Finds words, "phrases" and beginnings* in all captions.',
  input: Input,
  output: open({}),
  scope: 'captioner:caption:run',
  hints: { readOnlyHint: true },
  async run(input, { principal, baseUrl }) {
    const value = await foundCaptions(search, principal.organizationId, input, baseUrl);
    const lines = value.captions.map(
      ({ name, start, text, runId }) => `${name} at ${start.toFixed(1)} s (${runId}): ${text}`,
    );
    return { text: [lines.join('\n') || 'Nothing was found.'], value };
  },
});
