/**
 * Measures the agreement of caption breaks with those of people, over the same words, like
 * EvalSubtitle (Karakanta, Buet, Cettolo and Yvon, “Evaluating Subtitle Segmentation for End-to-end
 * Generation Systems”, LREC 2022).
 */

/** No break after a word. */
export const NO_BREAK = 0;
/** A new line after a word. */
export const NEW_LINE = 1;
/** A new cue after a word. */
export const NEW_CUE = 2;

/** The words of a text with two sets of breaks after them: those of people, and ours. */
export interface Compared {
  words: readonly string[];
  theirs: readonly number[];
  ours: readonly number[];
}

/**
 * The F1 score of breaks at the same places.
 * @param counts which breaks to count
 */
export function breakF1(texts: readonly Compared[], counts: (kind: number) => boolean): number {
  let both = 0;
  let either = 0;
  for (const { theirs, ours } of texts) {
    // The end of a text always has a break.
    for (let at = 0; at < theirs.length - 1; at += 1) {
      const [their, our] = [counts(theirs[at]!), counts(ours[at] ?? NO_BREAK)];
      if (their && our) both += 1;
      either += Number(their) + Number(our);
    }
  }
  return (2 * both) / either;
}

/** Half the mean length of people's segments, in words. */
const windowOf = ({ theirs }: Compared): number => {
  const breaks = theirs.filter((kind) => kind !== NO_BREAK).length;
  return Math.max(2, Math.round(theirs.length / (2 * Math.max(1, breaks))));
};

/** The share of windows over the texts for which `differs` is true. */
function windows(
  texts: readonly Compared[],
  differs: (theirs: readonly number[], ours: readonly number[]) => boolean,
): number {
  let wrong = 0;
  let all = 0;
  for (const text of texts) {
    const size = windowOf(text);
    for (let at = 0; at + size <= text.theirs.length; at += 1) {
      all += 1;
      const [theirs, ours] = [text.theirs, text.ours].map((kinds) =>
        kinds.slice(at, at + size).map((kind) => Number(kind !== NO_BREAK)),
      );
      if (differs(theirs!, ours!)) wrong += 1;
    }
  }
  return wrong / all;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/**
 * Pk (Beeferman, Berger and Lafferty 1999): the share of windows on whose ends the two disagree
 * whether they lie in one segment. 0 is best.
 */
export const pk = (texts: readonly Compared[]): number =>
  windows(texts, (theirs, ours) => sum(theirs) > 0 !== sum(ours) > 0);

/**
 * WindowDiff (Pevzner and Hearst 2002): the share of windows with different numbers of breaks. 0 is
 * best.
 */
export const windowDiff = (texts: readonly Compared[]): number =>
  windows(texts, (theirs, ours) => sum(theirs) !== sum(ours));

/**
 * The tokens of a text: punctuation separate from words, as in BLEU's 13a tokenizer, and a symbol
 * for each break.
 */
const withBreaks = (words: readonly string[], breaks: readonly number[]): string[] =>
  words.flatMap((word, at) => [
    ...word
      .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
      .replace(/([^0-9])([.,])/g, '$1 $2 ')
      .replace(/([.,])([^0-9])/g, ' $1 $2')
      .replace(/([0-9])(-)/g, '$1 $2 ')
      .split(/\s+/)
      .filter((token) => token !== ''),
    ...(breaks[at] === NEW_CUE ? ['<eob>'] : breaks[at] === NEW_LINE ? ['<eol>'] : []),
  ]);

/**
 * Sigma: the BLEU of the text with its breaks, relative to the best that any breaks could reach
 * with this text. As the words are the same here, that best is 100, and Sigma is BLEU itself. 100
 * is best.
 */
export function sigma(texts: readonly Compared[]): number {
  const matched = [0, 0, 0, 0];
  const total = [0, 0, 0, 0];
  let [ourLength, theirLength] = [0, 0];
  for (const { words, theirs, ours } of texts) {
    const [reference, tokens] = [withBreaks(words, theirs), withBreaks(words, ours)];
    ourLength += tokens.length;
    theirLength += reference.length;
    for (let size = 1; size <= 4; size += 1) {
      const counts = grams(reference, size);
      for (const [gram, count] of grams(tokens, size)) {
        matched[size - 1]! += Math.min(count, counts.get(gram) ?? 0);
        total[size - 1]! += count;
      }
    }
  }
  const brevity = ourLength >= theirLength ? 1 : Math.exp(1 - theirLength / ourLength);
  const logs = matched.map((count, at) => Math.log(count / total[at]!));
  return 100 * brevity * Math.exp(sum(logs) / 4);
}

function grams(tokens: readonly string[], size: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at + size <= tokens.length; at += 1) {
    const gram = tokens.slice(at, at + size).join('\n');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}
