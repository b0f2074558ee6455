/** A transcript as a stream of comparable tokens, in which terms are searched. */
import type { TranscriptWord } from '../../contract/results.ts';
import { JOINTS, stemOf, tokenizeWord, wordParts } from './normalize.ts';
import { TERM } from '../../contract/limits.ts';
import { soundsOf } from '../../captions/sound-labels.ts';

export interface TokenStream {
  readonly words: readonly TranscriptWord[];
  /** The folded tokens. A hyphenated word yields several, punctuation alone none. */
  readonly tokens: readonly string[];
  /** The index of the word to which a token belongs. */
  wordOf(token: number): number;
  /** Whether a token is the first of its word. */
  startsWord(token: number): boolean;
  /** Whether a token is the last of its word. */
  endsWord(token: number): boolean;
}

/** The longest word that is read, in string units, since a longer one contains no term. */
const MAX_WORD = 2 * TERM.maxChars;
/** The token for a word that is not read. No term and no sound resembles it, so no phrase extends across it. */
const UNREAD = ['\u0000'];

/**
 * Reads the tokens of words, in order. A word of more than 400 characters becomes one token unlike any other, and so
 * does each word of a sound such as “[Music]”, because it is not speech.
 * @example
 * const words = [{ text: 'MCP-based', start: 0, end: 1 }];
 * readTokens(words).tokens; // => ['mcp', 'based']
 */
export function readTokens(words: readonly TranscriptWord[]): TokenStream {
  const tokens: string[] = [];
  const owners: number[] = [];
  const known = new Map<string, readonly string[]>();
  const sounds = new Set<number>();
  for (const { from, to } of soundsOf(words.map(({ text }) => text))) {
    for (let at = from; at < to; at += 1) sounds.add(at);
  }
  for (const [at, { text }] of words.entries()) {
    let parts = sounds.has(at) || text.length > MAX_WORD ? UNREAD : known.get(text);
    if (!parts) known.set(text, (parts = tokenizeWord(text)));
    for (const part of parts) {
      tokens.push(part);
      owners.push(at);
    }
  }
  return {
    words,
    tokens,
    wordOf: (token) => owners[token] ?? 0,
    startsWord: (token) => owners[token] !== owners[token - 1],
    endsWord: (token) => owners[token] !== owners[token + 1],
  };
}

/** The rest of the words of a span: "non-" and "-based" around "mcp". */
export interface Surroundings {
  head: string;
  tail: string;
}

/**
 * The parts of the first and the last word outside a span of tokens; null if they cannot be determined
 * ("S.L.A.-based").
 */
export function surroundingsOf(
  stream: TokenStream,
  first: number,
  last: number,
): Surroundings | null {
  const head = stream.startsWord(first) ? '' : edge(stream, first, 'head');
  const tail = stream.endsWord(last) ? '' : edge(stream, last, 'tail');
  return head === null || tail === null ? null : { head, tail };
}

function edge(stream: TokenStream, token: number, side: 'head' | 'tail'): string | null {
  let before = 0;
  while (!stream.startsWord(token - before)) before += 1;
  let after = 0;
  while (!stream.endsWord(token + after)) after += 1;
  const { core } = wordParts(stream.words[stream.wordOf(token)]?.text ?? '');
  const parts = [...core.matchAll(PARTS)];
  const part = parts[before];
  if (!part || parts.length !== before + 1 + after) return null;
  return side === 'head' ? core.slice(0, part.index) : core.slice(part.index + part[0].length);
}

const PARTS = new RegExp(`[^${JOINTS}]+`, 'g');

/**
 * The nearest of the wanted words (one or two tokens, singular or plural) within `reach` tokens of a span but outside
 * it; null if there is none.
 */
export function nearbyWord(
  { tokens }: Pick<TokenStream, 'tokens'>,
  first: number,
  last: number,
  wanted: ReadonlySet<string> | undefined,
  reach: number,
): string | null {
  if (!wanted) return null;
  const at = (token: number, next: number): string | null => {
    const text = tokens[token];
    if (text === undefined) return null;
    if (wanted.has(text)) return text;
    const stem = stemOf(text)?.stem;
    if (stem !== undefined && wanted.has(stem)) return text;
    const pair = `${text} ${tokens[next] ?? ''}`;
    return wanted.has(pair) ? pair : null;
  };
  for (let distance = 1; distance <= reach; distance += 1) {
    const before = first - distance;
    const hit =
      (before >= 0 ? at(before, before + 1) : null) ?? at(last + distance, last + distance + 1);
    if (hit !== null) return hit;
  }
  return null;
}
