/** Reads request headers that may be missing. */

/** The text of a header; empty if it is missing. */
export const headerText = (headers: Headers, name: string): string => headers.get(name) ?? '';

/** The last entry of a list, which the nearest proxy has written. */
export const lastEntry = (headers: Headers, name: string): string =>
  headerText(headers, name).replace(/^.*,/s, '').trim();

/** The media type of a body in lower case, without its parameters; empty if it is not given. */
export const mediaTypeOf = (headers: Headers): string =>
  headerText(headers, 'content-type').split(';', 1).join('').trim().toLowerCase();

/** Whether a body has a content coding. */
export const isEncoded = (headers: Headers): boolean =>
  !['', 'identity'].includes(headerText(headers, 'content-encoding').trim().toLowerCase());
