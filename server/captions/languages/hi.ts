import type { LanguageWords } from '../language-words.ts';

/** Hindi: postpositions and auxiliaries belong to the word before them. */
export const hi: LanguageWords = {
  enclitics:
    'का के की को से में ने तक ही भी है हैं था थी थे हो होगा गया रहा रही रहे सकता सकती सकते चाहिए लिए बाद साथ बारे',
  conjunctions: 'और या लेकिन क्योंकि कि जब अगर जो',
  modifiers: 'यह वह इस उस बहुत नहीं सबसे एक',
};
