/**
 * The recognisers of this host as functions from a window of samples to words.
 *
 * Combines two recognitions of a window: a plain one, and one whose search was biased towards the run's key terms. A
 * biased search finds rare names, but also invents and loses text (sherpa-onnx issue 3267), so the plain one is the
 * transcript, and only terms are taken from the biased one.
 */
import { createLimiter } from '../../base/concurrency.ts';
import { wholeMilliseconds, type TranscriptWord, type Transcript } from '../../contract/results.ts';
import { isAuto, primarySubtag, runsOnOnnxRuntime } from '../../models/registry.ts';
import { isUnspaced } from '../../whisper/search/text.ts';
import type { PieceTranscript } from '../provider.ts';
import type { EnginePool } from './engine-pool.ts';
import { IDENTIFIED_FROM } from '../language-check.ts';
import type { Engine, Engines, ModelEngine } from './engines.ts';
import { recognizeWithPocketsphinx } from './pocketsphinx.ts';
import type { RecognizeWindow } from './recognise.ts';
import type { HearAgain } from './second-hearing.ts';
import { wordsOfTokens } from './words.ts';
import { diffArrays } from 'diff';
import { compactKey, wordParts } from '../../terminology/match/normalize.ts';
import { similarityOf } from '../../terminology/match/similarity.ts';
import { isAcronym } from '../../terminology/match/english-words.ts';
import { isOrdinaryText } from '../../terminology/match/ordinary-words.ts';

/** Finds the plain words from `from` on that a term replaces; null if it replaces none. */
type PlaceOf = (found: TermMatch, stretches: readonly Stretch[], from: number) => Place | null;

/** The combined words, and the number of plain words that were replaced. */
interface Combined {
  words: TranscriptWord[];
  replaced: number;
}

/**
 * Returns the plain words with the terms that only the biased recognition has, each replacing words that sound similar
 * at the same time. A term gets the times of the words it replaces, and their confidence, because a biased search
 * raises the probabilities of its terms.
 * @param areWeighed whether the terms were also weighed by the sound. If so, the biased search decides nothing where
 * the plain words contain no other term.
 */
const combineRecognitions = (
  plain: readonly TranscriptWord[],
  biased: readonly TranscriptWord[],
  terms: readonly string[],
  { areWeighed = false } = {},
): Combined => {
  const known = new Set(terms.map(compactKey));
  // Words that are already a term, or part of one, are not replaced by another.
  const isTerm = (old: readonly TranscriptWord[]): boolean =>
    known.has(old.map(({ text }) => withoutEnding(compactKey(text))).join(''));
  const heard = termsAmong(
    plain.map(({ text }) => compactKey(text)),
    terms,
  );
  const isAlone = heard.every(({ term }) => isOrdinaryText(term));
  if (isAlone && areWeighed) return { words: [...plain], replaced: 0 };
  const isPart = ({ first, end }: Place): boolean =>
    heard.some((one) => one.first < end && one.end > first && (one.first < first || one.end > end));
  return combine(
    plain,
    biased,
    terms,
    ({ text }) => compactKey(text),
    (found, stretches, from) => {
      const place = alikePlace(found, stretches, { plain, biased, from, isAlone });
      if (!place || isPart(place)) return null;
      return isTerm(plain.slice(place.first, place.end)) ? null : place;
    },
  );
};

/** The same with words that differ from the plain ones only by terms that the sound itself makes probable. */
const takeWeighed = (
  plain: readonly TranscriptWord[],
  weighed: readonly TranscriptWord[],
  terms: readonly string[],
): Combined => combine(plain, weighed, terms, ({ text }) => text, exactPlaceOf(plain, weighed));

function combine(
  plain: readonly TranscriptWord[],
  biased: readonly TranscriptWord[],
  terms: readonly string[],
  keyOf: (word: TranscriptWord) => string,
  placeOfTerm: PlaceOf,
): Combined {
  const heard = termsAmong(
    biased.map(({ text }) => compactKey(text)),
    terms,
  );
  if (heard.length === 0 || plain.length === 0) return { words: [...plain], replaced: 0 };
  const stretches = stretchesOf(plain.map(keyOf), biased.map(keyOf));
  const words: TranscriptWord[] = [];
  let replaced = 0;
  let at = 0;
  for (const found of heard) {
    const place = placeOfTerm(found, stretches, at);
    if (!place) continue;
    words.push(...plain.slice(at, place.first));
    const old = plain.slice(place.first, place.end);
    words.push(...inPlaceOf(old, biased.slice(found.first, found.end)));
    replaced += old.length;
    at = place.end;
  }
  words.push(...plain.slice(at));
  return { words, replaced };
}

