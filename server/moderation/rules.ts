/**
 * The moderator on this host: rules for clear cases of threats, hate and sexual content about minors, which need no
 * model. News, medicine, history, quoted speech and profanity pass. The rules cover English, and only a few plain
 * phrases in Spanish, French, German, Portuguese and Italian.
 */
import { uncounted } from '../compute.ts';
import { moderationChunks } from './chunks.ts';
import { HATE_RULES } from './hate.ts';
import { MINORS_RULES } from './minors.ts';
import { moderateChunks, type Moderator } from './moderator.ts';
import { breaksRule, type Rule } from './rule.ts';
import { foldedSentences } from './sentences.ts';
import { THREAT_RULES } from './threats.ts';

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
