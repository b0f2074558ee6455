/** Describes the schemas of the OpenAPI document in words, field by field. */
import { code, slug, table } from '../../documents/markdown.ts';
import { nameOf, type Schema } from './openapi-json.ts';

/**
 * The type of a value.
 * @example
 * typeOf({ type: 'array', items: { type: 'string' } }); // => 'list of string'
 * typeOf({ $ref: '#/components/schemas/CaptionCue' }); // => '[CaptionCue](#captioncue)'
 */
export function typeOf(schema: Schema): string {
  const { $ref, enum: values, anyOf, items, type, additionalProperties: others } = schema;
  if ($ref !== undefined) return `[${nameOf($ref)}](#${slug(nameOf($ref))})`;
  if ('const' in schema) return shown(schema.const);
  if (values) return values.map(shown).join(', ');
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  if (typeof others === 'object') return `object of ${typeOf(others)}`;
  if (Array.isArray(type)) return type.join(' or ');
  return type ?? 'any value';
}

/** The limits and the default of a value, as short phrases: `1 to 3`, `at most 200 characters`. */
function limitsOf(schema: Schema): string {
  const { pattern, format, minLength, maxLength, minItems, maxItems } = schema;
  const phrases = [
    format === undefined || IMPLIED.has(format) ? '' : format,
    between(schema.minimum, schema.maximum),
    schema.exclusiveMinimum === undefined ? '' : `more than ${schema.exclusiveMinimum}`,
    between(minLength, maxLength, 'character'),
    between(minItems, maxItems, 'entry', 'entries'),
    pattern === undefined ? '' : `matches ${code(pattern)}`,
    schema.items ? limitsOf(schema.items).replace(/^(?=.)/, 'each ') : '',
    schema.default === undefined ? '' : `default ${shown(schema.default)}`,
  ];
  return phrases.filter((phrase) => phrase !== '').join('; ');
}

/** Formats that the type or the text around it says already. */
const IMPLIED = new Set(['double', 'binary']);

function between(least?: number, most?: number, one = '', many = `${one}s`): string {
  const unit = (count: number) => (one === '' ? '' : ` ${count === 1 ? one : many}`);
  if (least === undefined || (least === 0 && one !== '' && most !== undefined)) {
    return most === undefined ? '' : `at most ${most}${unit(most)}`;
  }
  if (most === undefined) return least === 0 && one !== '' ? '' : `at least ${least}${unit(least)}`;
  return `${least} to ${most}${unit(most)}`;
}

const shown = (value: unknown): string => code(JSON.stringify(value));

/**
 * The fields of an object as a table; those of objects within it by their path, as `audio.key` and
 * `words[].text`. A schema without fields of its own is described in a sentence.
 */
export function fieldsOf(schema: Schema): string {
  const rows = rowsOf(schema, '');
  if (rows.length > 0) return table(['Field', 'Type', 'Required', 'Notes'], rows);
  const text = notes(schema);
  return text === '' ? typeOf(schema) : `${typeOf(schema)}: ${text}`;
}

function rowsOf(schema: Schema, before: string): string[][] {
  const { properties, items, additionalProperties: others, required = [] } = schema;
  if (items && !items.$ref) return rowsOf(items, `${before}[]`);
  if (typeof others === 'object' && !others.$ref) return rowsOf(others, `${before}.*`);
  return Object.entries(properties ?? {}).flatMap(([name, field]) => {
    const path = before === '' ? name : `${before}.${name}`;
    const own = [code(path), typeOf(field), required.includes(name) ? 'yes' : '', notes(field)];
    return [own, ...rowsOf(field, path)];
  });
}

/** The description and the limits of a value. */
export function notes(schema: Schema, description = schema.description ?? ''): string {
  const limits = limitsOf(schema);
  if (description === '' || limits === '') return description + limits;
  const isSentence = /[.!?]$/.test(description);
  return isSentence
    ? `${description} ${limits.charAt(0).toUpperCase()}${limits.slice(1)}.`
    : `${description}; ${limits}`;
}
