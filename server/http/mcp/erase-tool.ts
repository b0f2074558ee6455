/** The tool that erases a run that has ended. */
import { RunErasure } from '../../contract/erasure.ts';
import { closed, Type } from '../../contract/schema.ts';
import type { RunErasures } from '../../runs/run-erasure.ts';
import type { Runs } from '../../runs/service.ts';
import { eraseRun } from '../runs/erasure.ts';
import { findSummary } from '../runs/run-requests.ts';
import type { Tool } from './tool.ts';

const OfRun = closed({ runId: Type.String() });

/** Throws a Problem: 404 for a run that is not the caller's, 409 for one that has not ended. */
export const eraseRunTool = (runs: Runs, erasure: RunErasures): Tool<typeof OfRun> => ({
  name: 'erase_run',
  title: 'Erase a run',
  description:
    'Permanently deletes an ended run with its result, review and everything stored for it. Ask the user first.',
  input: OfRun,
  output: RunErasure,
  scope: 'captioner:caption:run',
  hints: { readOnlyHint: false, idempotentHint: true },
  async run(input, { principal }) {
    const run = await findSummary(runs, principal.organizationId, input.runId);
    const value = await eraseRun(erasure, run);
    const recording =
      value.recording === 'kept'
        ? ` Its recording is still stored as ${run.payload.audio.key}; DELETE /audio/{key} deletes it.`
        : '';
    return { text: [`Run ${run.id} is erased.${recording}`], value: { ...value } };
  },
});
