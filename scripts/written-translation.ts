/** Writes the translations of the caption command, and says what is missing or doubtful in them. */
import type { FormatId } from '../server/captions/files/formats.ts';
import type { ProfileName } from '../server/captions/rules/profiles/profiles.ts';
import type { CaptionerCompletedResult } from '../server/contract/results.ts';
import type { TranslationResult } from '../server/contract/translations.ts';
import { isAuto } from '../server/models/registry.ts';
import { writtenTranslation } from '../server/http/runs/translation-requests.ts';
import type { ProfileRules } from './caption-options.ts';
import { incompleteOutput, type Output } from './caption-outputs.ts';

/** A translation in the output of --json. */
export interface TranslationEvent {
  language: string;
  state: 'completed' | 'incomplete';
  sentences: number;
  /** The sentences that are shown in the language of the original. */
  missing: number;
  doubts: number;
  files: (string | null)[];
  /** Where it was written. */
  places: readonly Output[];
}

const eventOf = (
  language: string,
  { sentences, doubts }: Pick<TranslationResult, 'sentences' | 'doubts'>,
  missing: number,
  files: readonly Output[],
): TranslationEvent => ({
  language,
  state: missing > 0 ? 'incomplete' : 'completed',
  sentences: sentences.length,
  missing,
  doubts: new Set(doubts.map(({ sentence }) => sentence)).size,
  files: files.map(({ path }) => path),
  places: files,
});

/** The most doubts that are shown; `--json` and the API have all. */
const MAX_DOUBTS = 20;

/** What remains wrong with a translation, for the terminal. */
export function doubtLines(
  language: string,
  { sentences, doubts, warnings }: Pick<TranslationResult, 'sentences' | 'doubts' | 'warnings'>,
): string[] {
  const shown = doubts
    .slice(0, MAX_DOUBTS)
    .map(
      ({ start, message, sentence }) =>
        `  At ${start.toFixed(1)} s: ${message} (${sentences[sentence - 1]!.text})`,
    );
  const count = (of: readonly unknown[], what: string) =>
    `${of.length} ${what}${of.length === 1 ? '' : 's'}`;
  const missing = sentences.filter(({ state }) => state === 'missing').length;
  const left =
    missing === 0
      ? []
      : [
          `${language}: ${sentences.length - missing} of ${sentences.length} sentences are translated; ${missing} ${missing === 1 ? 'is' : 'are'} still in the language of the original.`,
        ];
  const head = `${language}: ${count(sentences, 'sentence')}, ${count(doubts, 'doubt')}, ${count(warnings, 'warning')}.`;
  return [...left, head, ...shown];
}

/** The language in which the words of a result were heard; null if it is unknown. */
export function heardLanguage({ transcript }: CaptionerCompletedResult): string | null {
  const { language } = transcript.metadata;
  return typeof language === 'string' && !isAuto(language) ? language : null;
}

/** A translation in a format, by the rules of the captions. */
export const translatedIn = async (
  format: FormatId,
  result: string,
  target: { language: string; profile: ProfileName },
  { query, house }: ProfileRules,
): Promise<Uint8Array> =>
  writtenTranslation({
    ...target,
    format,
    result,
    query,
    ...(house && { house }),
  });

/** Writes a translation to its files, whose names say so if sentences are missing. */
export async function writeTranslation(
  language: string,
  translated: Pick<TranslationResult, 'sentences' | 'doubts' | 'warnings'>,
  outputs: readonly Output[],
  target: { language: string; profile: ProfileName },
  rules: ProfileRules,
): Promise<TranslationEvent> {
  const text = JSON.stringify(translated);
  const missing = translated.sentences.filter(({ state }) => state === 'missing').length;
  const places = missing > 0 ? outputs.map(incompleteOutput) : outputs;
  for (const { format, write } of places) {
    await write(await translatedIn(format as FormatId, text, target, rules));
  }
  return eventOf(language, translated, missing, places);
}
