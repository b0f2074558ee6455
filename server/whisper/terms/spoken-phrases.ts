/** How phrases sound, and how alike two of them do, as “pixie” and PKCE. */
import {
  similarityAtLeast,
  spokenForms,
  type SpokenForm,
} from '../../terminology/match/similarity.ts';

/** The names of the letters and digits as words that sound like them. */
const NAMES = new Map(
  [
    'A ay,B bee,C see,D dee,E ee,F eff,G jee,H aych,I eye,J jay,K kay,L ell,M em',
    'N en,O oh,P pee,Q cue,R ar,S ess,T tee,U you,V vee,W double you,X ex,Y why,Z zee',
    '0 zero,1 one,2 two,3 three,4 four,5 five,6 six,7 seven,8 eight,9 nine',
  ]
    .flatMap((line) => line.split(','))
    .map((entry): [string, string] => [entry.slice(0, 1), entry.slice(2)]),
);

/** The most letters of a part that is spoken letter by letter. */
const MAX_LETTERS = 5;

/**
 * A term with its capitals and digits as they are spoken; null if no part of it is spoken letter by letter.
 * @example
 * inLetters('B2B'); // => 'bee two bee'
 */
function inLetters(term: string): string | null {
  let has = false;
  const spoken = term.replaceAll(/[\p{Lu}\p{N}]+(?!\p{Ll})/gu, (part) => {
    if (part.length > MAX_LETTERS) return part;
    if (part.length === 1 && /\p{Lu}/u.test(part)) return part;
    has = true;
    return ` ${[...part].map((letter) => NAMES.get(letter) ?? letter).join(' ')} `;
  });
  return has ? spoken.trim().replaceAll(/\s+/g, ' ') : null;
}

/** A phrase as it may be spoken: as words, and letter by letter if it has capitals or digits. */
export interface SpokenPhrase {
  words: SpokenForm;
  letters: SpokenForm | null;
}

/** Creates the function that prepares phrases for comparisons. */
export function spokenPhrases(): (phrase: string) => SpokenPhrase {
  const formOf = spokenForms();
  return (phrase) => {
    const letters = inLetters(phrase);
    return { words: formOf(phrase), letters: letters === null ? null : formOf(letters) };
  };
}

/**
 * The similarity between words and a term, 0..1: the greater of that as written and that letter by letter; 0 if it is
 * less than `least`.
 * @example
 * const phrase = spokenPhrases();
 * similarityToTerm(phrase('the LG'), phrase('PLG')) > 0.7; // => true
 */
export function similarityToTerm(heard: SpokenPhrase, term: SpokenPhrase, least = 0): number {
  const asWritten = similarityAtLeast(least, heard.words, term.words);
  if (term.letters === null) return asWritten;
  return Math.max(
    asWritten,
    similarityAtLeast(least, heard.words, term.letters),
    similarityAtLeast(least, heard.letters ?? heard.words, term.letters),
  );
}
