/** Describes the errors in a pack with the lines of its file. */
import {
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  load,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import type { PackIssue } from './pack-checks.ts';

interface InvalidPackFile {
  /** The path relative to the folder of packs, with `/`. */
  path: string;
  text: string;
  issues: readonly Omit<PackIssue, 'pack'>[];
}

/** One line per error: `vendors/workos.yaml:9: terms.0.weight must be number`. An error of YAML hides all others. */
export function describeIssues({ path, text, issues }: InvalidPackFile): string[] {
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
