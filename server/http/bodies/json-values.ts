/** Counts the values of a JSON text before anything is made of them: a small text can be a hundred times as large in memory. */

/** How many values a text may have. */
export interface ValueBound {
  /** The most values: lists, objects, and what is in them. */
  values: number;
  /** The most lists and objects, which take several times the memory of other values. */
  lists: number;
}

/** The bound of a body, unless its route has another; the largest payload has 5,000 values. */
const USUAL: ValueBound = { values: 20_000, lists: 10_000 };
/** The most lists and objects inside each other. */
const MAX_DEPTH = 64;
/** The most names in one object: a million take the parser a minute. */
const MAX_NAMES = 10_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = 0x20;

/** A bound that a text exceeds. */
export interface ExceededBound {
  /** Whether there is too much of it; otherwise it is nested as no text that the service reads. */
  isTooLarge: boolean;
  /** What is allowed, in words. */
  allowed: string;
}

const tooLarge = (allowed: string): ExceededBound => ({ isTooLarge: true, allowed });

/**
 * The bound that a JSON text exceeds; null if it exceeds none. A text that is no JSON is judged by what a
 * parser would make of it until it finds out.
 * @param bytes the text in UTF-8
 */
export function exceededBound(bytes: Uint8Array, most: ValueBound = USUAL): ExceededBound | null {
  const { length } = bytes;
  let values = 1;
  let lists = 0;
  let depth = 0;
  let before = 0;
  /** The names in each of the lists and objects that are open. */
  const names = new Uint32Array(MAX_DEPTH + 1);
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at]!;
    if (byte <= SPACE) continue;
    const isClosing = byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
    if (isClosing) depth -= 1;
    else if (before === OPEN_ARRAY || before === OPEN_OBJECT) values += 1;
    if (byte === QUOTE) {
      for (at += 1; at < length && bytes[at] !== QUOTE; at += 1) {
        if (bytes[at] === BACKSLASH) at += 1;
      }
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === COLON) {
      names[depth]! += 1;
      if (names[depth]! > MAX_NAMES) return tooLarge(`at most ${MAX_NAMES} names in an object`);
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      lists += 1;
      depth += 1;
      if (lists > most.lists) return tooLarge(`at most ${most.lists} lists and objects`);
      if (depth > MAX_DEPTH) {
        const allowed = `at most ${MAX_DEPTH} lists and objects inside each other`;
        return { isTooLarge: false, allowed };
      }
      names[depth] = 0;
    }
    if (values > most.values) return tooLarge(`at most ${most.values} values`);
    before = byte;
  }
  return null;
}
