/** The tools for runs: get, list, cancel and erase them, and fetch captions. */
import { FRAME_RATES } from '../../captions/timestamps.ts';
import { PROFILE_NAMES } from '../../captions/rules/profiles/profiles.ts';
import { hasTranslation, LANGUAGE_TAG } from '../../contract/translations.ts';
import { TEXT_FORMAT_IDS } from '../../captions/files/formats.ts';
import { WorkflowRunList, RunErasure } from '../../contract/runs.ts';
import { closed, enumeration, Type, open, type Static } from '../../contract/schema.ts';
import type { Runs } from '../../runs/service.ts';
import { holdCaptions, MAX_SHOTS, SHOTS, type CaptionSources } from '../runs/profiled-captions.ts';
import {
  runPage,
  CAPTION_VERSIONS,
  summary,
  cancelRun,
  findSummary,
} from '../runs/run-representation.ts';
import type { RunTexts } from '../runs/run-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { RunHead, RunOutcome, runOutcome } from './run-outcome.ts';
import { type Tool, heldAnswer } from './tool.ts';
import type { RunErasures } from '../../runs/run-erasure.ts';
import { eraseRun } from '../runs/erasure.ts';
import type { Translations } from '../../runs/translations.ts';
import { translationOf, type TranslationRow } from '../../runs/store/stored-translation.ts';
import { OfRunInput, findTranslation, translateRun } from '../runs/translation-requests.ts';
import { RUN } from '../../contract/limits.ts';
import { Problem } from '../problems.ts';

const scope = 'captioner:caption:run';
const readOnly = { readOnlyHint: true };
const runId = Type.String();
const OfRun = closed({ runId });

/** Returns the current state without waiting. Throws a Problem: 404 for a run that is not the caller's. */
export const getRunTool = (runs: Runs, texts: RunTexts, pool: WorkPool): Tool<typeof OfRun> => ({
  name: 'get_run',
  title: 'Get the state of a run',
  description: 'State, stage and progress of a run; its captions and report once it has ended.',
  input: OfRun,
  output: RunOutcome,
  scope,
  hints: readOnly,
  run: async (input, call) =>
    runOutcome(
      { texts, pool },
      await findSummary(runs, call.principal.organizationId, input.runId),
      call,
    ),
});

const { language, provider, model, profile, formality } = OfRunInput.properties;

const ACTIONS = ['start', 'list', 'get', 'delete'] as const;
const OF_RUN = '/workflows/captioner/{runId}/translations';
const OPERATIONS: Record<(typeof ACTIONS)[number], string> = {
  start: `POST ${OF_RUN}`,
  list: `GET ${OF_RUN}`,
  get: `GET ${OF_RUN}/{translationId}`,
  delete: `DELETE ${OF_RUN}/{translationId}`,
};

const Input = closed({
  action: enumeration(ACTIONS),
  runId,
  translationId: Type.Optional(Type.String({ description: 'to get and delete' })),
  language: Type.Optional(language),
  provider,
  model,
  profile,
  formality,
});

/** A field that an action needs. @throws {Problem} 422 if it is missing */
const needed = (input: Static<typeof Input>, name: 'language' | 'translationId'): string => {
  const value = input[name];
  if (value !== undefined) return value;
  const message = `is required to ${input.action}`;
  throw Problem.invalidPayload(`${name} ${message}.`, [{ path: name, message }]);
};

/** What a reader of a translation must know: that it is not whole, or older than its original. */
const notesOf = ({ state, outcome: { counts }, reviewChanged }: TranslationRow): string[] => [
  ...(state === 'incomplete' && counts
    ? [
        `${counts.missing} of ${counts.sentences} sentences are not translated and shown as they are; start it again to translate these`,
      ]
    : []),
  ...(reviewChanged ? ['older than the original: the review has changed since'] : []),
];

/** The state of a translation in one line. */
function lineOf(row: TranslationRow): string {
  const { id, request, state, progress, outcome } = row;
  const { counts, error } = outcome;
  const said =
    hasTranslation(state) && counts
      ? `${counts.sentences} sentences, ${counts.captions} captions, ${counts.doubts} doubts, ${counts.warnings} warnings`
      : (error?.message ?? `${Math.round(progress * 100)} %`);
  return [`${id}: ${request.language}, ${state}: ${said}`, ...notesOf(row)].join('; ');
}

