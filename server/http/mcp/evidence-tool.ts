/** The tool that says how good the captions of a workspace are. */
import { closed, open, Type } from '../../contract/schema.ts';
import { type EvidenceSources, evidencePage } from '../reviews/talk-evidence.ts';
import type { Tool } from './tool.ts';

const Input = closed({ cursor: Type.Optional(Type.String()) });

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

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
    const lines = value.talks.map(({ name, runId, state, review, approval, measured }) => {
      const figure = measured
        ? `${percent(measured.accuracy.value)} right (${percent(measured.accuracy.low)} to ${percent(measured.accuracy.high)})`
        : 'accuracy not measured';
      const approved = approval
        ? `, approved by ${approval.name}${approval.changedSince ? ' and changed since' : ''}`
        : '';
      return `${name} (${runId}): ${state}, ${figure}, review ${review}${approved}`;
    });
    return { text: [lines.join('\n') || 'There are no talks.'], value };
  },
});
