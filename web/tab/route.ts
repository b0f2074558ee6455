/**
 * The current screen, held in the address after `#` so that the browser's back and forward buttons
 * work.
 */
import { signal } from '@preact/signals';

type Route =
  | { screen: 'start' }
  /** The sample, which opens at once. */
  | { screen: 'sample' }
  /** The recording in progress, before its run has an id. */
  | { screen: 'job' }
  /** Several recordings in progress. */
  | { screen: 'queue' }
  | { screen: 'past-runs' }
  /** The terms of the workspace. */
  | { screen: 'terms' }
  | { screen: 'settings' }
  /** Where an identity provider sends people back to, with what went wrong. */
  | { screen: 'signed-in'; problem: string }
  /** Where anybody checks a signed report. */
  | { screen: 'verify' }
  /** A run, at a time of its recording in seconds if one is given. */
  | { screen: 'run'; runId: string; at?: number }
  /** A review that was handed on by a link. */
  | { screen: 'shared'; token: string };

/** The current screen. */
export const route = signal<Route>(read());

addEventListener('hashchange', () => {
  route.value = read();
  scrollTo(0, 0);
});

/** The address of a screen, for links. */
export function hrefOf(to: Route): string {
  if (to.screen === 'shared') return `#/shared/${to.token}`;
  if (to.screen === 'run') {
    const time = to.at === undefined ? '' : `/${to.at}`;
    return `#/runs/${encodeURIComponent(to.runId)}${time}`;
  }
  return {
    start: '#/',
    sample: '#/sample',
    job: '#/new',
    queue: '#/queue',
    'past-runs': '#/runs',
    terms: '#/terms',
    settings: '#/settings',
    'signed-in': '#/signed-in',
    verify: '#/verify',
  }[to.screen];
}

/** Opens a screen; with `replace`, the current one leaves the history. */
export function go(to: Route, { replace }: { replace?: boolean } = {}): void {
  if (replace) {
    history.replaceState(null, '', hrefOf(to));
    route.value = to;
  } else {
    location.hash = hrefOf(to);
  }
}

function read(): Route {
  const [, first, id, time = ''] = location.hash.split('/');
  if (first === 'new') return { screen: 'job' };
  if (first === 'sample') return { screen: 'sample' };
  if (first === 'queue') return { screen: 'queue' };
  if (first === 'terms') return { screen: 'terms' };
  if (first === 'shared') return { screen: 'shared', token: id ?? '' };
  if (first === 'settings') return { screen: 'settings' };
  if (first === 'signed-in') return { screen: 'signed-in', problem: '' };
  if (first === 'sign-in-failed') return { screen: 'signed-in', problem: id ?? 'failed' };
  if (first === 'verify') return { screen: 'verify' };
  if (first !== 'runs' && first !== 'sign-in') return { screen: 'start' };
  if (!id) return { screen: 'past-runs' };
  const at = time === '' ? Number.NaN : Number(time);
  return { screen: 'run', runId: decoded(id), ...(at >= 0 && { at }) };
}

/** Decodes a part of the address; an invalid escape, as in `#/runs/%`, is left as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
