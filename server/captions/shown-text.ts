/** Removes the characters that captions do not show. */

/** Invisible characters, and those that a player would interpret. */
// oxlint-disable-next-line no-control-regex
const UNSHOWN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u200b\u2060\ufeff\ufffe\uffff]/g;

/**
 * Embeddings, overrides and isolates. An unclosed one reverses the rest of a player's line, and an override shows text
 * backwards. The marks LRM and RLM do neither, so they stay, and Arabic and Hebrew letters keep their natural
 * direction.
 */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text that needs no cleaning: Latin letters and punctuation without a space or an arrow. */
const CLEAN = /^[!-=?-~\u00a1-\u02ff\u2010-\u2027]+$/;

/**
 * A text without the controls that change the direction of the text after them.
 * @example
 * withoutDirectionControls('a\u202eb'); // => 'ab'
 */
export const withoutDirectionControls = (text: string): string =>
  text.replace(DIRECTION_CONTROLS, '');

/**
 * A provider's text as a caption can show it; empty if nothing of it is visible. `-->` becomes an arrow, because it
 * separates the times of a cue and would end the cue in a player.
 * @example
 * shownText(' well \n'); // => 'well'
 */
export function shownText(text: unknown): string {
  if (typeof text !== 'string') return '';
  if (CLEAN.test(text)) return text;
  // Invisible characters go first, since they could hide an arrow.
  const shown = withoutDirectionControls(text.toWellFormed().replace(UNSHOWN, ''));
  return shown.replaceAll('-->', '→').trim();
}
