/** What a person found in a passage: the words, marks and sounds that its captions have wrong, each in a class. */
import type { CaptionError, ErrorClass } from '../contract/evidence.ts';
import { alignWords, comparable, wordsOf } from './words.ts';

/** A judged passage. */
export interface Judgement {
  /** The words that were said. */
  words: number;
  /** The words that the captions show. */
  shownWords: number;
  /** Substitutions, insertions and deletions, names among them, whatever class a person chose. */
  wordErrors: number;
  /** The words that were said which belong to names, and those of them that are right. */
  names: number;
  namesRight: number;
  errors: CaptionError[];
}

/** A sound in brackets, or the name of a speaker at the beginning of a line; neither is a word that is spoken. */
const SOUND = /\[[^[\]\n]{1,80}\]|\([^()\n]{1,80}\)|[♪♫#][^♪♫#\n]{0,200}[♪♫#]/gu;
const SPEAKER = /^(?:>>\s?)?\p{Lu}[\p{Lu}\p{N}.' ]{0,40}:(?=\s|$)|^>>/gmu;

/**
 * Compares what a passage shows with what a person heard.
 * @param names whether a word belongs to a name
 * @example
 * judge('Hello Ann.', 'Hello, Anne.', (word) => word === 'Anne').errors.map((error) => error.class);
 * // => ['punctuation', 'name']
 */
export function judge(
  shown: string,
  said: string,
  names: (word: string) => boolean = () => false,
): Judgement {
  const [before, after] = [parts(shown), parts(said)];
  const pairs = alignWords(before.words, after.words);
  const errors: CaptionError[] = [];
  let [wordErrors, named, namesRight] = [0, 0, 0];
  for (const { shown: was, said: is } of pairs) {
    const same = was !== null && is !== null && comparable(was) === comparable(is);
    const isName = is !== null && names(bareWord(is));
    if (isName) {
      named += 1;
      if (same) namesRight += 1;
    }
    if (same) {
      if (was !== is) errors.push({ class: 'punctuation', shown: was, said: is });
      continue;
    }
    wordErrors += 1;
    errors.push({ class: isName ? 'name' : classOf(was, is), shown: was, said: is });
  }
  errors.push(...missing('speaker', before.speakers, after.speakers));
  errors.push(...missing('sound', before.sounds, after.sounds));
  return {
    words: after.words.length,
    shownWords: before.words.length,
    wordErrors,
    names: named,
    namesRight,
    errors,
  };
}

/**
 * A word without the marks around it, as names are given.
 * @example
 * bareWord('“Quilter,'); // => 'Quilter'
 */
export const bareWord = (word: string): string =>
  /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su.exec(word)?.[0] ?? '';

/** The classes that a person may give an error, by what it is: no choice turns a wrong word into a right one. */
export const classesFor = ({ class: given }: CaptionError): readonly ErrorClass[] =>
  isOfWords(given) ? [given === 'name' ? 'substitution' : given, 'name'] : [given];

/** Whether errors of a class count in the word error rate. */
const isOfWords = (one: ErrorClass): boolean =>
  one === 'substitution' || one === 'insertion' || one === 'deletion' || one === 'name';

const classOf = (shown: string | null, said: string | null): ErrorClass => {
  if (shown === null) return 'deletion';
  return said === null ? 'insertion' : 'substitution';
};

/** Sounds or speakers of which there are others in one of the texts. */
const missing = (
  kind: ErrorClass,
  shown: readonly string[],
  said: readonly string[],
): CaptionError[] => {
  const [was, is] = [shown.join(' '), said.join(' ')];
  return was.toLowerCase() === is.toLowerCase()
    ? []
    : [{ class: kind, shown: was || null, said: is || null }];
};

/** The words of a text, and the speakers and sounds that are written in it. */
function parts(text: string): { words: string[]; speakers: string[]; sounds: string[] } {
  const sounds = text.match(SOUND) ?? [];
  const speakers = text.match(SPEAKER) ?? [];
  const words = wordsOf(text.replaceAll(SOUND, ' ').replaceAll(SPEAKER, ' '));
  return { words: words.filter((word) => comparable(word) !== ''), speakers, sounds };
}

/** The severity of errors by class, as the NER model weighs them: minor, standard, serious. */
const SEVERITY: Record<ErrorClass, number> = {
  punctuation: 0.25,
  speaker: 0.5,
  sound: 0.5,
  time: 0,
  substitution: 0.5,
  insertion: 0.5,
  deletion: 0.5,
  name: 1,
};

/** The weighted errors of the NER model: what was left out (editions), and what was recognised wrongly. */
export function nerErrors(errors: readonly CaptionError[]): {
  editions: number;
  recognitions: number;
} {
  let [editions, recognitions] = [0, 0];
  for (const { class: kind, said, shown } of errors) {
    if (shown === null && said !== null) editions += SEVERITY[kind];
    else recognitions += SEVERITY[kind];
  }
  return { editions, recognitions };
}

/** Whether each word that captions show is right. */
export const rightWords = (shown: string, said: string): boolean[] =>
  alignWords(parts(shown).words, parts(said).words).flatMap(({ shown: was, said: is }) =>
    was === null ? [] : [is !== null && comparable(was) === comparable(is)],
  );
