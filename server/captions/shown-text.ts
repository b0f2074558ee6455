/** Which characters of a text a caption shows. */

/** Characters that show nothing, or that a player would read as its own. */
// oxlint-disable-next-line no-control-regex
const UNSHOWN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u200b\u2060\ufeff]/g;

/**
 * Embeddings, overrides and isolates: one that is not closed turns the rest of a player's line round, and
 * an override shows text backwards. The marks LRM and RLM cannot, and stay; so does the direction
 * that Arabic and Hebrew letters have by themselves.
 */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** What needs no cleaning: Latin letters and marks without a space or an arrow. */
const CLEAN = /^[!-=?-~\u00a1-\u02ff\u2010-\u2027]+$/;

/** A text without the controls that change the direction of what follows them. */
export const withoutDirectionControls = (text: string): string =>
  text.replace(DIRECTION_CONTROLS, '');

/**
 * A provider's text as a caption may show it; empty where it shows nothing. `-->` parts the times of a cue: in
 * its text it would end the cue for a player.
 */
export function shownText(text: unknown): string {
  if (typeof text !== 'string') return '';
  if (CLEAN.test(text)) return text;
  // What is unshown goes first: between the signs of an arrow it would hide one.
  const shown = withoutDirectionControls(text.toWellFormed().replace(UNSHOWN, ''));
  return shown.replaceAll('-->', '→').trim();
}
