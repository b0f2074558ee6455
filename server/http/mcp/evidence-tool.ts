/** The tool that says how good the captions of a workspace are. */
import { closed, open, Type } from '../../contract/schema.ts';
import { sentenceOf } from '../reviews/statement.ts';
import { type EvidenceSources, evidencePage } from '../reviews/talk-evidence.ts';
import type { Tool } from './tool.ts';

const Input = closed({ cursor: Type.Optional(Type.String()) });

/** Lists talks with their measured accuracy and the state of their review. */
export const evidenceTool = (sources: EvidenceSources): Tool<typeof Input> => ({
  name: 'list_evidence',
  title: 'List accuracy',
  description: 'Accuracy, review and approval of each run, newest first.',
  input: Input,
  output: open({}),
  scope: 'captioner:caption:run',
  hints: { readOnlyHint: true },
  async run(query, { principal }) {
    const value = await evidencePage(sources, principal.organizationId, query);
    const lines = value.talks.map((talk) => `${talk.name} (${talk.runId}): ${sentenceOf(talk)}`);
    return { text: [lines.join('\n') || 'There are no talks.'], value };
  },
});
