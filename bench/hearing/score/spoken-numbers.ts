/** English numbers in words as digits: "twenty five" becomes "25", "three hundred and two" becomes "302". */

const UNITS = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const POWERS: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

const unit = (word: string | undefined): number => UNITS.indexOf(word ?? '');
const tens = (word: string | undefined): number => (TENS.indexOf(word ?? '') + 2) * 10;
const isTens = (word: string | undefined): boolean => TENS.includes(word ?? '');

/** The words with each spelled-out number in digits. */
export function digitsOf(words: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < words.length;) {
    const [value, next] = numberAt(words, at);
    if (next === at) out.push(words[at++] ?? '');
    else {
      out.push(String(value));
      at = next;
    }
  }
  return out;
}

/** The number that begins at a word, and the word after it; the same word if none begins there. */
function numberAt(words: readonly string[], from: number): [value: number, next: number] {
  let [total, at] = [0, from];
  for (;;) {
    const [part, next] = belowThousand(words, at);
    if (next === at) return [total, at];
    const power = POWERS[words[next] ?? ''];
    if (power === undefined) return [total + part, next];
    total += part * power;
    at = next + 1;
    if (words[at] === 'and' && belowThousand(words, at + 1)[1] > at + 1) at += 1;
  }
}

function belowThousand(words: readonly string[], from: number): [value: number, next: number] {
  const [first, next] = belowHundred(words, from);
  if (next === from || first > 9 || words[next] !== 'hundred') return [first, next];
  const and = words[next + 1] === 'and' ? 1 : 0;
  const [rest, end] = belowHundred(words, next + 1 + and);
  return end > next + 1 + and ? [first * 100 + rest, end] : [first * 100, next + 1];
}

function belowHundred(words: readonly string[], at: number): [value: number, next: number] {
  if (isTens(words[at])) {
    const small = unit(words[at + 1]);
    return small > 0 && small < 10 ? [tens(words[at]) + small, at + 2] : [tens(words[at]), at + 1];
  }
  return unit(words[at]) < 0 ? [0, at] : [unit(words[at]), at + 1];
}
