/** Sentences as HTML, for engines that keep its tags: only marks of italics are tags, everything else is text. */

/**
 * A sentence as HTML.
 * @example
 * asHtml('a < <i>b</i> & c'); // => 'a &lt; <i>b</i> &amp; c'
 */
export const asHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll(/<(?!\/?i>)/gi, '&lt;')
    .replaceAll(/(?<!<\/?i)>/gi, '&gt;');

/** The entities that engines write in their answers. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&apos;': "'",
  '&nbsp;': ' ',
  '&#160;': ' ',
  '&amp;': '&',
};

/**
 * The text of an answer in HTML.
 * @example
 * fromHtml('l&#39;<i>eau</i> &amp;lt;'); // => "l'<i>eau</i> &lt;"
 */
export const fromHtml = (html: string): string =>
  html.replaceAll(
    /&(?:[a-z]{2,4}|#x?[0-9a-f]{2,3});/gi,
    (entity) => ENTITIES[entity.toLowerCase()] ?? entity,
  );

/** Whether a text has a mark of italics. */
export const isMarked = (text: string): boolean => /<\/?i>/i.test(text);
