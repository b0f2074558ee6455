/**
 * The outline of a screen as text: each element with its classes, its state and its text, indented. Snapshots of about
 * ten screens show a missing label, role or part. After an intended change, `npx bun test -u test/web/app` writes them
 * again; read the difference before you commit it.
 */
import { expect } from 'bun:test';
import { drawn, until } from './app.ts';

/** Attributes that depend on the test run, or on layout, which a page without a browser does not have. */
const LEFT_OUT = new Set(['class', 'id', 'style', 'data-id', 'data-top', 'data-height', 'd']);

/** Replaces what differs from run to run: ids, dates, durations. */
const settled = (text: string): string =>
  text
    .replaceAll(/\b(run_|file-(?=[0-9a-f]{8}-))[\w-]+/g, '$1<id>')
    .replaceAll(/\bdatetime="[^"]+"/g, 'datetime="<date>"')
    .replaceAll(/\d+(?::\d\d min| s) so far/g, '<time> so far');

/** An element's line, without its children. */
function lineOf(element: Element): string {
  const classes = [...element.classList].map((name) => `.${name}`).join('');
  const attributes = [...element.attributes]
    .filter(({ name }) => !LEFT_OUT.has(name))
    // The toolbar moves the focus to an entry of its menus a moment later.
    .filter(({ name }) => name !== 'tabindex' || !element.matches('[role^=menuitem]'))
    .map(({ name, value }) => (value === '' ? name : `${name}="${value}"`))
    .toSorted();
  const { value, checked } = element as HTMLInputElement;
  const state = element.matches(
    'input:not([type=checkbox], [type=radio], [type=file]), select, textarea',
  )
    ? [
        `holds="${value}"`,
        ...(element.localName === 'select' ? [`of=${element.children.length}`] : []),
      ]
    : checked
      ? ['checked']
      : [];
  const says = [...element.childNodes]
    .filter(({ nodeType }) => nodeType === 3)
    .map(({ textContent }) => textContent)
    .join(' … ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const tag = element.localName + classes;
  const inside = { textarea: '', time: '<date>' }[element.localName] ?? says;
  return [
    tag,
    ...new Set([...attributes, ...state]),
    ...(inside === '' ? [] : [`“${inside}”`]),
  ].join(' ');
}

function* linesOf(element: Element, depth: number): Generator<string> {
  yield '  '.repeat(depth) + settled(lineOf(element));
  if (element.localName === 'select') return;
  for (const child of element.children)
    if (child.localName !== 'svg') yield* linesOf(child, depth + 1);
}

/** Compares the outline of a part of the page with the snapshot of the test. */
export async function expectScreen(selector: string): Promise<void> {
  await drawn();
  // Parts that are loaded when they are needed take their time on a busy machine.
  await until('all parts', () => document.querySelector('.loading') === null);
  await drawn();
  const part = document.querySelector(selector);
  if (!part) throw new Error(`there is no ${selector}`);
  const ids: string[] = [];
  // Ids are counted from the first in the outline, since earlier content has used some too.
  const lines = [...linesOf(part, 0)].map((line) =>
    line.replaceAll(/\bP\d+-\d+/g, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `P${ids.indexOf(id) + 1}`;
    }),
  );
  expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
}
