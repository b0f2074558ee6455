/**
 * Searches for the most likely text of a window, token by token.
 *
 * The text that a search finds for a window, the tokens it may contain, and the tests that end a bad search early.
 */
import { deflateSync } from 'node:zlib';
import type { Decoder, DecoderStep } from '../model/decoder.ts';

/** A text is in a loop if it ends in this many tokens that repeat a phrase of at most the second number of tokens. */
const LOOP_TOKENS = 48;
const LOOP_PHRASE = 8;
/** A text that begins with this many tokens of punctuation (“. . . .”, in noise and hum) never contains a word. */
const SILENT_TOKENS = 12;

/** The result of a search. */
export interface FoundText {
  /** The tokens of the text, without special tokens. */
  tokens: number[];
  /** The natural log probability of each token; the last one is that of the end token. */
  logProbabilities: number[];
  /** The attention before each token, starting with those of the prompt: heads × frames values. */
  attention: Float32Array[];
  /** The probability that nobody speaks. */
  noSpeech: number;
}

export interface SearchRules extends Steering {
  /** The special tokens before the text. */
  prompt: readonly number[];
  /** The token for a window in which nobody speaks; null if the model has none. */
  noSpeech: number | null;
  /** The longest text in tokens. */
  most: number;
  /** The bytes of each token of text. */
  bytes: readonly Uint8Array[];
  /** The number of columns of attention that contain audio, and the seconds of each. */
  frames: number;
  frameSeconds: number;
}

/** Whether a byte of UTF-8 belongs to a letter or a digit; all bytes above ASCII count, parts of characters too. */
const isSpoken = (byte: number): boolean =>
  byte >= 0x80 ||
  (byte >= 0x30 && byte <= 0x39) ||
  ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);

/** Whether a text began with so much punctuation that no word will come. */
const saysNothing = (tokens: readonly number[], { bytes }: SearchRules): boolean =>
  tokens.length === SILENT_TOKENS && !tokens.some((id) => bytes[id]?.some(isSpoken));

/** Whether the tokens end in a loop, from which greedy search does not return. */
function loops(tokens: readonly number[]): boolean {
  if (tokens.length < LOOP_TOKENS) return false;
  for (let phrase = 1; phrase <= LOOP_PHRASE; phrase += 1) {
    let same = 0;
    while (same < LOOP_TOKENS - phrase && tokens.at(-1 - same) === tokens.at(-1 - same - phrase))
      same += 1;
    if (same === LOOP_TOKENS - phrase) return true;
  }
  return false;
}

/** Whether a text is so bad that no further token can make it good. */
const isEndless = (tokens: readonly number[], rules: SearchRules): boolean =>
  loops(tokens) || saysNothing(tokens, rules);

// Reads the logits of a decoder: one value for each token, which determines the probability that it comes next.

/** The tokens that a text may not contain. */
interface Steering {
  /** The token that ends a text. */
  end: number;
  /** The first of the special tokens, which a text never contains. */
  special: number;
  /** Tokens that are never chosen. */
  unspoken: readonly number[];
  /** Tokens with which no text begins, such as a single space. */
  neverFirst: readonly number[];
  /** Returns the additions to the logits of tokens, given the text so far; none by default. */
  boost?: (said: readonly number[]) => ReadonlyMap<number, number>;
}

/**
 * Rules out the tokens that may not come next, and boosts those of key terms. Changes the logits, and returns them.
 * @param said the tokens of the text so far
 */
function steered(logits: Float32Array, rules: Steering, said: readonly number[]): Float32Array {
  for (const id of rules.unspoken) logits[id] = -Infinity;
  logits.fill(-Infinity, rules.special);
  if (said.length === 0) for (const id of rules.neverFirst) logits[id] = -Infinity;
  for (const [id, by] of rules.boost?.(said) ?? []) logits[id]! += by;
  return logits;
}

/**
 * A token counts in the sum with its exact power if its logit is less than EXACTLY below the highest, and not at all from
 * COUNTED on. In between, the power is looked up in steps, because computing those of all 50,000 tokens would
 * take most of the time of a search. The steps are wrong by 0.8% at most, upwards as often as downwards, and are only a
 * small part of the sum.
 */
const EXACTLY = 4;
const COUNTED = 30;
const STEPS = 64;
const POWERS = Float64Array.from({ length: COUNTED * STEPS }, (_, step) =>
  Math.exp(-(step + 0.5) / STEPS),
);

/**
 * The natural log probability of a token. The loops count, because iterators would take four times as long over the
 * values of each step.
 */
