/** Writes the shell command that calls an operation. */
import { KEY_VARIABLE } from '../../documents/key-storage.ts';
import type { MediaType, Operation, Parameter } from './openapi-json.ts';

/** The operation to call. */
export interface Call {
  method: string;
  /** As in the document: `/audio/{key}`. */
  path: string;
  operation: Operation;
}

/**
 * A command for a POSIX shell, which takes the API key from a variable.
 * @param baseUrl without a trailing slash
 */
export function curlCommand({ method, path, operation }: Call, baseUrl: string): string {
  const { parameters = [], security, requestBody } = operation;
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {});
  const headers = [
    ...(security.length > 0 ? [`"Authorization: Bearer $${KEY_VARIABLE}"`] : []),
    ...(type === undefined ? [] : [quoted(`Content-Type: ${type}`)]),
    ...needed(parameters, 'header').map((one) => quoted(`${one.name}: ${exampleOf(one)}`)),
  ];
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const lines = [
    `curl -sS${verb} ${quoted(`${baseUrl}${filled(path, parameters)}`)}`,
    ...headers.map((header) => `-H ${header}`),
    ...(body ? [bodyOption(body)] : []),
  ];
  return lines.join(' \\\n  ');
}

const needed = (parameters: readonly Parameter[], place: string): Parameter[] =>
  parameters.filter((one) => one.in === place && one.required === true);

/** The address with examples in place of its parameters. */
function filled(path: string, parameters: readonly Parameter[]): string {
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    exampleOf(parameters.find((one) => one.in === 'path' && one.name === name) ?? { name }),
  );
  const query = needed(parameters, 'query').map(
    (one) => `${one.name}=${encodeURIComponent(exampleOf(one))}`,
  );
  return query.length === 0 ? inPath : `${inPath}?${query.join('&')}`;
}

function exampleOf({ name, schema, example }: Pick<Parameter, 'name' | 'schema' | 'example'>) {
  const value = example ?? schema?.example ?? schema?.default ?? schema?.const ?? schema?.enum?.[0];
  if (typeof value === 'string') return value;
  return value === undefined ? `<${name}>` : JSON.stringify(value);
}

function bodyOption({ schema, example }: MediaType): string {
  if (example !== undefined) return `-d ${quoted(JSON.stringify(example))}`;
  return schema?.format === 'binary' ? '--data-binary @keynote.mp3' : `-d '{}'`;
}

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll(`'`, String.raw`'\''`)}'`;
