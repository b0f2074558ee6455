/** Two speakers in one caption: a line for each, with dashes according to the language. */

/** The lines that begin with a dash, and whether a space follows it. */
export interface DialogueStyle {
  lines: 'both' | 'second';
  dash: '-' | '- ';
}

/**
 * Languages that put a space after the dash, and languages that mark only the second speaker, from the dual-speaker
 * sections of Netflix's Timed Text Style Guides
 * (https://partnerhelp.netflixstudios.com/hc/en-us/sections/22463232153235). All others, including English and German,
 * write a hyphen without a space on both lines.
 */
const SPACED = new Set('ar bg cs es fr hu id it ko ms pl pt ro ru sk th vi'.split(' '));
const SECOND_ONLY = new Set('bg fi he nl sr'.split(' '));

/**
 * The dashes of two speakers in one caption.
 * @param tag BCP 47
 * @example
 * dialogueStyleOf('fr'); // => { lines: 'both', dash: '- ' }
 */
export function dialogueStyleOf(tag: string): DialogueStyle {
  const language = tag.toLowerCase().split('-')[0]!;
  return {
    lines: SECOND_ONLY.has(language) ? 'second' : 'both',
    dash: SPACED.has(language) ? '- ' : '-',
  };
}

/**
 * Adds the dashes to the lines of two speakers.
 * @example
 * withDashes(['Hello.', 'Hi.'], { lines: 'second', dash: '-' }); // => ['Hello.', '-Hi.']
 */
export const withDashes = (
  [first = '', second = '']: readonly string[],
  { lines, dash }: DialogueStyle,
): string[] => [lines === 'both' ? dash + first : first, dash + second];