export function logProbability(logits: Float32Array, token: number): number {
  const top = logits[likeliest(logits)]!;
  let sum = 0;
  for (let at = 0; at < logits.length; at += 1) {
    const below = top - logits[at]!;
    if (below >= COUNTED) continue;
    sum += below < EXACTLY ? Math.exp(-below) : POWERS[(below * STEPS) | 0]!;
  }
  return logits[token]! - top - Math.log(sum);
}

/** The token with the highest logit. */
function likeliest(logits: Float32Array): number {
  let best = 0;
  for (let at = 1; at < logits.length; at += 1) if (logits[at]! > logits[best]!) best = at;
  return best;
}

/** The probability that nobody speaks; 0 for a model without a token for it. */
const silence = (logits: Float32Array, token: number | null): number =>
  token === null ? 0 : Math.exp(logProbability(logits, token));

/**
 * A text with a higher compression ratio than this is repetitive; one with a lower mean log probability than the next
 * is a guess.
 */
const MAX_COMPRESSION = 2.4;
const MIN_LOG_PROBABILITY = -1;
/**
 * The mean log probabilities below which a text is a hallucination. In noise, hum and applause the best text had -1.4
 * or less. The stricter limit applies if the model considers it doubtful that anyone speaks.
 */
const HALLUCINATION = -1.2;
const DOUBTFUL_HALLUCINATION = -0.8;
const NO_SPEECH = 0.5;
/** A text that is too short for the compression test is repetitive with at most so many distinct tokens. */
const FEW_TOKENS = 8;
const FEW_DIFFERENT = 0.25;
/**
 * The mean log probability below which no further temperature is tried. In speech with noise of the same power the most
 * likely text has more than -1.2, and where it has less, no temperature finds the spoken words.
 */
const HOPELESS = -2;
/** The number of hallucinations, none of them repetitive, after which no further temperature is tried. */
const MAX_HALLUCINATIONS = 2;
/** The sampling temperatures to try, in order, as long as the text is bad. */
const TEMPERATURES = [0, 0.2, 0.4, 0.6, 0.8, 1];
/**
 * Finds the text: the most likely one or, if that is repetitive or improbable, the best of a few that are sampled with
 * rising temperature (openai-whisper's fallback). The same audio always yields the same text. In noise, openai-whisper
 * tries all temperatures unless the model itself says that nobody speaks, which it seldom does; here hallucinations
 * end the search as well.
 * @param divisible whether the window can be divided, so that speech that may have been spoken twice ends the search
 */
export async function findText(
  decoder: Decoder,
  rules: SearchRules,
  divisible = false,
): Promise<FoundText> {
  let best: FoundText | null = null;
  let hallucinations = 0;
  for (const temperature of TEMPERATURES) {
    const found = await (temperature === 0
      ? likeliestText(decoder, rules)
      : search(decoder, rules, temperature));
    if (!best || worth(found, rules) > worth(best, rules)) best = found;
    if (divisible && mayBeRealRepetition(best, rules)) break;
    if (isGood(best, rules) || (isHallucination(best, rules) && best.noSpeech > NO_SPEECH)) break;
    if (repeatsItself(found, rules) || !isHallucination(found, rules)) continue;
    hallucinations += 1;
    if (hallucinations === MAX_HALLUCINATIONS || likelihood(found, rules) < HOPELESS) break;
  }
  return best!;
}

