/**
 * What speaks for and against each name that a stretch of the talk sounds like: how it sounds and is written, how
 * ordinary the heard words are, how often the talk has them and the name, and what stands around them.
 */
import { endsSentence } from '../../captions/punctuation.ts';
import { wordParts } from '../match/normalize.ts';
import type { TokenStream } from '../match/token-stream.ts';
import { soundDistance } from '../sound/phonemes.ts';
import { isListed, soundOfWord } from '../sound/pronounce.ts';
import type { Alike, Group, NameIndex, Place } from './candidates.ts';
import { ordinariness, STRANGE } from './ordinariness.ts';

/** Words before a person's name, and after it. */
const TITLE = /(?:^| )(?:mr|mister|mrs|missus|ms|miss|dr|doctor|professor|sir)$/;
const BEFORE =
  /(?:line of|question (?:is|comes|will come)(?: now)? from|comes? from|introduce|joined by|over to|back to|name is|please welcome|colleague)$/;
const AFTER =
  /^(?:please (?:go ahead|proceed)|your line|go ahead|our (?:chief|president|ceo|cfo|vice)|chief|president|ceo|cfo|(?:executive |senior )?vice president)(?: |$)/;
/** Words that often stand around a name, but also around others. */
const AROUND = {
  before:
    /(?:thank you|thanks|good (?:morning|afternoon|evening|day)|hi|hello|hey|this is|welcome|by|with|i'm|i am|okay|ok|yes|yeah|sure|morning|afternoon)$/,
  after: /^(?:from|with|of|and i|for your|and|here|this is|speaking|i|will|good)(?: |$)/,
};
/** Words with which people are greeted and thanked. */
const GREETING = /(?:^| )(?:thank you|thanks|good (?:morning|afternoon|evening|day)|hi|hello|hey)$/;
/** The words before and after a stretch that are looked at. */
const REACH = 4;

/** The talk in which names are searched. */
export interface Talk {
  stream: TokenStream;
  index: NameIndex;
  /** How often each word, and each form of a name, stands in it. */
  counts: ReadonlyMap<string, number>;
}

/** Counts the words of a talk, and the forms of names in it. */
export function talkOf(stream: TokenStream, index: NameIndex): Talk {
  const counts = new Map<string, number>();
  const { tokens } = stream;
  for (let first = 0; first < tokens.length; first += 1) {
    let key = bare(tokens[first]!);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const longest = index.lengths.get(key) ?? 1;
    for (let last = first + 1; last < Math.min(first + longest, tokens.length); last += 1) {
      key += ` ${bare(tokens[last]!)}`;
      if (index.byKey.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return { stream, index, counts };
}

const bare = (token: string): string => token.replace(/'s$/, '');

/** The evidence at a place. */
export type Evidence = Readonly<Record<(typeof KINDS)[number], number>>;

/**
 * The kinds of evidence, and what each adds to the score of a place: fitted by logistic regression to 22 calls as four
 * recognisers wrote them, in halves of which each was judged by the weights of the other.
 */
const WEIGHTS = {
  always: 2.94,
  'known name': -0.8,
  'rare words': -1.47,
  'common words': -1.74,
  'distance of strange words': -9.98,
  'distance of known names': -9.81,
  'distance of rare words': -12.01,
  'distance of common words': -15.75,
  'capitals of strange words': 0.41,
  'capitals of rare words': 1.35,
  'capitals of common words': 2.42,
  'cue for strange words': 0.54,
  'cue for ordinary words': 2.99,
  'cues elsewhere': 0.91,
  'around strange words': 0.54,
  'beside strange words': 2.77,
  'beside ordinary words': 3.17,
  'beside elsewhere': 1,
  spelling: -3.3,
  short: -0.19,
  'ordinary name': -0.78,
  grammar: -1.35,
  'a name of several words': 1.95,
  'a name in capitals': 0.43,
  'a name in no dictionary': 1.52,
  joined: 2.34,
  'part of another name': -0.7,
  'name said': 0.56,
  'strange words said': -1.05,
  'ordinary words said': -0.4,
  'said instead of the name': 0.51,
  'first sound': -0.54,
  'last sound': -0.46,
};
const KINDS = Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[];

/** The evidence at each place of a group for one of the names that it sounds like. */
export function evidenceFor(
  talk: Talk,
  group: Group,
  { form, distance, spelling }: Alike,
): Evidence[] {
  const { counts, index } = talk;
  const classes = group.tokens.map(ordinariness);
  const least = Math.min(...classes);
  const strange = Number(least === STRANGE);
  const ordinary = 1 - strange;
  const isKnown =
    strange && group.tokens.every((one) => ordinariness(one) > STRANGE || isListed(one));
  const [known, common] = [Number(isKnown), Number(least >= 4)];
  const rare = ordinary - common;
  const around = surroundingsIn(talk.stream, group);
  const mean = (of: (one: (typeof around)[number]) => number) =>
    around.reduce((sum, one) => sum + of(one), 0) / around.length;
  const within = around.filter(({ begins }) => !begins);
  const capitals =
    within.length === 0 ? 0.4 : within.filter(({ capital }) => capital).length / within.length;
  const said = counts.get(form.key) ?? 0;
  const often = group.places.length;
  const nearestOf = (at: number) =>
    Math.min(
      ...form.sounds.map((one) => soundDistance(one.at(at) ?? '', group.sound.at(at) ?? '')),
    );
  const [heard, wanted] = [group.tokens.join(''), form.tokens.join('')];
  const shared = {
    always: 1,
    'known name': known,
    'rare words': rare,
    'common words': common,
    'distance of strange words': distance * (strange - known),
    'distance of known names': distance * known,
    'distance of rare words': distance * rare,
    'distance of common words': distance * common,
    'capitals of strange words': capitals * strange,
    'capitals of rare words': capitals * rare,
    'capitals of common words': capitals * common,
    'cues elsewhere': mean(({ cue }) => cue),
    spelling,
    short: Math.max(0, 6 - Math.max(...form.sounds.map((one) => one.length))),
    'ordinary name': Number(form.ordinary >= 2),
    grammar: Number(classes.includes(5)),
    'a name of several words': Number(form.tokens.length > 1),
    joined: Number(heard === wanted),
    'part of another name': Number(
      group.tokens.some((one) => index.byKey.has(one) && !form.tokens.includes(one)),
    ),
    'name said': Math.log1p(said),
    'strange words said': Math.log1p(often) * strange,
    'ordinary words said': Math.log1p(often) * ordinary,
    'said instead of the name': said === 0 ? Math.log(often) * strange : 0,
    'a name in capitals': Number(form.isAcronym),
    'a name in no dictionary': Number(form.tokens.length === 1 && !isListed(form.key)),
    'first sound': nearestOf(0),
    'last sound': nearestOf(-1),
  };
  const besides = around.map(({ before, after }) =>
    Math.max(besideOf(before, form.before.at(-1)), besideOf(after, form.after[0])),
  );
  const most = Math.max(...besides);
  return around.map(({ cue, weak }, at) => {
    const beside = besides[at]!;
    return {
      ...shared,
      'cue for strange words': cue * strange,
      'cue for ordinary words': cue * ordinary,
      'around strange words': weak * strange,
      'beside strange words': beside * strange,
      'beside ordinary words': beside * ordinary,
      'beside elsewhere': most - beside,
    };
  });
}

/** A sound as near as this to a word of the name counts as that word. */
const NEARLY = 0.2;

function besideOf(heard: string | undefined, wanted: string | undefined): number {
  if (heard === undefined || wanted === undefined) return 0;
  if (bare(heard) === wanted) return 1;
  return soundDistance(soundOfWord(heard), soundOfWord(wanted)) < NEARLY ? 0.7 : 0;
}

/** What stands around a stretch. */
interface Surroundings {
  cue: number;
  weak: number;
  /** The words next to it. */
  before: string | undefined;
  after: string | undefined;
  /** Whether it begins a sentence, and whether it has a capital. */
  greets: boolean;
  begins: boolean;
  capital: boolean;
}

const made = new WeakMap<Group, Surroundings[]>();

/** What stands around each place of a group, which is the same for every name that it sounds like. */
function surroundingsIn(stream: TokenStream, group: Group): Surroundings[] {
  let around = made.get(group);
  if (!around)
    made.set(group, (around = group.places.map((place) => surroundingsOf(stream, place))));
  return around;
}

function surroundingsOf(
  { tokens, words, wordOf }: TokenStream,
  { first, last }: Place,
): Surroundings {
  const before = tokens.slice(Math.max(0, first - REACH), first).join(' ');
  const after = tokens.slice(last + 1, last + 1 + REACH).join(' ');
  const previous = words[wordOf(first) - 1];
  return {
    cue: Number(TITLE.test(before) || BEFORE.test(before) || AFTER.test(after)),
    greets: GREETING.test(before),
    weak: Number(AROUND.before.test(before) || AROUND.after.test(after)),
    before: tokens[first - 1],
    after: tokens[last + 1],
    begins: first === 0 || previous === undefined || endsSentence(previous.text),
    capital: /^\p{Lu}/u.test(wordParts(words[wordOf(first)]!.text).core),
  };
}

/** In how many of its places a person is introduced, greeted or thanked with a group, from 0 to 1. */
export function shareAddressed({ stream }: Talk, group: Group): number {
  const around = surroundingsIn(stream, group);
  return around.filter(({ cue, greets }) => cue > 0 || greets).length / around.length;
}

/** The score of a place: the natural logarithm of the odds that the name was said. */
export function scoreOf(evidence: Evidence): number {
  let score = 0;
  for (const kind of KINDS) score += WEIGHTS[kind] * evidence[kind];
  return score;
}
