/** Finds the stretches of a transcript that sound like a form of a name. */
import { distance } from 'fastest-levenshtein';
import { wordParts } from '../match/normalize.ts';
import { hashOf, MAX_SOUND, mayHaveTargets, variants } from '../match/similarity.ts';
import { spanIsBroken } from '../match/replace.ts';
import type { TokenStream } from '../match/token-stream.ts';
import { MAX_PHONEMES, skeletonOf, soundDistance } from '../sound/phonemes.ts';
import { isDoubled, joinSounds, soundOfWord, spelledSound } from '../sound/pronounce.ts';
import type { NameForm } from './forms.ts';
import { FUNCTION_WORD, ordinariness, STRANGE } from './ordinariness.ts';

/** The most words of a stretch. */
const MAX_WORDS = 4;
/** The greatest distance in sound: of words that are not English, of rare ones, and of the most common. */
const MAX_DISTANCE = { strange: 0.36, rare: 0.25, common: 0.2 } as const;
/** The most forms per skeleton, because the names of a request may all sound alike. */
const MAX_ALIKE = 200;
/** A sound that differs in length by more than this share is not compared. */
const MAX_GAP = 0.5;

interface Target {
  form: NameForm;
  sound: string;
}

/** Forms of names by their sound. */
export interface NameIndex {
  /** By the consonants of the sound, and by these without one of them. */
  bySkeleton: ReadonlyMap<string, readonly Target[]>;
  /** The hashes of these keys, which rule out most stretches. */
  hashes: ReadonlySet<number>;
  /** The most consonants of a form. */
  longest: number;
  /** By their tokens, joined by spaces. */
  byKey: ReadonlyMap<string, readonly NameForm[]>;
  /** The most tokens of a form that begins with a token. */
  lengths: ReadonlyMap<string, number>;
  /** What stretches sound like, because a talk is searched several times and speech repeats itself. */
  kept: Map<string, readonly Alike[]>;
}

/** The most stretches that are kept. */
const MAX_KEPT = 20_000;
const NONE: readonly Alike[] = [];

/** Indexes forms of names. */
export function indexNames(forms: readonly NameForm[]): NameIndex {
  const bySkeleton = new Map<string, Target[]>();
  const hashes = new Set<number>();
  const byKey = new Map<string, NameForm[]>();
  const lengths = new Map<string, number>();
  let longest = 0;
  for (const form of forms) {
    const alike = byKey.get(form.key);
    if (alike) alike.push(form);
    else byKey.set(form.key, [form]);
    const head = form.tokens[0]!;
    lengths.set(head, Math.max(lengths.get(head) ?? 0, form.tokens.length));
    for (const sound of form.sounds) {
      const skeleton = skeletonOf(sound);
      if (sound.length > MAX_PHONEMES || skeleton === '' || skeleton.length > MAX_SOUND) continue;
      longest = Math.max(longest, skeleton.length);
      const target = { form, sound };
      for (const variant of variants(skeleton)) {
        const targets = bySkeleton.get(variant) ?? [];
        if (targets.length < MAX_ALIKE) targets.push(target);
        bySkeleton.set(variant, targets);
        hashes.add(hashOf(variant));
      }
    }
  }
  return { bySkeleton, hashes, longest, byKey, lengths, kept: new Map() };
}

/** A form of a name that a stretch sounds like. */
export interface Alike {
  form: NameForm;
  /** How far apart they sound, and are spelled: 0 is the same. */
  distance: number;
  spelling: number;
}

/** A stretch of tokens. */
export interface Place {
  first: number;
  last: number;
  /** The ending of its last token that the name lacks. */
  suffix: '' | "'s";
}

/** The same words in all their places, and what they sound like. */
export interface Group {
  /** Without a possessive. */
  tokens: readonly string[];
  sound: string;
  alike: readonly Alike[];
  places: Place[];
}

/**
 * The words of a transcript that sound like a name and are not that name, in groups.
 * @param isFree whether a word may be a part of a stretch
 */
export function groupsIn(
  stream: TokenStream,
  index: NameIndex,
  isFree: (word: number) => boolean,
): Group[] {
  const { tokens, words } = stream;
  const groups = new Map<string, Group | null>();
  const heard = heardTokens(stream);
  const isBroken = breaksIn(words);
  for (let first = 0; first < tokens.length; first += 1) {
    if (!stream.startsWord(first)) continue;
    let skeleton = '';
    let sound = '';
    for (let last = first; last < Math.min(first + MAX_WORDS, tokens.length); last += 1) {
      const word = stream.wordOf(last);
      if (!isFree(word)) break;
      if (last > first && stream.startsWord(last) && isBroken(word)) break;
      const token = heard[last]!;
      const more = isDoubled(sound, token.sound) ? token.skeleton.slice(1) : token.skeleton;
      const spoken = skeleton + more;
      skeleton = token.ending === '' ? spoken : `${spoken}${SIBILANT}`;
      sound = joinSounds(sound, token.sound);
      if (spoken.length > index.longest + 1) break;
      if (!stream.endsWord(last) || !mayHaveTargets(index.hashes, spoken)) continue;
      const span = heard.slice(first, last).map((one) => one.text + one.ending);
      span.push(token.text);
      const key = span.join(' ');
      let group = groups.get(key);
      if (group === undefined) {
        const alike = keptAlike(span, sound, spoken, index);
        group = alike.length > 0 ? { tokens: span, sound, alike, places: [] } : null;
        groups.set(key, group);
      }
      group?.places.push({ first, last, suffix: token.ending });
    }
  }
  return [...groups.values()].flatMap((group) => group ?? []);
}