/** Finds the likeliest text only: along several texts, or along one if the decoder can take no more. */
export async function likeliestText(decoder: Decoder, rules: SearchRules): Promise<FoundText> {
  if (decoder.texts > 1) {
    try {
      return await beamSearch(decoder, rules, decoder.texts);
    } catch (error) {
      if (decoder.texts > 1) throw error;
    }
  }
  return search(decoder, rules, 0);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The mean natural log probability of the tokens, with that of the end. */
const meanLogProbability = ({ logProbabilities }: FoundText): number => mean(logProbabilities);

/**
 * The mean natural log probability of the tokens with letters or digits; of all if there are none. Repetitions do not
 * count: in music, “I don't know” is improbable the first time, and nearly certain the second time.
 */
function likelihood({ tokens, logProbabilities }: FoundText, { bytes }: SearchRules): number {
  const pairs = new Set<string>();
  const spoken = tokens.flatMap((id, at) => {
    const pair = `${tokens[at - 1]} ${id}`;
    const isNew = !pairs.has(pair);
    pairs.add(pair);
    return isNew && bytes[id]?.some(isSpoken) ? [logProbabilities[at]!] : [];
  });
  return mean(spoken.length > 0 ? spoken : logProbabilities.slice(0, tokens.length));
}

/** Whether a text is repetitive. */
export function repeatsItself({ tokens }: FoundText, { bytes }: SearchRules): boolean {
  if (loops(tokens)) return true;
  if (tokens.length >= FEW_TOKENS && new Set(tokens).size <= tokens.length * FEW_DIFFERENT)
    return true;
  const text = Uint8Array.from(tokens.flatMap((id) => [...(bytes[id] ?? [])]));
  return text.length > 0 && text.length / deflateSync(text).length > MAX_COMPRESSION;
}

/**
 * Whether a repetitive text may be real, such as a sentence or a refrain that is spoken twice: it is probable, and not a
 * loop. In shorter windows each of them is spoken once.
 */
export const mayBeRealRepetition = (found: FoundText, rules: SearchRules): boolean =>
  repeatsItself(found, rules) &&
  !loops(found.tokens) &&
  !isHallucination(found, rules) &&
  meanLogProbability(found) >= MIN_LOG_PROBABILITY;

/**
 * Whether a text is too improbable to have been spoken. Punctuation and the end do not count: after one invented word
 * (“you.”, in noise, hum and breath) they are nearly certain, and would hide how improbable that word was.
 */
export function isHallucination(found: FoundText, rules: SearchRules): boolean {
  const likely = likelihood(found, rules);
  return likely < HALLUCINATION || (likely < DOUBTFUL_HALLUCINATION && found.noSpeech > NO_SPEECH);
}

const isGood = (found: FoundText, rules: SearchRules): boolean =>
  !repeatsItself(found, rules) && meanLogProbability(found) >= MIN_LOG_PROBABILITY;

/** The rank of a text: repetitive ones are worse than all others. */
const worth = (found: FoundText, rules: SearchRules): number =>
  meanLogProbability(found) - (repeatsItself(found, rules) ? 100 : 0);

async function search(
  decoder: Decoder,
  rules: SearchRules,
  temperature: number,
): Promise<FoundText> {
  const { prompt, end, frames } = rules;
  const random = seeded(Math.round(temperature * 10) * 7919 + frames);
  const found: FoundText = { tokens: [], logProbabilities: [], attention: [], noSpeech: 0 };
  decoder.begin();
  let step = await decoder.take(prompt, frames);
  found.noSpeech = silence(step.firstLogits, rules.noSpeech);
  found.attention.push(...step.attention);
  while (found.tokens.length < rules.most) {
    const logits = steered(step.logits, rules, found.tokens);
    const chosen = temperature === 0 ? likeliest(logits) : drawn(logits, temperature, random());
    found.logProbabilities.push(logProbability(logits, chosen));
    if (chosen === end) break;
    found.tokens.push(chosen);
    step = await decoder.take([chosen], frames);
    found.attention.push(...step.attention);
    if (isEndless(found.tokens, rules)) break;
  }
  return found;
}

/** Samples a token: the one at which the cumulative probability exceeds `chance`. */
function drawn(logits: Float32Array, temperature: number, chance: number): number {
  const top = logits[likeliest(logits)]!;
  let sum = 0;
  for (let at = 0; at < logits.length; at += 1) {
    sum += Math.exp((logits[at]! - top) / temperature);
  }
  let left = chance * sum;
  for (let at = 0; at < logits.length; at += 1) {
    left -= Math.exp((logits[at]! - top) / temperature);
    if (left <= 0) return at;
  }
  return likeliest(logits);
}

/** Deterministic random numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// Searches for the most likely text of a window along several texts at once (beam search): a token that is slightly
// less likely than another is followed too, and the tokens after it decide.

/**
 * A text whose log probability is this far behind that of the best text of the same length is dropped: it has a chance
 * of 5%. Where the model is certain, one text remains, and a step costs no more than in greedy search.
 */
const BEHIND = 3;

/** A text that is being followed: its last token, and the text before it. */
interface Followed {
  before: Followed | null;
  token: number;
  logProbability: number;
  /** The sum of the log probabilities of all tokens. */
  sum: number;
  length: number;
  /** The attention after the token was taken; none for the end. */
  attention: readonly Float32Array[];
}

/** A way to continue a text. */
interface Candidate {
  /** The index of the text among those that are followed. */
  after: number;
  token: number;
  logProbability: number;
  sum: number;
}

/**
 * Finds the text with the highest mean log probability of those that end first.
 * @param decoder one that can take tokens of `width` texts at once
 */
async function beamSearch(decoder: Decoder, rules: SearchRules, width: number): Promise<FoundText> {
  decoder.begin();
  const first = await decoder.take(rules.prompt, rules.frames);
  const noSpeech = silence(first.firstLogits, rules.noSpeech);
  const ended: Followed[] = [];
  let texts: (Followed | null)[] = [null];
  let steps: DecoderStep[] = [first];
  for (let length = 1; ended.length < width; length += 1) {
    const next = continuations(texts, steps, rules, { width, ended });
    if (next.length === 0) break;
    const before = texts;
    steps = await decoder.takeEach(
      next.map(({ token }) => token),
      next.map(({ after }) => after),
      rules.frames,
    );
    texts = next.map((candidate, at) => followed(candidate, before, steps[at]?.attention ?? []));
    const [best] = texts;
    if (best && (length >= rules.most || isEndless(tokensOf(best), rules))) {
      if (ended.length === 0) ended.push(best);
      break;
    }
  }
  const best = ended.reduce((a, b) => (b.sum / b.length > a.sum / a.length ? b : a));
  const chain = chainOf(best);
  const said = chain.filter(({ token }) => token !== rules.end);
  return {
    tokens: said.map(({ token }) => token),
    logProbabilities: chain.map((each) => each.logProbability),
    attention: [...first.attention, ...said.flatMap(({ attention }) => attention)],
    noSpeech,
  };
}

/** The best continuations of the texts, best first; those that end are added to `ended` instead. */
function continuations(
  texts: readonly (Followed | null)[],
  steps: readonly DecoderStep[],
  rules: SearchRules,
  { width, ended }: { width: number; ended: Followed[] },
): Candidate[] {
  const candidates = steps
    .flatMap(({ logits }, after) => {
      const text = texts[after] ?? null;
      return likeliestTokens(steered(logits, rules, text ? tokensOf(text) : []), width + 1).map(
        ({ token, logProbability: own }): Candidate => ({
          after,
          token,
          logProbability: own,
          sum: (text?.sum ?? 0) + own,
        }),
      );
    })
    .toSorted((a, b) => b.sum - a.sum);
  const least = (candidates[0]?.sum ?? 0) - BEHIND;
  const length = (texts[0]?.length ?? 0) + 1;
  const next: Candidate[] = [];
  for (const candidate of candidates) {
    if (next.length === width || candidate.sum < least) break;
    if (ended.some((other) => isWorse(candidate.sum, length, other))) break;
    if (candidate.token !== rules.end) next.push(candidate);
    else ended.push(followed(candidate, texts, []));
  }
  return next;
}

/**
 * Whether a text can be dropped because of one that has ended: it is far behind, and less likely per token. Longer
 * texts are always behind short ones, so without the second condition “Thank you.” would end the search in half a
 * minute of speech.
 */
const isWorse = (sum: number, length: number, ended: Followed): boolean =>
  sum < ended.sum - BEHIND && sum / length < ended.sum / ended.length;

function followed(
  { after, token, logProbability: own, sum }: Candidate,
  texts: readonly (Followed | null)[],
  attention: readonly Float32Array[],
): Followed {
  const before = texts[after] ?? null;
  return { before, token, logProbability: own, sum, length: (before?.length ?? 0) + 1, attention };
}

function chainOf(text: Followed): Followed[] {
  const chain: Followed[] = [];
  for (let at: Followed | null = text; at; at = at.before) chain.push(at);
  return chain.toReversed();
}

const tokensOf = (text: Followed): number[] => chainOf(text).map(({ token }) => token);

/** The tokens with the highest logits, highest first, with their log probabilities. */
function likeliestTokens(
  logits: Float32Array,
  count: number,
): { token: number; logProbability: number }[] {
  const best: number[] = [];
  let lowest = -Infinity;
  for (let token = 0; token < logits.length; token += 1) {
    const value = logits[token]!;
    if (value <= lowest) continue;
    let place = best.length;
    while (place > 0 && logits[best[place - 1]!]! < value) place -= 1;
    best.splice(place, 0, token);
    if (best.length > count) best.pop();
    if (best.length === count) lowest = logits[best[count - 1]!]!;
  }
  const [top] = best;
  if (top === undefined) return [];
  const highest = logProbability(logits, top);
  return best.map((token) => ({
    token,
    logProbability: highest + logits[token]! - logits[top]!,
  }));
}
