/** Folds text for the rules into sentences without case, accents and most punctuation. */
import { endsSentence } from '../captions/sentence-end.ts';

/** Folds a sentence: single spaces, straight apostrophes, no other punctuation. */
function foldSentence(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[‘’ʼ`´]/g, "'")
    .replace(/[^\p{L}\p{N}']+/gu, ' ')
    .trim();
}

/** The words of a text, divided at the ends of sentences. */
function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let open: string[] = [];
  for (const word of text.split(/\s+/)) {
    open.push(word);
    if (!endsSentence(word)) continue;
    sentences.push(open.join(' '));
    open = [];
  }
  return [...sentences, open.join(' ')];
}

/** The longest stretch without a sentence end that counts as one sentence, in words. */
const MAX_SENTENCE_WORDS = 40;

/**
 * The sentences of a text. Text without punctuation has no sentence ends, so a stretch of more than 40 words is divided
 * into pieces that overlap by half.
 */
export function foldedSentences(text: string): string[] {
  return sentencesOf(text)
    .map(foldSentence)
    .filter((sentence) => sentence !== '')
    .flatMap((sentence) => {
      const words = sentence.split(' ');
      const pieces: string[] = [];
      let at = 0;
      for (; at + MAX_SENTENCE_WORDS < words.length; at += MAX_SENTENCE_WORDS / 2) {
        pieces.push(words.slice(at, at + MAX_SENTENCE_WORDS).join(' '));
      }
      return [...pieces, words.slice(at).join(' ')];
    });
}
