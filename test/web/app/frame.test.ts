/** The frame of every screen: addresses, the focus, failures of the page, the theme, and deleting everything. */
import './support/page.ts';
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { keepsAnything, keptRuns } from '../../../web/storage/runs.ts';
import { hrefOf, route } from '../../../web/tab/route.ts';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  drawn,
  goToStart,
  has,
  one,
  openApp,
  openFile,
  pageText,
  until,
  visit,
} from './support/app.ts';
import { choose, click } from './support/hands.ts';
import { srtOf } from './support/talks.ts';

let reloads = 0;
let keptAtReload = Promise.resolve(true);
const reload = () => {
  reloads += 1;
  keptAtReload = keepsAnything();
};
Object.defineProperty(location, 'reload', { value: reload, configurable: true });

/** The system’s colours, which a test changes. */
const system = Object.assign(new EventTarget(), { matches: false });
const { matchMedia } = globalThis;
Reflect.set(globalThis, 'matchMedia', () => system);
const scrolls: number[][] = [];
Reflect.set(globalThis, 'scrollTo', (...to: number[]) => void scrolls.push(to));
afterAll(() => Reflect.set(globalThis, 'matchMedia', matchMedia));

await openApp();
const { theme } = await import('../../../web/tab/theme.ts');

beforeEach(async () => {
  await goToStart();
});

const isWrong = () => pageText().includes(text.wrong);
const currentLink = () =>
  all('header nav a[aria-current=page]').map(({ textContent }) => textContent);

test('each screen has its address, its link in the header and its title', async () => {
  expect(currentLink()).toEqual([text.header.start]);
  await visit('#/runs', text.pastRuns.title);
  await until('the title', () => document.title.startsWith(text.pastRuns.title));
  expect(currentLink()).toEqual([text.header.pastRuns]);
  await visit('#/terms', text.header.terms);
  await until('the link', () => currentLink()[0] === text.header.terms);
  expect(all('header nav a, header .brand').map((link) => link.getAttribute('href'))).toEqual([
    '#/',
    '#/',
    '#/runs',
    '#/terms',
    '/guide',
  ]);
  await visit('#/', text.start.title);
  await until('the title', () => document.title === text.name);
});

test('an address leads to its screen, and any other to the start', async () => {
  const at = async (hash: string) => {
    location.hash = hash;
    await drawn();
    return route.peek();
  };
  expect(await at('#/runs/run%2F1')).toEqual({ screen: 'run', runId: 'run/1' });
  expect(await at('#/runs/one/12.5')).toEqual({ screen: 'run', runId: 'one', at: 12.5 });
  expect(await at('#/runs/one/soon')).toEqual({ screen: 'run', runId: 'one' });
  expect(await at('#/runs/%')).toEqual({ screen: 'run', runId: '%' });
  expect(await at('#/runs/')).toEqual({ screen: 'past-runs' });
  expect(await at('#/terms')).toEqual({ screen: 'terms' });
  expect(await at('#/elsewhere')).toEqual({ screen: 'start' });
  expect(await at('#')).toEqual({ screen: 'start' });
  expect(hrefOf({ screen: 'run', runId: 'run/1' })).toBe('#/runs/run%2F1');
});

test('after a reload, a recording that was not uploaded is gone, and those of a queue are among the past runs', async () => {
  location.hash = '#/new';
  await until('the start page', () => location.hash === '#/');
  expect(document.querySelector('form.start')).not.toBeNull();
  const before = history.length;
  location.hash = '#/queue';
  await until('the past runs', () => location.hash === '#/runs');
  // Going back does not lead to the queue again.
  expect(history.length).toBe(before + 1);
});

test('the content of a new screen gets the focus, unless something in it has it', async () => {
  const content = one('#content');
  content.focus();
  content.blur();
  expect(document.activeElement === document.body).toBe(true);
  location.hash = '#/runs';
  await until('the focus', () => document.activeElement === content);
  control(text.header.guide).focus();
  await goToStart();
  await drawn();
  expect(document.activeElement?.textContent).toBe(text.header.guide);
});

