/** Two speakers in one caption: a line for each, with dashes as the language writes them. */

/** Which of the two lines have a dash, and whether a space follows it. */
export interface DialogueStyle {
  lines: 'both' | 'second';
  dash: '-' | '- ';
}

/**
 * Languages whose dash has a space after it, and those that mark the second speaker alone, by the dual-speaker
 * sections of Netflix's Timed Text Style Guides (https://partnerhelp.netflixstudios.com/hc/en-us/sections/22463232153235).
 * All others, English and German among them, write a hyphen without a space on both lines.
 */
const SPACED = new Set('ar bg cs es fr hu id it ko ms pl pt ro ru sk th vi'.split(' '));
const SECOND_ONLY = new Set('bg fi he nl sr'.split(' '));

/** How a language writes two speakers in one caption. @param tag BCP 47 */
export function dialogueStyleOf(tag: string): DialogueStyle {
  const language = tag.toLowerCase().split('-')[0] ?? '';
  return {
    lines: SECOND_ONLY.has(language) ? 'second' : 'both',
    dash: SPACED.has(language) ? '- ' : '-',
  };
}

/** The two lines of two speakers, with their dashes. */
export const withDashes = (
  [first = '', second = '']: readonly string[],
  { lines, dash }: DialogueStyle,
): string[] => [lines === 'both' ? dash + first : first, dash + second];