/** The terms among words, by key, in order and without overlaps. If several begin at one word, the longest is taken. */
function termsAmong(keys: readonly string[], terms: readonly string[]): TermMatch[] {
  const known = new Map(terms.map((term) => [compactKey(term), term]));
  known.delete('');
  const longest = Math.max(0, ...[...known.keys()].map((key) => key.length));
  const found: TermMatch[] = [];
  for (let first = 0; first < keys.length;) {
    let best: TermMatch | null = null;
    let key = '';
    for (let end = first + 1; end <= keys.length; end += 1) {
      key += keys[end - 1];
      if (key.length > longest + 2) break;
      const term = known.get(key) ?? known.get(withoutEnding(key));
      if (term !== undefined) best = { term, first, end };
    }
    if (best) found.push(best);
    first = best?.end ?? first + 1;
  }
  return found;
}

/** Finds the plain words that a weighed term replaces; null if they already are the term. */
const exactPlaceOf =
  (plain: readonly TranscriptWord[], weighed: readonly TranscriptWord[]): PlaceOf =>
  (found, stretches) => {
    const differing = stretchesAt(found, stretches);
    if (!differing) return null;
    const indexOf = (stretch: Stretch, at: number): number => {
      const [first, end] = stretch.plain;
      if (stretch.equal) return plainIndex(stretch, at);
      if (at === stretch.biased[0]) return first;
      if (at === stretch.biased[1]) return end;
      // Terms that follow each other divide the words at the time at which the later one begins. The times of weighed
      // words are less exact, so that each term gets at least a word.
      const { start } = weighed[at]!;
      const earlier = plain.slice(first, end).filter((word) => centre(word) < start);
      return Math.max(first + 1, Math.min(end - 1, first + earlier.length));
    };
    const first = indexOf(differing.head, found.first);
    const end = indexOf(differing.tail, found.end);
    return end > first ? { first, end } : null;
  };

const centre = ({ start, end }: TranscriptWord): number => (start + end) / 2;

/** The words of a term with the times, confidence and outer punctuation of the words they replace. */
function inPlaceOf(
  old: readonly TranscriptWord[],
  term: readonly TranscriptWord[],
): TranscriptWord[] {
  const [start, end] = [old[0]?.start ?? 0, old.at(-1)?.end ?? 0];
  const known = old.every(({ confidence }) => confidence !== undefined);
  const confidence = Math.round(100 * meanOf(old)) / 100;
  const last = term.length - 1;
  // The same number of words keep their times; otherwise the words share the time in proportion to their letters.
  const letters = term.map(({ text }) => text.length);
  const all = letters.reduce((sum, count) => sum + count, 0);
  let passed = 0;
  return term.map(({ text }, at) => {
    const shared = (count: number) => wholeMilliseconds(start + ((end - start) * count) / all);
    const own = term.length === old.length ? old[at] : undefined;
    const from = own?.start ?? (at === 0 ? start : shared(passed));
    passed += letters[at] ?? 0;
    const { core } = wordParts(text);
    const lead = at === 0 ? wordParts(old[0]?.text ?? '').lead : '';
    const trail = at === last ? wordParts(old.at(-1)?.text ?? '').trail : '';
    return {
      text: `${lead}${core === '' ? text : core}${trail}`,
      start: from,
      end: own?.end ?? (at === last ? end : shared(passed)),
      ...(known ? { confidence } : {}),
    };
  });
}

// The stretches in which a plain and a biased recognition of a window agree or differ.

/** A stretch in which the recognitions agree or differ, as index ranges in both that exclude their ends. */
interface Stretch {
  equal: boolean;
  plain: [first: number, end: number];
  biased: [first: number, end: number];
}

/** Divides two recognitions, by the keys of their words. */
function stretchesOf(plain: readonly string[], biased: readonly string[]): Stretch[] {
  const stretches: Stretch[] = [];
  let [p, b] = [0, 0];
  for (const { added, removed, count = 0 } of diffArrays([...plain], [...biased])) {
    const last = stretches.at(-1);
    const equal = !added && !removed;
    const [nextP, nextB] = [added ? p : p + count, removed ? b : b + count];
    // A replacement is reported as a removal and an addition.
    if (last && !equal && !last.equal) [last.plain[1], last.biased[1]] = [nextP, nextB];
    else stretches.push({ equal, plain: [p, nextP], biased: [b, nextB] });
    [p, b] = [nextP, nextB];
  }
  return stretches;
}

/**
 * The first and the last of the stretches that biased words are in, from `first` up to but not including `end`; null if
 * the recognitions agree in all of them.
 */
