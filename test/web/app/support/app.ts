/**
 * The app, mounted in the page of a test file, with the real service behind it: a user's actions, and the page.
 * Texts are taken from web/texts, which the app shows.
 */
import { h, render } from 'preact';
import './page.ts';
import { uploads } from './uploads.ts';
import type { TermCorrection } from '../../../../server/contract/terminology.ts';
import type { TranscriptWord } from '../../../../server/contract/results.ts';
import { readConfig } from '../../../../server/config/config.ts';
import { providerSummaries } from '../../../../server/pipeline/providers.ts';
import { loadTermPacks } from '../../../../server/terminology/packs/packs.ts';
import { completedRun } from '../../../support/servers/completed-run.ts';
import { mountedApp, type Mounted, type MountOptions } from '../../../support/servers/mounted.ts';
import { termPackList } from '../../../../server/terminology/packs/pack.ts';

/** How long something may take to appear, in milliseconds: only a failure takes so long, on a busy machine too. */
const PATIENCE = 20_000;

/** The text of the page. */
export const pageText = (): string => document.body.textContent ?? '';

/** Waits until a condition holds, and returns its value. */
export async function until<T>(
  what: string,
  holds: () => T | null | undefined | false | Promise<T | null | undefined | false>,
): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (performance.now() > end) {
      throw new Error(`${what}: not within ${PATIENCE} ms; the page says: ${pageText()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Lets the page draw what has changed. */
export async function drawn(): Promise<void> {
  for (let at = 0; at < 4; at += 1) await new Promise((resolve) => setTimeout(resolve));
}

/** A person in the app. */
export interface Person {
  service: Mounted;
  key: string;
  organizationId: string;
  /** The requests sent so far: method and path. */
  requests: string[];
  /** Answers requests instead of the service, as long as it returns a response; null lets the service answer, later if it is a promise. */
  interrupt(by: ((request: Request) => Response | null | Promise<Response | null>) | null): void;
}

/** Mounts the app for a person who is signed in. */
export async function openApp(
  options: MountOptions & { signedIn?: boolean } = {},
): Promise<Person> {
  const service = await mountedApp({ ...options, ownPool: true });
  const { key, organizationId } = await service.signUp('ann@example.com');
  const about = {
    providers: providerSummaries(readConfig({ DEEPGRAM_API_KEY: 'key' })),
    packs: termPackList(await loadTermPacks()).packs,
    sendsMail: false,
    signOnName: null,
    ffmpegCommand: 'ffmpeg -i input.mp4 out.mp3',
  };
  document.head.append(
    Object.assign(document.createElement('meta'), {
      name: 'server',
      content: JSON.stringify(about),
    }),
  );
  const requests: string[] = [];
  let by: Parameters<Person['interrupt']>[0] = null;
  const answer = async (path: string, init?: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(path, 'http://localhost:3000');
    requests.push(`${init?.method ?? 'GET'} ${pathname}${search}`);
    const instead = await by?.(new Request(new URL(path, 'http://localhost:3000'), init));
    if (instead) return instead;
    const headers = new Headers(init?.headers);
    // Browsers name the page that changes something.
    if (init?.method && init.method !== 'GET') headers.set('origin', 'http://localhost:3000');
    return service.ask(path, { ...init, headers });
  };
  Reflect.set(globalThis, 'fetch', answer);
  Reflect.set(globalThis, 'XMLHttpRequest', uploads(answer));
  if (options.signedIn !== false) {
    sessionStorage.setItem('captioner.session', JSON.stringify({ key, email: 'ann@example.com' }));
  }
  const { App } = await import('../../../../web/app.tsx');
  render(h(App, {}), document.querySelector('#app')!);
  await drawn();
  return { service, key, organizationId, requests, interrupt: (next) => void (by = next) };
}

/** A refusal as the service answers it. */
export const refusal = (status: number, code: string, message: string): Response =>
  Response.json({ error: { code, message } }, { status });

/** Whether a request starts a run. */
export const isStart = ({ method, url }: Request): boolean =>
  method === 'POST' && new URL(url).pathname === '/workflows/captioner';

/** The payload of the next run that is started, which the service refuses. */
export function nextPayload({ interrupt }: Person): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    interrupt((request) =>
      isStart(request)
        ? request.json().then((payload: Record<string, unknown>) => {
            resolve(payload);
            return refusal(429, 'quota_exceeded', 'No more today.');
          })
        : null,
    );
  });
}

/** Opens the review of a run with these words. */
export async function openRun(
  { service, organizationId }: Person,
  words: TranscriptWord[],
  corrections: readonly TermCorrection[] = [],
) {
  const run = await completedRun(service.services.database, organizationId, words, corrections);
  await goToStart();
  location.hash = `#/runs/${run.runId}`;
  await writable();
  return run;
}

/** Opens a page of the app by its address. */
export async function visit(hash: string, name: string): Promise<void> {
  await goToStart();
  location.hash = hash;
  await until(name, () => pageText().includes(name));
}

/** Opens captions from a file, as if they had been dropped on the start page. */
export async function openFile(captions: string, name = 'talk.srt', media?: File): Promise<void> {
  const { openCaptions } = await import('../../../../web/job/open-captions.ts');
  await goToStart();
  const said = await openCaptions(new File([captions], name), media);
  if (said !== '') throw new Error(said);
  await writable();
}

/** Goes to the start page, so that an open review is not mistaken for the next one. */
export async function goToStart(): Promise<void> {
  location.hash = '#/';
  await until('the start page', () => document.querySelector('form.start'));
}

export const writable = () =>
  until('the review', () => document.querySelector('.cue-text:not([readonly])'));

/** The elements that match, in order. */
export const all = (selector: string, within: ParentNode = document): HTMLElement[] => [
  ...within.querySelectorAll<HTMLElement>(selector),
];

/** The only element that matches. */
export function one(selector: string, within: ParentNode = document): HTMLElement {
  const found = all(selector, within);
  if (found.length !== 1) throw new Error(`${found.length} of ${selector} in: ${pageText()}`);
  return found[0]!;
}

/** What assistive technology calls an element. */
const nameOf = (element: Element): string => {
  const label = element.getAttribute('aria-label');
  if (label !== null) return label;
  const labels = element.id === '' ? [] : all(`label[for="${element.id}"]`);
  const around = element.matches('input, select, textarea') ? element.closest('label') : null;
  return (labels[0] ?? around ?? element).textContent?.trim() ?? '';
};

/** The control with a name; the first if there are several. */
export function control(name: string, within: ParentNode = document): HTMLElement {
  const found = all('a, button, input, select, textarea, summary', within).find(
    (each) => nameOf(each) === name,
  );
  if (!found) throw new Error(`no control “${name}” in: ${pageText()}`);
  return found;
}

/** The first button whose text begins with these words. */
export const buttonOf = (words: string, within?: ParentNode): HTMLElement =>
  all('button', within).find(({ textContent }) => textContent?.startsWith(words))!;

/** The field with a name. */
export const input = (name: string): HTMLInputElement => control(name) as HTMLInputElement;

/** Whether there is a control with a name. */
export const has = (name: string): boolean =>
  all('a, button, input, select, textarea').some((each) => nameOf(each) === name);

/** The rows of captions in the page. */
export const rows = (): HTMLElement[] => all('.cue');

const place = (row: HTMLElement): number => Number(row.getAttribute('aria-posinset'));

/** The texts of the captions. */
export const texts = (): string[] =>
  rows()
    .toSorted((a, b) => place(a) - place(b))
    .map((row) => (one('.cue-text', row) as HTMLTextAreaElement).value);

/** The text field of a caption, from 1. */
export const field = (number: number): HTMLTextAreaElement =>
  one('.cue-text', rows()[number - 1]) as HTMLTextAreaElement;

/** The times of a caption, from 1, as shown. */
export const times = (number: number): string[] =>
  all('.time', rows()[number - 1]).map((each) => (each as HTMLInputElement).value);

/** The number of the current caption, from 1. */
export const current = (): number => rows().findIndex((row) => row.matches('.current')) + 1;

/** The app's latest announcement to screen readers. */
export const said = (): string => one('.said').textContent ?? '';
