/** The placeholders of texts, such as `{{base_url}}`. */

/** Thrown for an invalid document, which the message names. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/**
 * Fills in the placeholders of a text.
 * @param file the name of the file, for messages
 * @throws {DocumentError} a placeholder is unknown
 */
export function fill(file: string, text: string, values: Record<string, string>): string {
  return text.replace(/\{\{([^{}]*)\}\}/g, (_whole, inner: string) => {
    const name = inner.trim();
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new DocumentError(`${file}: unknown placeholder {{${name}}}`);
    return value;
  });
}
