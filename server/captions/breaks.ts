/** What it costs a reader when the text is broken between two tokens: a new line or a new cue. */
import { bare, dangles, endsClause, endsSentence, type Language } from './language.ts';
import type { Token } from './tokens.ts';

/** A silence this long always ends a cue, in seconds. */
export const LONG_PAUSE = 1.5;

const CLAUSE = 1.5;
const BEFORE_CONJUNCTION = 9;
const BEFORE_PREPOSITION = 11;
const ANYWHERE = 20;
const DANGLING = 120;
const INSIDE_NAME = 30;
const INSIDE_MEASURE = 15;
/** A pause makes a break cheaper: from 0.12 s on, by this much a second, to at most MAX_PAUSE_GAIN. */
const PAUSE_GAIN = 30;
const MAX_PAUSE_GAIN = 15;
const FLOOR = -6;
/** An opening mark is never left alone at a line's end. */
const OPEN_MARK = /[\p{Ps}\p{Pi}¿¡]$/u;
const UNIT =
  /^(%|°[CF]?|[kmcµn]?m|[kmµ]?g|[kMGT]?i?[Bb](ytes|its)?|m?s|ms|[kMG]?Hz|percent|euros?|dollars?|years?|minutes?|seconds?|hours?|days?|million|billion|thousand)\b/u;

export interface Breaks {
  /** The cost of a break before the token; the first token's is never used. */
  cost: Float64Array;
  /** Whether a cue must end before the token. */
  hard: Uint8Array;
  /** Whether a sentence ends with the token. */
  sentence: Uint8Array;
}

/** The costs of breaks before each token. */
export function breaksOf(tokens: readonly Token[], language: Language): Breaks {
  const cost = new Float64Array(tokens.length + 1);
  const hard = new Uint8Array(tokens.length + 1);
  const sentence = new Uint8Array(tokens.length);
  for (const [index, token] of tokens.entries()) {
    sentence[index] = endsSentence(token.text, language) ? 1 : 0;
    const left = tokens[index - 1];
    if (!left) continue;
    const pause = token.start - left.end;
    hard[index] = pause >= LONG_PAUSE || token.speaker !== left.speaker ? 1 : 0;
    cost[index] = between(left, token, sentence[index - 1] === 1, pause, language);
  }
  return { cost, hard, sentence };
}

function between(
  left: Token,
  right: Token,
  sentence: boolean,
  pause: number,
  language: Language,
): number {
  const gain = Math.min(MAX_PAUSE_GAIN, Math.max(0, PAUSE_GAIN * (pause - 0.12)));
  if (OPEN_MARK.test(left.text)) return DANGLING;
  if (sentence) return Math.max(FLOOR, -gain);
  if (endsClause(left.text)) return Math.max(FLOOR, CLAUSE - gain);
  let cost = ANYWHERE;
  const next = bare(right.text);
  if (language.conjunctions.has(next)) cost = BEFORE_CONJUNCTION;
  else if (language.prepositions.has(next)) cost = BEFORE_PREPOSITION;
  if (dangles(left.text, language)) cost += DANGLING;
  if (isNamePart(left.text) && isNamePart(right.text)) cost += INSIDE_NAME;
  if (/\p{N}$/u.test(left.text) && UNIT.test(right.text)) cost += INSIDE_MEASURE;
  return Math.max(FLOOR, cost - gain);
}

const isNamePart = (word: string): boolean => /^\p{Lu}/u.test(word) && word !== 'I';
