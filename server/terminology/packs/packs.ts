/** Reads the packs in a folder, and checks all of them before the service starts. */
import { fileURLToPath } from 'node:url';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import {
  load,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import { validator } from '../../contract/schema.ts';
import { checkPacks, type PackIssue } from './pack-checks.ts';
import { TermPack } from './pack.ts';

/** Thrown for invalid packs. The message has one line per error: file, line, field and reason. */
export class TermPackError extends Error {
  override readonly name = 'TermPackError';
}

interface PackFile {
  /** The path relative to the folder, with `/`. */
  path: string;
  text: string;
  pack: TermPack | null;
  issues: Omit<PackIssue, 'pack'>[];
}

/**
 * Reads every `.yaml` file in a folder and its subfolders, in the order of their ids.
 * @throws {TermPackError} naming the file, line and field of every error
 */
export async function loadPacks(folder: string): Promise<TermPack[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  const files = await Promise.all(
    paths.map(async (path) => readPackFile(path, await readFile(join(folder, path), 'utf8'))),
  );
  const read = files.filter((file): file is PackFile & { pack: TermPack } => file.pack !== null);
  for (const { pack, ...issue } of checkPacks(read.map((file) => file.pack))) {
    read[pack]?.issues.push(issue);
  }
  const invalid = files.filter((file) => file.issues.length > 0);
  if (invalid.length > 0) {
    throw new TermPackError(
      `Terminology packs cannot be used:\n${invalid.flatMap(describeIssues).join('\n')}`,
    );
  }
  return read.map((file) => file.pack).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function readPackFile(path: string, text: string): PackFile {
  const file: PackFile = { path, text, pack: null, issues: [] };
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    file.issues.push({ field: '', message: `is not YAML: ${String(error).split('\n', 1)[0]}` });
    return file;
  }
  const schema = validator(TermPack);
  if (!schema.check(value)) {
    file.issues = schema.issues(value).map(({ path: field, message }) => ({ field, message }));
    return file;
  }
  file.pack = value;
  const id = path.replace(/\.ya?ml$/, '');
  if (value.id !== id) {
    file.issues.push({ field: 'id', message: `must be ${id}, the file's path` });
  }
  return file;
}

/** The folder of the terminology packs. */
export const packsFolder = fileURLToPath(new URL('../../../terms', import.meta.url));

let loaded: Promise<TermPack[]> | null = null;

/**
 * Loads the packs in terms/, once per process.
 * @throws {TermPackError} naming the file, line and field of every error
 */
export function loadTermPacks(): Promise<TermPack[]> {
  loaded ??= loadPacks(packsFolder).catch((error: unknown) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

/** Takes packs that another thread has loaded, so that a worker thread need not read and parse them again. */
export function useTermPacks(packs: TermPack[]): void {
  loaded = Promise.resolve(packs);
}

interface InvalidPackFile {
  /** The path relative to the folder of packs, with `/`. */
  path: string;
  text: string;
  issues: readonly Omit<PackIssue, 'pack'>[];
}

/** One line per error: `vendors/workos.yaml:9: terms.0.weight must be number`. An error of YAML hides all others. */
function describeIssues({ path, text, issues }: InvalidPackFile): string[] {
  try {
    load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return [`${path}:${(error.mark?.line ?? 0) + 1}: ${error.reason}`];
  }
  const places = placesOf(text);
  return issues.map(({ field, message }) => {
    let known = field;
    while (known !== '' && !places.has(known)) known = known.replace(/(?:^|\.)[^.]*$/, '');
    const line = text.slice(0, known === '' ? 0 : places.get(known)).split('\n').length;
    return `${path}:${line}: ${field || 'the file'} ${message}`;
  });
}

/** Where each value begins, by its path, such as `terms.0.weight`. */
function placesOf(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  /** What contains the next value: its path, the key that the value belongs to, and the number of values before it. */
  const around: { path: string; isMapping: boolean; key: string | null; count: number }[] = [];
  for (const event of parseEvents(text, {})) {
    if (event.type === EVENT_POP) {
      around.pop();
      continue;
    }
    const parent = around.at(-1);
    const isKey = parent?.isMapping === true && parent.key === null;
    let path = '';
    if (isKey) {
      parent.key = event.type === EVENT_SCALAR ? text.slice(event.valueStart, event.valueEnd) : '?';
    } else if (parent) {
      const name = parent.isMapping ? parent.key : parent.count;
      path = parent.path === '' ? `${name ?? ''}` : `${parent.path}.${name}`;
      parent.key = null;
      parent.count += 1;
    }
    if (event.type === EVENT_DOCUMENT) {
      around.push({ path: '', isMapping: false, key: null, count: 0 });
      continue;
    }
    // The value of the document has no path of its own.
    if (around.length === 1) path = '';
    if (event.type === EVENT_SCALAR) {
      if (!isKey) places.set(path, event.valueStart);
    } else if (event.type === EVENT_ALIAS) {
      if (!isKey) places.set(path, event.anchorStart);
    } else {
      if (!isKey) places.set(path, event.start);
      around.push({ path, isMapping: event.type === EVENT_MAPPING, key: null, count: 0 });
    }
  }
  return places;
}
