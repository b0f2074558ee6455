/** Removes the characters that captions do not show. */

/** Invisible characters, and those that a player would interpret. */
// oxlint-disable-next-line no-control-regex
const UNSHOWN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u200b\u2060\ufeff]/g;

/**
 * Embeddings, overrides and isolates: an unclosed one reverses the rest of a player's line, and an
 * override shows text backwards. The marks LRM and RLM do neither, and stay; so does the natural
 * direction of Arabic and Hebrew letters.
 */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text that needs no cleaning: Latin letters and punctuation without a space or an arrow. */
const CLEAN = /^[!-=?-~\u00a1-\u02ff\u2010-\u2027]+$/;

/** A text without the controls that change the direction of the following text. */
export const withoutDirectionControls = (text: string): string =>
  text.replace(DIRECTION_CONTROLS, '');

/**
 * A provider's text as a caption can show it; empty if nothing is visible. `-->` separates the
 * times of a cue, so in its text it would end the cue for a player.
 */
export function shownText(text: unknown): string {
  if (typeof text !== 'string') return '';
  if (CLEAN.test(text)) return text;
  // Invisible characters are removed first, since they could hide an arrow.
  const shown = withoutDirectionControls(text.toWellFormed().replace(UNSHOWN, ''));
  return shown.replaceAll('-->', '→').trim();
}
