/** Prepares key terms for a transducer's search: which of them its vocabulary can spell, and how. Pure. */

/** The token of silence, which is no part of a text. */
const BLANK = '<blk>';
/** Begins a word in a vocabulary of SentencePiece. */
const SPACE = '▁';
/** Characters with a meaning in the notation of a list of terms, such as `/` and `:`, are left out. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}.'’+-]*(?: [\p{L}\p{N}][\p{L}\p{N}.'’+-]*)*$/u;

/**
 * Converts tokens.txt to the vocabulary by which sherpa-onnx divides terms into tokens. The numbers of the tokens are
 * their ranks, so that a frequent part is preferred to rare ones, as in the scores of SentencePiece's own vocabulary.
 * @example
 * spellingOf('▁the 0\n<blk> 1\n'); // => '▁the\t0\n'
 */
export const spellingOf = (tokens: string): string =>
  entriesOf(tokens)
    .map(([token, rank]) => `${token}\t${-rank}\n`.replace('\t-0', '\t0'))
    .join('');

/**
 * The terms in the notation of sherpa-onnx, without those that cannot be written in it or have a letter that the
 * vocabulary lacks; null if none is left.
 * @param tokens the text of tokens.txt
 */
export function writtenTerms(terms: readonly string[], tokens: string): string | null {
  const known = new Set(entriesOf(tokens).map(([token]) => token));
  const can = (term: string): boolean =>
    PLAIN.test(term) && [...term].every((letter) => known.has(letter === ' ' ? SPACE : letter));
  const written = terms.map((term) => term.replace(/\s+/g, ' ').trim()).filter(can);
  return written.length === 0 || !known.has(SPACE) ? null : written.join('/');
}

/** Tokens with their numbers; the text of a token contains no space. */
const entriesOf = (tokens: string): [string, number][] =>
  tokens.split('\n').flatMap((line): [string, number][] => {
    const [token = '', id = ''] = line.trim().split(/\s+/);
    return token === '' || id === '' || token === BLANK ? [] : [[token, Number(id)]];
  });
