/**
 * The moderator on this host: rules for what is clear without a model, that is threats, hate and
 * sexual content about minors. News, medicine, history, quoted speech and profanity pass. English
 * is covered; of Spanish, French, German, Portuguese and Italian only a few plain phrases are.
 */
import type { ChunkFinding, Moderator } from './moderator.ts';
import { emptyVerdict } from './moderator.ts';
import { moderationChunks, type ModerationChunk } from './chunks.ts';
import { HATE_RULES } from './hate.ts';
import { MINORS_RULES } from './minors.ts';
import { breaksRule, type Rule } from './rule.ts';
import { foldedSentences } from './sentences.ts';
import { THREAT_RULES } from './threats.ts';

/** Changes when the same transcript may be judged otherwise. */
export const RULES_MODEL = 'edge-rules-1';

const RULES: readonly Rule[] = [...MINORS_RULES, ...THREAT_RULES, ...HATE_RULES];

/** The worst rule that a text breaks, of equals the first; null where it breaks none. */
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

/** Makes the moderator. */
export function createModerator(): Moderator {
  return {
    name: 'edge',
    model: RULES_MODEL,
    async moderate({ words }, { signal, progress }) {
      signal.throwIfAborted();
      const chunks = moderationChunks(words);
      if (!chunks.some(({ text }) => text !== '')) return emptyVerdict(RULES_MODEL);
      const flagged = worstChunk(chunks, (at) => {
        signal.throwIfAborted();
        progress(at / chunks.length);
      });
      const head = { source: 'audio_transcript' as const, model: RULES_MODEL };
      const chunksChecked = chunks.length;
      if (!flagged) {
        return { ...head, decision: 'allow', severity: 'none', reason: 'safe', chunksChecked };
      }
      const { index, start, end } = flagged.chunk;
      return {
        ...head,
        decision: 'block',
        severity: flagged.severity,
        reason: 'content_policy_violation',
        chunksChecked,
        flaggedChunk: { index, start, end },
      };
    },
  };
}

/** Every chunk is checked: the worst decides the severity, the first of the worst is named. */
function worstChunk(
  chunks: readonly ModerationChunk[],
  next: (at: number) => void,
): { chunk: ModerationChunk; severity: 'medium' | 'high' } | null {
  let worst: { chunk: ModerationChunk; severity: 'medium' | 'high' } | null = null;
  for (const chunk of chunks) {
    next(chunk.index);
    const finding: ChunkFinding = findBrokenRule(chunk.text);
    if (!finding) continue;
    if (!worst || (worst.severity === 'medium' && finding.severity === 'high')) {
      worst = { chunk, severity: finding.severity };
    }
  }
  return worst;
}
