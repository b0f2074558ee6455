/** What a translation takes apart from its engine, against an engine that answers a question within a second. */
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { editedTranslation } from '../../server/translation/edited.ts';
import { translatedResult } from '../../server/translation/result.ts';
import { sentencesOf } from '../../server/translation/sentences.ts';
import { translateSentences } from '../../server/translation/translate.ts';
import { dictionaryOf, timedTranslator } from '../../test/support/doubles/translators.ts';
import { randomly, talk } from '../../test/support/translated-talk.ts';
import { ours } from '../builders.ts';
import { bySize, type BySize, growth } from '../growth.ts';
import { inTurn, row, timed } from '../measure.ts';
import type { Bench } from '../section.ts';

const ROUNDS = 3;
const SIZES: BySize<number> = [600, 6000, 60_000];
/** The questions in progress at a time, and the time of one, in milliseconds. */
const ENGINE = { parallel: 4, ms: 1000 };

/** Measures talks of 600 to 60,000 words into German. Needs no service. */
export async function translation(bench: Bench): Promise<void> {
  const largest = ours(talk(SIZES[2], randomly(9)));
  const { result, counts } = (await translated(largest)).made;
  const rules = { from: 'en', to: 'de', profile: profileOf('netflix', 'de') };
  const edits = { sentences: [{ sentence: 5, text: 'Das hat ein Mensch geschrieben.' }] };
  const made = await inTurn(ROUNDS, {
    own: async () => (await translated(largest)).own,
    edit: timed(() => editedTranslation(result, counts, edits, rules)),
  });
  const engine = (counts.calls / ENGINE.parallel) * ENGINE.ms;
  bench.rows(
    row(
      'a translation of 60,000 words, apart from its engine',
      `the engine, at ${ENGINE.ms / 1000} s a question`,
      'ms',
      made.own,
      [engine],
    ),
    row('a changed sentence of 60,000 words', 'the engine', 'ms', made.edit, [engine]),
  );
  const own = (size: number) => {
    const cues = ours(talk(size, randomly(9)));
    return async () => (await translated(cues)).own;
  };
  bench.growths(
    growth(
      'a translation, apart from its engine',
      `${SIZES.map((size) => size.toLocaleString('en')).join(' / ')} words`,
      'ms',
      await bySize(ROUNDS, SIZES, own),
    ),
  );
}

/** A translation, and the milliseconds that it took apart from its engine. */
async function translated(cues: ReturnType<typeof ours>) {
  const from = performance.now();
  const { translator, inside } = timedTranslator(dictionaryOf('de'));
  const profile = profileOf('netflix', 'de');
  const sentences = sentencesOf(cues, 'en');
  const job = { sentences, from: 'en', to: 'de', terms: [], profile };
  const done = await translateSentences(job, translator, { signal: new AbortController().signal });
  const made = translatedResult(sentences, done, profile);
  return { made, own: performance.now() - from - inside() };
}
