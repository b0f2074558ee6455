/** The memory of the caption command: a TMX file of what was translated before, and of what people have changed since. */
import { readFile, stat } from 'node:fs/promises';
import type { Caption } from '../server/captions/cue.ts';
import type { TranslationResult } from '../server/contract/translations.ts';
import { LEAST_ALIKE, type Similar, similarTo } from '../server/translation/similar.ts';
import { withoutTags } from '../server/translation/sentences.ts';
import type { Sentence } from '../server/translation/sentences.ts';
import { readTmx, TMX_END, TMX_HEAD, tmxUnit, type TmxUnit } from '../server/translation/tmx.ts';
import type { KnownTranslation } from '../server/translation/translate.ts';
import { writeWhole } from './captions-file.ts';
import { CommandFailure } from './command-line.ts';
import { asTyped } from './current-folder.ts';

/** The languages of captions and of their translation. */
interface Pair {
  from: string | null;
  to: string;
}

/** The sentences that are known. */
export interface SentenceMemory {
  /**
   * The known translations of sentences, by their number from 0: those of a person, and of the same engine.
   * @param written the captions that this command wrote last time, in which people may have changed sentences
   */
  recall(
    sentences: readonly Sentence[],
    pair: Pair,
    engine: string,
    written: readonly Caption[],
  ): Map<number, KnownTranslation>;
  /** Sentences that are like those that an engine has just translated, the likest of each. */
  similar(sentences: TranslationResult['sentences'], pair: Pair): LikeSentence[];
  /** Notes what was translated. */
  take(sentences: TranslationResult['sentences'], pair: Pair, engine: string): void;
  save(): Promise<void>;
}

/** A sentence by its number from 1, and one of the memory that is like it. */
interface LikeSentence extends Similar {
  sentence: number;
}

/** The most pairs of sentences that are compared for one translation. */
const MAX_COMPARED = 200_000;

/** The largest file that is read, and the most sentences that are kept: those of engines go first. */
const MAX_BYTES = 64 * 2 ** 20;
const MAX_UNITS = 50_000;
/** Captions of a sentence begin and end with it, but for gaps, in seconds. */
const NEAR = 1;

const keyOf = ({ from, to }: Pair, source: string): string =>
  `${(from ?? 'und').toLowerCase()} ${to.toLowerCase()} ${source}`;
const unspaced = (text: string): string => withoutTags(text).replace(/[\s\p{Cf}]+/gu, '');

/**
 * Opens a memory; a file that does not exist is an empty one, and is made when it is saved.
 * @throws {CommandFailure} the file is too large, or cannot be read
 */
export async function openMemory(path: string): Promise<SentenceMemory> {
  const units = new Map<string, TmxUnit>();
  for (const unit of await unitsOf(path)) units.set(keyOf(unit, unit.source), unit);
  const isPersons = ({ engine }: TmxUnit): boolean => engine === undefined;
  return {
    recall(sentences, pair, engine, written) {
      const known = new Map<number, KnownTranslation>();
      sentences.forEach((sentence, at) => {
        const unit = units.get(keyOf(pair, sentence.text));
        if (!unit) return;
        const changed = changedIn(written, sentence, unit.text);
        if (changed !== null) known.set(at, { text: changed, isPersons: true });
        else if (isPersons(unit) || unit.engine === engine) {
          known.set(at, { text: unit.text, isPersons: isPersons(unit) });
        }
      });
      return known;
    },
    similar(sentences, pair) {
      const prefix = keyOf(pair, '');
      const all = [...units].flatMap(([key, { source, text, engine }]) =>
        key.startsWith(prefix) ? [{ source, text, who: engine ?? 'person' }] : [],
      );
      let left = MAX_COMPARED;
      return sentences.flatMap(({ source, kind, remembered }, at) => {
        if (kind === 'as_is' || remembered) return [];
        const near = all
          .filter(
            (each) =>
              each.source !== source &&
              each.source.length >= source.length * LEAST_ALIKE &&
              each.source.length * LEAST_ALIKE <= source.length,
          )
          .slice(0, left);
        left -= near.length;
        const [likest] = similarTo({ sentence: source, remembered: near });
        return likest ? { ...likest, sentence: at + 1 } : [];
      });
    },
    take(sentences, pair, engine) {
      for (const { source, text, state, kind, remembered } of sentences) {
        if (kind === 'as_is' || state === 'missing') continue;
        const key = keyOf(pair, source);
        const before = units.get(key);
        const isTheirs = remembered === 'person';
        if (before && isPersons(before) && !isTheirs) continue;
        const { from, to } = pair;
        units.set(key, {
          from: from ?? 'und',
          to,
          source,
          text,
          ...(!isTheirs && { engine }),
        });
      }
    },
    async save() {
      const all = [...units.values()];
      const kept = [
        ...all.filter(isPersons),
        ...all.filter((unit) => !isPersons(unit)).toReversed(),
      ];
      const body = kept
        .slice(0, MAX_UNITS)
        .map((unit) => tmxUnit(unit, unit.engine ?? 'person'))
        .join('');
      await writeWhole(path, TMX_HEAD + body + TMX_END);
    },
  };
}

async function unitsOf(path: string): Promise<TmxUnit[]> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size === 0) return [];
  if (size > MAX_BYTES) throw new CommandFailure(`${asTyped(path)} is too large for a memory.`);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new CommandFailure(`${asTyped(path)} cannot be read.`);
  const { units } = readTmx(text);
  if (units.length === 0 && !text.includes('<tmx')) {
    throw new CommandFailure(`${asTyped(path)} is no TMX file.`);
  }
  return units;
}

/** What a person has made of a sentence in captions; null if it is as it was, or cannot be told from others. */
function changedIn(
  written: readonly Caption[],
  { start, end }: Sentence,
  before: string,
): string | null {
  const own = written.filter((caption) => {
    const middle = (caption.start + caption.end) / 2;
    return middle >= start && middle < end;
  });
  const isApart = own.every((caption) => caption.start > start - NEAR && caption.end < end + NEAR);
  const text = own
    .flatMap(({ lines }) => lines)
    .join(' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return text !== '' && isApart && unspaced(text) !== unspaced(before) ? text : null;
}

/** The most that are shown. */
const MAX_SHOWN = 10;

/** What of the memory may be used for a translation, for the terminal. */
export function similarLines(language: string, found: readonly LikeSentence[]): string[] {
  const shown = found
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, MAX_SHOWN)
    .map(
      ({ sentence, source, text, likeness }) =>
        `  Sentence ${sentence} is like “${source}” (${Math.round(likeness * 100)} %): “${text}”`,
    );
  if (shown.length === 0) return [];
  const more = found.length - shown.length;
  const count =
    found.length === 1 ? '1 sentence is like one' : `${found.length} sentences are like some`;
  const head = `${language}: ${count} in the memory.`;
  return [head, ...shown, ...(more > 0 ? [`  And ${more} more.`] : [])];
}
