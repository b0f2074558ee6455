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
}

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
  return { bySkeleton, hashes, longest, byKey, lengths };
}

/**
 * Whether words that make a name if they are written together may be right as they are, because one of them is a name
 * that was given too: beside Conoco, "Conoco Phillips" may be two.
 */
export const mayStayDivided = (
  { byKey }: NameIndex,
  tokens: readonly string[],
  name: string,
): boolean =>
  tokens.length > 1 &&
  tokens.join('') === name.toLowerCase() &&
  tokens.some((token) =>
    byKey.get(token)?.some(({ before, after }) => before.length + after.length === 0),
  );

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
  const kept = keptFor(index);
  const heard = heardTokens(stream, kept);
  const isBroken = breaksIn(words);
  for (let first = 0; first < tokens.length; first += 1) {
    if (!stream.startsWord(first)) continue;
    let stretch = kept.nothing;
    for (let last = first; last < Math.min(first + MAX_WORDS, tokens.length); last += 1) {
      const word = stream.wordOf(last);
      if (!isFree(word)) break;
      if (last > first && stream.startsWord(last) && isBroken(word)) break;
      const token = heard[last]!;
      stretch = stretch.next?.get(token) ?? longer(stretch, token, index, kept);
      if (stretch.isTooLong) break;
      if (!stretch.isPossible || !stream.endsWord(last)) continue;
      let group = groups.get(stretch.key);
      if (group === undefined) {
        const alike = (stretch.alike ??= alikeTo(stretch, index, kept));
        const { sound } = stretch;
        group = alike.length > 0 ? { tokens: tokensOf(stretch), sound, alike, places: [] } : null;
        groups.set(stretch.key, group);
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

/** Tokens that were heard one after the other. */
interface Stretch {
  /** Its tokens without the ending of the last one, joined by spaces, and with it. */
  key: string;
  whole: string;
  sound: string;
  /** The consonants of the sound without the ending of the last token, and with it. */
  spoken: string;
  skeleton: string;
  /** Whether it has more consonants than any name, and whether any name may sound like it. */
  isTooLong: boolean;
  isPossible: boolean;
  /** The names that it sounds like, once that is asked. */
  alike: readonly Alike[] | undefined;
  /** The stretches that are longer by a token. */
  next: Map<HeardToken, Stretch> | undefined;
}

/** The tokens and stretches that were heard in the talks in which names were searched. */
interface Kept {
  /** Tokens that are words, and those that are spelled. */
  words: Map<string, HeardToken>;
  spelled: Map<string, HeardToken>;
  nothing: Stretch;
  stretches: number;
  /** The targets for the consonants of a stretch, and how many these are, together with their lists. */
  targets: Map<string, readonly Target[]>;
  held: number;
}

/** What was heard in the last talk, and the index of its names. */
let latest: { index: NameIndex; kept: Kept } | undefined;

/**
 * What was heard is kept, because a talk is searched several times and speech repeats itself; but for one index only,
 * since it is far larger than the index.
 */
function keptFor(index: NameIndex): Kept {
  if (latest?.index !== index) latest = { index, kept: nothingKept() };
  return latest.kept;
}

/** The most stretches that are kept. */
const MAX_KEPT = 30_000;
/** The most targets that are kept for consonants. */
const MAX_HELD = 100_000;

const nothingKept = (): Kept => ({
  words: new Map(),
  spelled: new Map(),
  nothing: {
    key: '',
    whole: '',
    sound: '',
    spoken: '',
    skeleton: '',
    isTooLong: false,
    isPossible: false,
    alike: undefined,
    next: undefined,
  },
  stretches: 0,
  targets: new Map(),
  held: 0,
});

/** The class of the sound of a possessive ending. */
const SIBILANT = skeletonOf('s');

/** The tokens of a transcript: a word in capitals is spelled, unless everything is in capitals. */
function heardTokens({ words, tokens, wordOf }: TokenStream, kept: Kept): HeardToken[] {
  const mixed = words.some(({ text }) => /\p{Ll}/u.test(text));
  return tokens.map((token, at) => {
    const isSpelled = mixed && isInCapitals(words[wordOf(at)]!.text);
    const known = isSpelled ? kept.spelled : kept.words;
    let heard = known.get(token);
    if (!heard) {
      heard = heardToken(token, isSpelled);
      if (kept.stretches < MAX_KEPT) known.set(token, heard);
    }
    return heard;
  });
}

/** Whether a word is an acronym in capitals, perhaps with a possessive ending. */
const isInCapitals = (text: string): boolean =>
  /\p{Lu}{2}/u.test(text) && /^\p{Lu}{2,5}(?:['’]s)?$/u.test(wordParts(text).core);

function heardToken(token: string, isSpelled: boolean): HeardToken {
  const ending = token.endsWith("'s") && token.length > 3 ? "'s" : '';
  const text = ending === '' ? token : token.slice(0, -2);
  const sound = text === 'a' ? '@' : isSpelled ? spelledSound(text) : soundOfWord(text);
  return { text, ending, sound, skeleton: skeletonOf(sound) };
}

/** A stretch with one token more. */
function longer(
  stretch: Stretch,
  token: HeardToken,
  { hashes, longest }: NameIndex,
  kept: Kept,
): Stretch {
  const more = isDoubled(stretch.sound, token.sound) ? token.skeleton.slice(1) : token.skeleton;
  const spoken = stretch.skeleton + more;
  const isTooLong = spoken.length > longest + 1;
  const key = stretch === kept.nothing ? token.text : `${stretch.whole} ${token.text}`;
  const made: Stretch = {
    key,
    whole: key + token.ending,
    sound: joinSounds(stretch.sound, token.sound),
    spoken,
    skeleton: token.ending === '' ? spoken : `${spoken}${SIBILANT}`,
    isTooLong,
    isPossible: !isTooLong && mayHaveTargets(hashes, spoken),
    alike: undefined,
    next: undefined,
  };
  if (kept.stretches < MAX_KEPT) {
    kept.stretches += 1;
    (stretch.next ??= new Map()).set(token, made);
  }
  return made;
}

const tokensOf = ({ key }: Stretch): string[] => key.split(' ');

const NONE: readonly Alike[] = [];

/** The forms of names that a stretch sounds like. */
function alikeTo(stretch: Stretch, index: NameIndex, kept: Kept): readonly Alike[] {
  const span = tokensOf(stretch);
  const { key, sound, spoken } = stretch;
  const least = Math.min(...span.map(ordinariness));
  if (least >= FUNCTION_WORD && span.some((token) => token.length > 1)) return NONE;
  const most = MAX_DISTANCE[least === STRANGE ? 'strange' : least <= 2 ? 'rare' : 'common'];
  const nearest = new Map<NameForm, number>();
  for (const { form, sound: wanted } of targetsOf(spoken, index, kept)) {
    const length = Math.max(wanted.length, sound.length);
    if (Math.abs(wanted.length - sound.length) > MAX_GAP * length) continue;
    const apart = soundDistance(sound, wanted, most);
    if (apart <= most && apart < (nearest.get(form) ?? Infinity)) nearest.set(form, apart);
  }
  if (nearest.size === 0) return NONE;
  const said = stemOf(key);
  const joined = span.join('');
  const figures = figuresOf(joined);
  return [...nearest].flatMap(([form, apart]) => {
    const wanted = form.tokens.join('');
    // The same words, or with an ending, or written together where the name is not, are right.
    if (said === stemOf(form.key) || ` ${key} `.includes(` ${form.key} `)) return [];
    if (joined === wanted && /[\s-]/.test(form.text)) return [];
    // Figures are heard well.
    if (figures !== '' && figuresOf(wanted) !== '' && figures !== figuresOf(wanted)) return [];
    if (addsWordTo(index, span, form) || (least > STRANGE && said.startsWith(form.key))) return [];
    const letters = Math.max(joined.length, wanted.length);
    return { form, distance: apart, spelling: distance(joined, wanted) / letters };
  });
}

/** The targets that have the consonants of a stretch, or all but one of them. */
function targetsOf(consonants: string, { bySkeleton }: NameIndex, kept: Kept): readonly Target[] {
  const known = kept.targets.get(consonants);
  if (known) return known;
  // Under several keys of the stretch, a target is the same object.
  const found = new Set<Target>();
  for (const variant of variants(consonants)) {
    for (const target of bySkeleton.get(variant) ?? []) found.add(target);
  }
  const targets = [...found];
  if (kept.held < MAX_HELD) {
    kept.held += 1 + targets.length;
    kept.targets.set(consonants, targets);
  }
  return targets;
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