test('the first link leads past the header, and keeps the screen', async () => {
  await visit('#/runs', text.pastRuns.title);
  await click(control(text.skip));
  expect([document.activeElement?.id, location.hash]).toEqual(['content', '#/runs']);
});

test('an error in the page is reported, with an offer to reload', async () => {
  const harmless = new ErrorEvent('error', { message: 'ResizeObserver loop limit exceeded' });
  dispatchEvent(harmless);
  await drawn();
  expect(isWrong()).toBe(false);
  dispatchEvent(new ErrorEvent('error', { message: 'x is not a function' }));
  await until('the notice', isWrong);
  // Later errors change nothing.
  dispatchEvent(harmless);
  await drawn();
  expect(isWrong()).toBe(true);
  await click(text.reload);
  expect(reloads).toBe(1);
});

test('the theme is the system’s until the user chooses another', async () => {
  const { documentElement } = document;
  const chosen = () => [documentElement.dataset['theme'], localStorage.getItem('captioner.theme')];
  const systemIs = (dark: boolean) => {
    system.matches = dark;
    system.dispatchEvent(new Event('change'));
  };
  systemIs(true);
  expect([theme.peek(), ...chosen()]).toEqual(['dark', undefined, null]);
  await drawn();
  await click(text.header.toLight);
  systemIs(false);
  systemIs(true);
  expect([theme.peek(), ...chosen()]).toEqual(['light', 'light', 'light']);
  // After switching back to the system's theme, it follows the system again.
  await click(text.header.toDark);
  systemIs(false);
  expect([theme.peek(), ...chosen()]).toEqual(['light', undefined, null]);
});

test('signing out can delete everything stored in this browser', async () => {
  await openFile(srtOf('Good night.'), 'mine.srt');
  await until('the place', () => sessionStorage.getItem('captioner.place'));
  await visit('#/', text.start.title);
  await choose(control(text.start.language) as HTMLSelectElement, 'de');
  localStorage.setItem('captioner.uploads', '[]');
  expect(await keepsAnything()).toBe(true);
  await click(all('.header-end .menu > button')[0]!);
  await click(control(text.header.signOut));
  await until('the question', () => has(text.header.signOutForget));
  await click(text.cancel);
  await until('no question', () => !document.querySelector('dialog'));
  expect(sessionStorage.getItem('captioner.session')).not.toBeNull();
  await click(all('.header-end .menu > button')[0]!);
  await click(control(text.header.signOut));
  await until('the question', () => has(text.header.signOutForget));
  const before = reloads;
  location.hash = '#/runs';
  await click(text.header.signOutForget);
  await until('the reload', () => reloads === before + 1);
  expect(await keptAtReload).toBe(false);
  expect([location.hash, has(text.header.signIn)]).toEqual(['', true]);
  const stored = [localStorage, sessionStorage].flatMap((place) => Object.keys(place));
  expect(stored.filter((name) => /uploads|place|draft|session/.test(name))).toEqual([]);
  // Until the page is reloaded, nothing more is stored: the database is closed.
  expect(await keptRuns().catch(() => 'closed')).toBe('closed');
  const names = (await indexedDB.databases()).map(({ name }) => name!);
  expect(names.toSorted()).toEqual(['captioner', 'captioner-service-copies']);
  for (const name of names) {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open(name);
      opening.addEventListener('success', () => resolve(opening.result));
    });
    for (const store of database.objectStoreNames) {
      const counting = database.transaction(store).objectStore(store).count();
      const counted = await new Promise<number>((resolve) => {
        counting.addEventListener('success', () => resolve(counting.result));
      });
      expect([store, counted]).toEqual([store, 0]);
    }
    database.close();
  }
});
