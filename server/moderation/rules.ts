/**
 * The moderator on this host: rules for clear cases of threats, hate and sexual content about minors, which need no
 * model. News, medicine, history, quoted speech and profanity pass. The rules cover English, and only a few plain
 * phrases in Spanish, French, German, Portuguese and Italian.
 */
import { uncounted } from '../base/compute.ts';
import { moderateChunks, type Moderator, moderationChunks } from './moderator.ts';
import { endsSentence } from '../captions/punctuation.ts';
import { type Rule, breaksRule } from './rule.ts';
import { HATE_RULES } from './hate-rules.ts';
import { MINORS_RULES } from './minors-rules.ts';
import { THREAT_RULES } from './threat-rules.ts';

/** The version of the rules; it changes whenever the same transcript may be judged differently. */
export const RULES_MODEL = 'edge-rules-1';

const RULES: readonly Rule[] = [...MINORS_RULES, ...THREAT_RULES, ...HATE_RULES];

/** The most severe rule that a text violates, and the first of equals; null if there is none. */
export function findBrokenRule(text: string): Rule | null {
  let worst: Rule | null = null;
  for (const sentence of foldedSentences(text)) {
    for (const rule of RULES) {
      if (worst?.severity === 'high') return worst;
      if (worst && rule.severity === worst.severity) continue;
      if (breaksRule(sentence, rule)) worst = rule;
    }
  }
  return worst;
}

/** Creates the moderator. */
export const createRulesModerator = (): Moderator => ({
  model: RULES_MODEL,
  moderate({ words }, context) {
    const { compute = uncounted } = context;
    return compute(() =>
      moderateChunks(
        {
          model: RULES_MODEL,
          chunks: moderationChunks(words),
          atOnce: 1,
          check: async ({ text }) => findBrokenRule(text),
        },
        context,
      ),
    );
  },
});

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
function foldedSentences(text: string): string[] {
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
