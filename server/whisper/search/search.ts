/**
 * Searches for the most likely text of a window, token by token.
 */
import { deflateSync } from 'node:zlib';
import type { Decoder } from '../model/decoder.ts';
import { steered, logProbability, likeliest, silence } from './token-logits.ts';
import { beamSearch } from './beam-search.ts';
import { type FoundText, type SearchRules, isSpoken, loops, isEndless } from './found-text.ts';

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