function stretchesAt(
  { first, end }: { first: number; end: number },
  stretches: readonly Stretch[],
): { head: Stretch; tail: Stretch } | null {
  const touched = stretches.filter(({ biased: [a, b] }) => a < end && b > first);
  const [head, tail] = [touched[0], touched.at(-1)];
  return head && tail && !touched.every(({ equal }) => equal) ? { head, tail } : null;
}

/** The index of a plain word where the recognitions agree, so that words correspond one to one. */
const plainIndex = ({ plain: [p], biased: [b] }: Stretch, at: number): number => p + at - b;

// Finds the words of a plain recognition that sound like a term of a biased one, at the same time.

/**
 * Replaces words only with a term that sounds at least so much like them (0 to 1): “cooper netties” becomes Kubernetes.
 * It can be low, because the biased search found the term there too.
 */
const MIN_SIMILARITY = 0.5;
/** The same between their ends, if they begin alike. */
const MIN_SIMILARITY_OF_END = 0.3;
/** The same for ordinary words if no other term was recognised, so that nothing else is evidence of the subject. */
const MIN_SIMILARITY_ALONE = 0.55;
/** Ordinary words with this confidence or more are kept; the audit decides whether they are a term after all. */
const SURE = 0.8;
/** The greatest difference between the times of a term in the two recognitions, in seconds. */
const SAME_TIME = 0.8;
/** The most words that a term may replace in addition to the number of its own. */
const MORE_WORDS = 2;

/** A term in the biased words, from `first` up to but not including `end`. */
interface TermMatch {
  term: string;
  first: number;
  end: number;
}

/** A range of words that excludes its end. */
type Place = Pick<TermMatch, 'first' | 'end'>;

/** The words of both recognitions. */
interface Recognitions {
  plain: readonly TranscriptWord[];
  biased: readonly TranscriptWord[];
  /** The first plain word that may be replaced. */
  from: number;
  /** Whether the plain words contain no other term. */
  isAlone: boolean;
}

