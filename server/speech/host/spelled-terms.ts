/**
 * Prepares key terms for a transducer's search: selects those that its vocabulary can spell, and writes them in its
 * notation.
 */

/** The token for silence, which is not part of a text. */
const BLANK = '<blk>';
/** The mark at the beginning of a word in a SentencePiece vocabulary. */
const SPACE = '▁';
/** Matches terms that can be written in a list of terms, in which characters such as `/` and `:` have a meaning. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}.'’+-]*(?: [\p{L}\p{N}][\p{L}\p{N}.'’+-]*)*$/u;

/**
 * Converts tokens.txt to the vocabulary with which sherpa-onnx divides terms into tokens. The number of a token is its
 * rank, so frequent parts are preferred to rare ones, as by the scores in SentencePiece's own vocabulary.
 * @example
 * spellingOf('▁the 0\n<blk> 1\n'); // => '▁the\t0\n'
 */
export const spellingOf = (tokens: string): string =>
  entriesOf(tokens)
    .map(([token, rank]) => `${token}\t${-rank}\n`)
    .join('');

/**
 * Writes terms in the notation of sherpa-onnx, except for those that cannot be written in it or that have a letter
 * missing from the vocabulary; null if none is left.
 * @param tokens the text of tokens.txt
 */
export function writtenTerms(terms: readonly string[], tokens: string): string | null {
  const known = new Set(entriesOf(tokens).map(([token]) => token));
  const can = (term: string): boolean =>
    PLAIN.test(term) && [...term].every((letter) => known.has(letter === ' ' ? SPACE : letter));
  const written = terms.map((term) => term.replace(/\s+/g, ' ').trim()).filter(can);
  return written.length === 0 || !known.has(SPACE) ? null : written.join('/');
}

/** The tokens with their numbers. The text of a token contains no spaces. */
const entriesOf = (tokens: string): [string, number][] =>
  tokens.split('\n').flatMap((line): [string, number][] => {
    const [token = '', id = ''] = line.trim().split(/\s+/);
    return id === '' || token === BLANK ? [] : [[token, Number(id)]];
  });