/** Whether something separates a word from the one before, each found out once. */
function breaksIn(words: TokenStream['words']): (word: number) => boolean {
  const known = new Uint8Array(words.length);
  return (word) => {
    known[word] ||= spanIsBroken(words, word - 1, word) ? 2 : 1;
    return known[word] === 2;
  };
}

/** A token without its possessive ending, and how it sounds. */
interface HeardToken {
  text: string;
  ending: '' | "'s";
  sound: string;
  skeleton: string;
}

/** The class of the sound of a possessive ending. */
const SIBILANT = skeletonOf('s');

/** The tokens of a transcript: a word in capitals is spelled, unless everything is in capitals. */
function heardTokens({ words, tokens, wordOf }: TokenStream): HeardToken[] {
  const mixed = words.some(({ text }) => /\p{Ll}/u.test(text));
  const known = new Map<string, HeardToken>();
  return tokens.map((token, at) => {
    const text = words[wordOf(at)]!.text;
    const key = `${token} ${text}`;
    let heard = known.get(key);
    if (!heard) {
      const ending = token.endsWith("'s") && token.length > 3 ? "'s" : '';
      const stem = ending === '' ? token : token.slice(0, -2);
      const isSpelled = mixed && /^\p{Lu}{2,5}(?:['’]s)?$/u.test(wordParts(text).core);
      const sound = stem === 'a' ? '@' : isSpelled ? spelledSound(stem) : soundOfWord(stem);
      known.set(key, (heard = { text: stem, ending, sound, skeleton: skeletonOf(sound) }));
    }
    return heard;
  });
}

function keptAlike(
  span: readonly string[],
  sound: string,
  skeleton: string,
  index: NameIndex,
): readonly Alike[] {
  const key = `${span.join(' ')} ${sound}`;
  let alike = index.kept.get(key);
  if (alike === undefined) {
    const found = alikeTo(span, sound, skeleton, index);
    alike = found.length > 0 ? found : NONE;
    if (index.kept.size < MAX_KEPT) index.kept.set(key, alike);
  }
  return alike;
}

function alikeTo(
  span: readonly string[],
  sound: string,
  skeleton: string,
  index: NameIndex,
): Alike[] {
  const least = Math.min(...span.map(ordinariness));
  if (least >= 5 && span.some((token) => token.length > 1)) return [];
  const most = MAX_DISTANCE[least === STRANGE ? 'strange' : least <= 2 ? 'rare' : 'common'];
  const nearest = new Map<NameForm, number>();
  const compared = new Set<Target>();
  for (const variant of variants(skeleton)) {
    for (const target of index.bySkeleton.get(variant) ?? []) {
      // Under several keys of the stretch, a target is the same object.
      if (compared.has(target)) continue;
      compared.add(target);
      const { form, sound: wanted } = target;
      const longer = Math.max(wanted.length, sound.length);
      if (Math.abs(wanted.length - sound.length) > MAX_GAP * longer) continue;
      const apart = soundDistance(sound, wanted, most);
      if (apart <= most && apart < (nearest.get(form) ?? Infinity)) nearest.set(form, apart);
    }
  }
  const said = stemOf(span.join(' '));
  const joined = span.join('');
  const figures = figuresOf(joined);
  return [...nearest].flatMap(([form, apart]) => {
    const wanted = form.tokens.join('');
    // The same words, or with an ending, or written together where the name is not, are right.
    if (said === stemOf(form.key) || ` ${span.join(' ')} `.includes(` ${form.key} `)) return [];
    if (joined === wanted && /[\s-]/.test(form.text)) return [];
    // Figures are heard well.
    if (figures !== '' && figuresOf(wanted) !== '' && figures !== figuresOf(wanted)) return [];
    if (addsWordTo(index, span, form) || (least > STRANGE && said.startsWith(form.key))) return [];
    const letters = Math.max(joined.length, wanted.length);
    return { form, distance: apart, spelling: distance(joined, wanted) / letters };
  });
}

const figuresOf = (text: string): string => text.replace(/\D+/g, '');

/** Whether all but the first or last of the heard words are a name that is given too, and the other is a small word. */
function addsWordTo({ byKey }: NameIndex, span: readonly string[], form: NameForm): boolean {
  return [span.slice(0, -1), span.slice(1)].some((rest, at) => {
    const other = span.at(at - 1)!;
    return (
      rest.length > 0 &&
      byKey.has(rest.join(' ')) &&
      ordinariness(other) === FUNCTION_WORD &&
      !form.tokens.includes(other)
    );
  });
}

const stemOf = (key: string): string => key.replace(/'?s$/, '');
