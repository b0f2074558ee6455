/** Reads the packs in a folder, and checks all of them before the service starts. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { validator } from '../contract/schema.ts';
import { checkPacks, type PackFault } from './pack-checks.ts';
import { TermPack } from './pack.ts';

export { summarizePack, termPackList, type TermPack } from './pack.ts';

/** Thrown for invalid packs. The message has one line per fault: file, line, field and reason. */
export class TermPackError extends Error {
  override readonly name = 'TermPackError';
}

interface PackFile {
  /** The path relative to the folder, with `/`. */
  path: string;
  document: Document;
  lines: LineCounter;
  pack: TermPack | null;
  faults: string[];
}

/**
 * Reads every `.yaml` file in a folder and its subfolders, in the order of their ids.
 * @throws {TermPackError} naming the file, line and field of every fault
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
  for (const fault of checkPacks(read.map((file) => file.pack))) {
    const file = read[fault.pack];
    file?.faults.push(describe(file, fault));
  }
  const faults = files.flatMap((file) => file.faults);
  if (faults.length > 0) {
    throw new TermPackError(`Terminology packs cannot be used:\n${faults.join('\n')}`);
  }
  return read.map((file) => file.pack).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function readPackFile(path: string, text: string): PackFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const file: PackFile = { path, document, lines, pack: null, faults: [] };
  for (const error of document.errors) {
    file.faults.push(`${path}:${lines.linePos(error.pos[0]).line}: ${error.message}`);
  }
  if (file.faults.length > 0) return file;
  const value: unknown = document.toJS();
  const schema = validator(TermPack);
  if (!schema.check(value)) {
    for (const { path: field, message } of schema.faults(value)) {
      file.faults.push(describe(file, { field, message }));
    }
    return file;
  }
  file.pack = value;
  const id = path.replace(/\.ya?ml$/, '');
  if (value.id !== id) {
    file.faults.push(describe(file, { field: 'id', message: `must be ${id}, the file's path` }));
  }
  return file;
}

/** Formats a fault: `vendors/workos.yaml:9: terms.0.weight must be number`. */
function describe(file: PackFile, fault: Pick<PackFault, 'field' | 'message'>): string {
  const field = fault.field || 'the file';
  return `${file.path}:${lineOf(file, fault.field)}: ${field} ${fault.message}`;
}

/** The line of a field, or of its nearest parent if the field is missing. */
function lineOf(file: PackFile, field: string): number {
  const path = field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  for (let length = path.length; length > 0; length -= 1) {
    const node = file.document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return file.lines.linePos(node.range[0]).line;
  }
  return 1;
}
