/**
 * Searches for the most likely text of a window along several texts at once: a token that is slightly less likely than
 * another is followed too, and the tokens after it decide.
 */
import type { Decoder, DecoderStep } from '../model/decoder.ts';
import { steered, logProbability, silence } from './token-logits.ts';
import { type FoundText, type SearchRules, isEndless } from './found-text.ts';

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
export async function beamSearch(
  decoder: Decoder,
  rules: SearchRules,
  width: number,
): Promise<FoundText> {
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