/** Throws a Problem: 404 for a run or translation that is not the caller's, 409 for a run without captions. */
export const translationTool = (runs: Runs, translations: Translations): Tool<typeof Input> => ({
  name: 'translations',
  title: 'Translate captions',
  description:
    'Translates the captions of a completed run into another language, checked sentence by sentence. start, then get until it is completed, then get_captions with language. The text is sent to the language model of the provider.',
  input: Input,
  output: open({}),
  scope: 'captioner:caption:run',
  operation: ({ action }) => OPERATIONS[action],
  hints: { readOnlyHint: false },
  async run(input, { principal: { organizationId } }) {
    const run = await findSummary(runs, organizationId, input.runId);
    if (input.action === 'list') {
      const rows = await translations.list(organizationId, run.id);
      const text = rows.map(lineOf).join('\n') || 'There are no translations.';
      return { text: [text], value: { translations: rows.map(translationOf) } };
    }
    if (input.action === 'start') {
      const { action: _, runId: _run, translationId: _id, ...asked } = input;
      const request = { ...asked, language: needed(input, 'language') };
      const row = await translateRun(translations, run, request);
      return { text: [lineOf(row)], value: { translation: translationOf(row) } };
    }
    const id = needed(input, 'translationId');
    const row = await findTranslation(translations, organizationId, run.id, id);
    if (input.action === 'get') {
      return { text: [lineOf(row)], value: { translation: translationOf(row) } };
    }
    const isCancelled = row.finishedAt === null && (await translations.cancel(row));
    if (!isCancelled) await translations.erase(row);
    return { text: [`${id} is ${isCancelled ? 'being cancelled' : 'erased'}.`], value: {} };
  },
});

const CaptionsInput = closed({
  runId,
  format: Type.Optional(enumeration(TEXT_FORMAT_IDS, { default: 'srt' })),
  version: Type.Optional(enumeration(CAPTION_VERSIONS)),
  language: Type.Optional(
    Type.String({
      pattern: LANGUAGE_TAG,
      description: 'of a completed translation',
    }),
  ),
  profile: Type.Optional(
    enumeration(PROFILE_NAMES, { description: 'the publisher whose rules they follow' }),
  ),
  frameRate: Type.Optional(enumeration(FRAME_RATES)),
  shots: Type.Optional(
    Type.String({
      pattern: SHOTS,
      maxLength: MAX_SHOTS,
      description: 'seconds, separated by commas',
    }),
  ),
});

/** Throws a Problem: 404 for a run that is not the caller's, 409 for one without captions. */
export const getCaptionsTool = (
  runs: Runs,
  sources: CaptionSources,
): Tool<typeof CaptionsInput> => ({
  name: 'get_captions',
  title: 'Fetch the captions of a run',
  description: 'The captions of a completed run: the reviewed ones if there is a review.',
  input: CaptionsInput,
  output: closed({ runId, format: enumeration(TEXT_FORMAT_IDS), captions: Type.String() }),
  scope,
  hints: readOnly,
  async run(input, call) {
    const { runId: id, format = 'srt', ...query } = input;
    const run = await findSummary(runs, call.principal.organizationId, id);
    const held = holdCaptions(sources, run, format, query);
    const path = `/workflows/captioner/${id}/captions.${format}`;
    const captions = await heldAnswer(held, path, call);
    const { language } = query;
    const row = language === undefined ? null : await sources.translations.latest(run.id, language);
    const notes = row ? notesOf(row) : [];
    return { text: [captions, ...notes], value: { runId: run.id, format, captions } };
  },
});

const ListInput = closed({
  limit: Type.Optional(Type.Integer({ ...RUN.page })),
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page' })),
});

/** A page of a list, without results. */
const RunPage = closed({ ...WorkflowRunList.properties, runs: Type.Array(RunHead) });

/** Returns one page. Throws a Problem: 422 for an invalid cursor. */
export const listRunsTool = (runs: Runs): Tool<typeof ListInput> => ({
  name: 'list_runs',
  title: 'List runs',
  description: 'The runs of your workspace, newest first.',
  input: ListInput,
  output: RunPage,
  scope,
  hints: readOnly,
  async run(query, { principal }) {
    const page = await runPage(runs, principal.organizationId, query);
    const lines = page.runs.map(
      (run) => `${run.runId}: ${run.audioKey}, ${run.state}, ${run.createdAt}`,
    );
    return { text: [lines.join('\n') || 'There are no runs.'], value: { ...page } };
  },
});

/**
 * Returns immediately, although the run may still be ending. Throws a Problem: 404 for a run that is not the caller's.
 */
export const cancelRunTool = (runs: Runs): Tool<typeof OfRun> => ({
  name: 'cancel_run',
  title: 'Cancel a run',
  description: 'Cancels a run in progress. A run that has ended does not change.',
  input: OfRun,
  output: open({ runId, state: RunHead.properties.state }),
  scope,
  hints: { readOnlyHint: false, idempotentHint: true },
  async run(input, { principal }) {
    const found = await findSummary(runs, principal.organizationId, input.runId);
    const { asked, run } = await cancelRun(runs, found);
    const text = asked ? `Run ${run.id} is being cancelled.` : `Run ${run.id} had already ended.`;
    return { text: [text], value: { ...summary(run) } };
  },
});

/** Throws a Problem: 404 for a run that is not the caller's, 409 for one that has not ended. */
export const eraseRunTool = (runs: Runs, erasure: RunErasures): Tool<typeof OfRun> => ({
  name: 'erase_run',
  title: 'Erase a run',
  description:
    'Permanently deletes an ended run with its result, review and everything stored for it. Ask the user first.',
  input: OfRun,
  output: RunErasure,
  scope: 'captioner:caption:run',
  operation: () => 'DELETE /workflows/captioner/{runId}/data',
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
