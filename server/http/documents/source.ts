/** Reads the source of a document: Markdown with front matter and {{placeholders}}. */
import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import { open, Type, validator, type Static } from '../../contract/schema.ts';

const FrontMatter = open({
  title: Type.Optional(Type.String({ minLength: 1 })),
  name: Type.Optional(Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 })),
  description: Type.String({ minLength: 1, maxLength: 1024 }),
  updated: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })),
  metadata: Type.Optional(
    open({ updated: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })) }),
  ),
});

/** A document with its placeholders filled in. */
export interface Source {
  title: string;
  /** The name of a skill; empty for all other documents. */
  name: string;
  description: string;
  /** The day on which its text last changed, YYYY-MM-DD. */
  updated: string;
  /** The Markdown below the front matter. */
  markdown: string;
  /** The whole file including front matter, as a skill is served. */
  whole: string;
}

/** Thrown for an invalid document, which the message names. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/**
 * Fills in and parses a document.
 * @param file the name of the file, for messages
 * @param values the values of the placeholders
 * @throws {DocumentError} a placeholder is unknown, or the front matter is missing or invalid
 */
export function readSource(file: string, text: string, values: Record<string, string>): Source {
  const whole = fill(file, text.replaceAll('\r\n', '\n'), values);
  const parts = /^---\n(.*?)\n---\n(.*)$/s.exec(whole);
  if (!parts) throw new DocumentError(`${file}: there is no front matter`);
  const [, head = '', body = ''] = parts;
  const markdown = body.replace(/^\n+/, '');
  const matter: unknown = load(head, { schema: FAILSAFE_SCHEMA });
  const schema = validator(FrontMatter);
  if (!schema.check(matter)) {
    const issues = schema.issues(matter).map(({ path, message }) => `${path} ${message}`);
    throw new DocumentError(`${file}: front matter: ${issues.join(', ')}`);
  }
  return { ...describe(file, matter), markdown, whole };
}

function describe(file: string, matter: Static<typeof FrontMatter>) {
  const { name = '', title = name, description } = matter;
  const updated = matter.updated ?? matter.metadata?.updated;
  if (!title || !updated) {
    throw new DocumentError(`${file}: front matter needs title (or name) and updated`);
  }
  return { title, name, description, updated };
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
