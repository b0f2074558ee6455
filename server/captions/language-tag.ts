/** The tag of a language, as BCP 47 writes it. */

/**
 * The language of a tag without its region and script.
 * @example
 * baseOf('de-AT'); // => 'de'
 */
export const baseOf = (tag: string): string => tag.toLowerCase().split('-')[0]!;