/** A text without a possessive ending. */
const withoutEnding = (text: string): string => text.replace(/['’]s$/, '');

/** The plain words that a term from the biased recognition replaces; null if it replaces none. */
function alikePlace(
  found: TermMatch,
  stretches: readonly Stretch[],
  { plain, biased, from, isAlone }: Recognitions,
): Place | null {
  const differing = stretchesAt(found, stretches);
  if (!differing) return null;
  const { term, first, end } = found;
  const { head, tail } = differing;
  // Where the recognitions differ, look for words that sound like the term.
  const starts = head.equal ? [plainIndex(head, first), plainIndex(head, first)] : head.plain;
  const ends = tail.equal ? [plainIndex(tail, end), plainIndex(tail, end)] : tail.plain;
  let best: (Place & { similarity: number }) | null = null;
  const most = end - first + MORE_WORDS;
  for (let p = Math.max(from, starts[0] ?? 0); p <= (starts[1] ?? 0); p += 1) {
    for (let q = Math.max(p + 1, ends[0] ?? 0); q <= Math.min(ends[1] ?? 0, p + most); q += 1) {
      const old = plain.slice(p, q);
      if (!atSameTime(old, biased.slice(first, end))) continue;
      if (unlikeEnd(old, term)) continue;
      const similarity = similarityOf(withoutEnding(old.map(({ text }) => text).join(' ')), term);
      if (similarity >= Math.max(MIN_SIMILARITY, best?.similarity ?? 0)) {
        best = { first: p, end: q, similarity };
      }
    }
  }
  if (!best) return null;
  const old = plain.slice(best.first, best.end);
  const isSure = meanOf(old) >= SURE;
  // Without another term, a name that is a word ("Wrangler") cannot be told from that word, nor GDPR from a confident
  // "GDP".
  const isOrdinaryName = !term.includes(' ') && isOrdinaryText(term);
  if (isAlone && (isOrdinaryName || (isSure && old.some(isAcronym)))) return null;
  if (!old.every(({ text }) => isOrdinaryText(text))) return best;
  return isSure || (isAlone && best.similarity < MIN_SIMILARITY_ALONE) ? null : best;
}

/**
 * Whether words begin like a term but continue quite differently, or end there: neither “cloud flare team” nor “cloud
 * flare” is Cloudflare Queues, however similar the whole is.
 */
function unlikeEnd(old: readonly TranscriptWord[], term: string): boolean {
  const [begin, ...rest] = term.split(' ');
  if (rest.length === 0) return false;
  let key = '';
  const last = old.findIndex(({ text }) => (key += compactKey(text)) === compactKey(begin!));
  if (last < 0) return false;
  const end = old.slice(last + 1).map(({ text }) => withoutEnding(text));
  return similarityOf(end.join(' '), rest.join(' ')) < MIN_SIMILARITY_OF_END;
}

function atSameTime(a: readonly TranscriptWord[], b: readonly TranscriptWord[]): boolean {
  const start = Math.abs((a[0]?.start ?? 0) - (b[0]?.start ?? 0));
  const end = Math.abs((a.at(-1)?.end ?? 0) - (b.at(-1)?.end ?? 0));
  return start <= SAME_TIME && end <= SAME_TIME;
}

/** The geometric mean of the confidences; 1 if there are none. */
const meanOf = (words: readonly TranscriptWord[]): number =>
  Math.exp(
    words.reduce((sum, { confidence = 1 }) => sum + Math.log(Math.max(confidence, 1e-6)), 0) /
      Math.max(1, words.length),
  );

/** The key terms of a run, and the results of using them in the windows of a piece. */
interface KeytermUse {
  terms: readonly string[];
  /** The pronunciations of some of the terms. */
  says: Readonly<Record<string, string>>;
  /** The words that often occur near some of the terms. */
  near: Readonly<Record<string, readonly string[]>>;
  /** The number of windows recognised with them, and the number of these in which that failed. */
  windows: number;
  failed: number;
  /** The number of words replaced by a term. */
  replaced: number;
}

/** Facts about a recognised window other than its words. Plain JSON. */
export interface WindowNote {
  /** In seconds of the recording. */
  start: number;
  end: number;
  language: string;
  words: number;
  /** Number of words dropped as hallucinations. */
  dropped: number;
  /** The language by the sound, whichever was asked for. */
  identified?: { language: string; probability: number };
  /** The model, if it is another one than the run's. */
  model?: string;
}

/**
 * Creates the recogniser of an engine.
 * @param language BCP 47, or `auto` to detect it for each window
 * @param notes receives the language and the number of dropped words of each window
 * @param use the key terms, for an engine that uses them; receives the results
 */
export type WindowRecognisers = (
  engine: Engine,
  language: string,
  notes: WindowNote[],
  use: KeytermUse,
) => Promise<RecognizeWindow>;

/** Creates recognisers that use a pool of recogniser processes; pocketsphinx has as many slots as the pool. */
export function createWindowRecognisers(
  engines: Engines,
  pool: EnginePool,
  tempDir: string,
): WindowRecognisers {
  const limited = createLimiter(pool.slots);

  return async (engine, language, notes, use) => {
    if (engine.engine === 'pocketsphinx') {
      return (samples, window, signal) =>
        limited(async () => {
          const words = await recognizeWithPocketsphinx(samples, tempDir, signal);
          return words.map((word) => shifted(word, window.start));
        }, signal);
    }
    const model = await engines.modelFiles(engine.model);
    const spoken = primarySubtag(language);
    if (!runsOnOnnxRuntime(model.kind)) {
      return async (samples, window, signal) => {
        const hints = { language: spoken };
        const heard = await pool.recognize(model, samples, signal, hints);
        const words = wordsOfTokens(heard, window, isUnspaced(spoken));
        const biased = engine.acceptsTerms === true && use.terms.length > 0 && words.length > 0;
        return biased ? withTerms(words, samples, window, signal) : words;
      };
    }
    /**
     * The words of a window, with key terms from a second, biased recognition. If that fails, the words are returned
     * without them.
     */
    async function withTerms(
      words: TranscriptWord[],
      samples: Float32Array,
      window: { start: number; end: number },
      signal: AbortSignal,
    ): Promise<TranscriptWord[]> {
      use.windows += 1;
      try {
        const heard = await pool.recognize(model, samples, signal, { terms: use.terms });
        const combined = combineRecognitions(words, wordsOfTokens(heard, window), use.terms);
        use.replaced += combined.replaced;
        return combined.words;
      } catch {
        signal.throwIfAborted();
        use.failed += 1;
        return words;
      }
    }
    const expected = isAuto(language) ? null : spoken;
    return async (samples, { start, end }, signal) => {
      const terms = engine.acceptsTerms === true ? use.terms : [];
      const hints = {
        language: expected,
        ...(terms.length > 0 ? { terms, says: use.says, near: use.near } : {}),
      };
      const heard = await pool.hear(model, samples, signal, hints);
      const { words, dropped } = heard;
      if (words.length > 0 || dropped > 0) {
        const { language: spokenHere, identified } = heard;
        notes.push({
          start,
          end,
          language: spokenHere,
          words: words.length,
          dropped,
          ...(identified && { identified }),
        });
      }
      const placed = (list: typeof words): TranscriptWord[] =>
        list.map((word) => ({ ...shifted(word, start), confidence: twoDigits(word.confidence) }));
      if (words.length > 0 && terms.length > 0) use.windows += 1;
      if (heard.biasedFailed) use.failed += 1;
      let combined = placed(words);
      // What the sound itself decides comes first, so that the second search replaces no term that was found there.
      for (const [found, combine] of [
        [heard.weighed, takeWeighed],
        [heard.biased, combineWeighed],
      ] as const) {
        if (!found) continue;
        const { words: taken, replaced } = combine(combined, placed(found), terms);
        combined = taken;
        use.replaced += replaced;
      }
      return combined;
    };
  };
}

/**
 * Hears windows again with other models: one that identifies languages recognises what is in another language in that
 * one, and anything else is heard by the model that did not hear it first.
 * @param notes the notes of the first hearing; those of windows that are replaced are too
 * @returns null if there is no other model
 */
export function secondHearing(
  recognisers: WindowRecognisers,
  { identifier, other }: Awaited<ReturnType<Engines['others']>>,
  first: { engine: Engine; language: string },
  notes: WindowNote[],
  use: KeytermUse,
): HearAgain | null {
  if (!identifier && !other) return null;
  const spoken = primarySubtag(first.language);
  const isSame = 'model' in first.engine && first.engine.model === identifier?.model;
  const noteOf = (list: readonly WindowNote[], { start, end }: { start: number; end: number }) =>
    list.find((note) => note.start === start && note.end === end);
  const hear = async (
    engine: ModelEngine,
    language: string,
    ...[samples, window, signal]: Parameters<RecognizeWindow>
  ) => {
    const own: WindowNote[] = [];
    const recognize = await recognisers(engine, language, own, use);
    const words = await recognize(samples, window, signal);
    const note = noteOf(own, window);
    return {
      words,
      identified: note?.identified,
      isForeign: isOtherLanguage(note?.identified, spoken),
      keep() {
        const at = notes.findIndex(
          ({ start, end }) => start === window.start && end === window.end,
        );
        const replaced = { ...window, language, words: words.length, dropped: 0, ...note };
        notes.splice(Math.max(0, at), at < 0 ? 0 : 1, { ...replaced, model: engine.model });
      },
    };
  };
  return async (_words, samples, window, signal) => {
    const known = noteOf(notes, window)?.identified;
    if (identifier && (!isSame || isOtherLanguage(known, spoken))) {
      const heard = await hear(identifier, 'auto', samples, window, signal);
      const isSettled = heard.isForeign || heard.identified?.language === spoken || isSame;
      return isSettled ? heard : hear(identifier, first.language, samples, window, signal);
    }
    return other ? hear(other, first.language, samples, window, signal) : null;
  };
}

/** Whether a language was identified as another one. */
const isOtherLanguage = (identified: WindowNote['identified'], asked: string): boolean =>
  identified !== undefined &&
  identified.language !== asked &&
  identified.probability >= IDENTIFIED_FROM;

const combineWeighed: typeof combineRecognitions = (plain, biased, terms) =>
  combineRecognitions(plain, biased, terms, { areWeighed: true });

const shifted = <W extends { start: number; end: number }>(word: W, by: number): W => ({
  ...word,
  start: wholeMilliseconds(by + word.start),
  end: wholeMilliseconds(by + word.end),
});

const twoDigits = (value: number): number => Math.round(value * 100) / 100;

// Summarises how the pieces of a run used the key terms.

/** The counts of a piece, without the terms. Plain JSON. */
type TermCounts = Omit<KeytermUse, 'terms' | 'says' | 'near'>;

/**
 * Adds to the metadata of a transcript how many words key terms replaced (`keytermWords`), and whether the terms could
 * not be used in places. Returns the same object if no engine used terms.
 */
export function withTermCounts(
  transcript: Transcript,
  pieces: readonly PieceTranscript[],
): Transcript {
  const counts = pieces.flatMap(({ keytermUse }) => (keytermUse as TermCounts | undefined) ?? []);
  if (counts.length === 0) return transcript;
  const sum = (count: (of: TermCounts) => number): number =>
    counts.reduce((all, each) => all + count(each), 0);
  const [windows, failed] = [sum((each) => each.windows), sum((each) => each.failed)];
  return {
    ...transcript,
    metadata: {
      ...transcript.metadata,
      keytermWords: sum((each) => each.replaced),
      ...(failed > 0
        ? {
            keytermsInjected: failed < windows,
            keytermsNote: `The recogniser could not use the key terms in ${failed} of ${windows} stretches, which were recognised without them.`,
          }
        : {}),
    },
  };
}
