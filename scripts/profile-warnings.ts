/** Lists the rules of a profile that the captions of a recording break. */
import type { ProfileWarning } from '../server/http/runs/profiled-captions.ts';

/** The most captions to name for a rule. */
const MAX_NAMED = 10;

/**
 * The rules that captions break, each in its publisher's words and with the captions that break it.
 * @example
 * const broken = { rule: 'min_duration', message: '', sentence: 'A subtitle lasts long.', source: '' };
 * brokenRuleLines([{ cue: 2, ...broken }, { cue: 5, ...broken }]); // => ['- A subtitle lasts long. (cues 2, 5)']
 */
export function brokenRuleLines(warnings: readonly ProfileWarning[]): string[] {
  const cuesOf = new Map<string, number[]>();
  for (const { sentence, cue } of warnings) {
    const cues = cuesOf.get(sentence);
    if (cues) cues.push(cue);
    else cuesOf.set(sentence, [cue]);
  }
  return [...cuesOf].map(([sentence, cues]) => {
    const named = cues.slice(0, MAX_NAMED).join(', ');
    const more = cues.length - MAX_NAMED;
    return `- ${sentence} (${cues.length === 1 ? 'cue' : 'cues'} ${named}${more > 0 ? ` and ${more} more` : ''})`;
  });
}
