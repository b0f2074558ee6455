/** The tool for translations of a run: one tool for all actions, to keep the list of tools short. */
import { closed, enumeration, open, Type, type Static } from '../../contract/schema.ts';
import type { Runs } from '../../runs/service.ts';
import type { Translations } from '../../runs/translations.ts';
import { translationOf, type TranslationRow } from '../../runs/stored-translation.ts';
import { invalidPayload } from '../problems.ts';
import { findSummary } from '../runs/run-requests.ts';
import { findTranslation, OfRunInput, translateRun } from '../runs/translation-requests.ts';
import type { Tool } from './tool.ts';

const { language, provider, model, profile, formality } = OfRunInput.properties;

const Input = closed({
  action: enumeration(['start', 'list', 'get', 'delete']),
  runId: Type.String({ description: 'a completed run' }),
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
  throw invalidPayload(`${name} ${message}.`, [{ path: name, message }]);
};

/** The state of a translation in one line. */
function lineOf(row: TranslationRow): string {
  const { id, request, state, progress, outcome, reviewChanged } = row;
  const { counts, error } = outcome;
  const said =
    state === 'completed' && counts
      ? `${counts.sentences} sentences, ${counts.captions} captions, ${counts.doubts} doubts, ${counts.warnings} warnings`
      : (error?.message ?? `${Math.round(progress * 100)} %`);
  const since = reviewChanged ? '; the review has changed since' : '';
  return `${id}: ${request.language}, ${state}: ${said}${since}`;
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
