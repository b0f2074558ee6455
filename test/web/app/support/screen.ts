/**
 * The outline of a screen as text: each element that says or does something, with its role, name and state. Snapshots
 * of about ten screens show what is missing. After an intended change, `npx bun test -u test/web/app` writes them
 * again; read the difference before you commit it.
 */
import { expect } from 'bun:test';
import { drawn, until } from './app.ts';

/** A line longer than this is divided at its parts. */
const WIDEST = 300;

/** What a person who hears or sees the screen would miss; classes, ids, sizes and addresses are not among it. */
const KEPT =
  'role aria-label aria-pressed aria-selected aria-current aria-expanded aria-disabled href placeholder accept lang'
    .concat(' aria-valuemin aria-valuemax min max')
    .split(' ');

/** Replaces what differs from run to run: ids, dates, durations. */
const settled = (text: string): string =>
  text
    .replaceAll(/\b(run_|file-(?=[0-9a-f]{8}-))[\w-]+/g, '$1<id>')
    .replaceAll(/\d+(?::\d\d min| s) so far/g, '<time> so far');

/** An element without its children; '' where it only groups others. */
function lineOf(element: Element): string {
  const { value, checked } = element as HTMLInputElement;
  const holds = element.matches('input:not([type=checkbox], [type=radio], [type=file]), select');
  const says = [...element.childNodes]
    .filter(({ nodeType }) => nodeType === 3)
    .map(({ textContent }) => textContent)
    .join(' … ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const inside = { textarea: '', time: '<date>' }[element.localName] ?? says;
  const parts = [
    ...KEPT.filter((name) => !['', 'false', null].includes(element.getAttribute(name))).map(
      (name) => `${name.replace('aria-', '')}="${element.getAttribute(name)}"`,
    ),
    ...(element.hasAttribute('disabled') ? ['disabled'] : []),
    ...(holds ? [`holds="${value}"`] : checked ? ['checked'] : []),
    ...(inside === '' ? [] : [`“${inside}”`]),
  ];
  if (parts.length === 0 && !element.matches('button, input, textarea, li')) return '';
  const tag = element.localName === 'span' ? [] : [element.localName];
  return settled([...tag, ...parts].join(' '));
}

/** Elements that only group others are left out, as is a name's repetition; short parts stand in one line with their whole. */
function linesOf(element: Element): string[] {
  const own = lineOf(element);
  const parts =
    element.localName === 'select'
      ? []
      : [...element.children].filter(({ localName }) => localName !== 'svg').flatMap(linesOf);
  if (own === '') return parts;
  const name = element.getAttribute('aria-label');
  if (parts.length === 0 || (name !== null && parts.join() === `“${name}”`)) return [own];
  const short = parts.join(' | ');
  return parts.some((line) => line.startsWith(' ')) || own.length + short.length > WIDEST
    ? [own, ...parts.map((line) => `  ${line}`)]
    : [`${own} (${short})`];
}

/** Compares the outline of a part of the page with the snapshot of the test. */
export async function expectScreen(selector: string): Promise<void> {
  await drawn();
  // Parts that are loaded when they are needed take their time on a busy machine.
  await until('all parts', () => document.querySelector('.loading') === null);
  await drawn();
  const part = document.querySelector(selector);
  if (!part) throw new Error(`there is no ${selector}`);
  expect(`\n${linesOf(part).join('\n')}\n`).toMatchSnapshot();
}
