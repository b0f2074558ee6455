/** Reviews that are saved on a service, with a clock that a test advances. */
import { afterEach, beforeEach, jest, spyOn } from 'bun:test';
import { saveToService } from '../../../web/review/save/save-to-service.ts';
import { signOut } from '../../../web/session.ts';
import { signal } from '@preact/signals';
import { Desk, Service } from './shared-service.ts';

/** The page of the review, as far as saving uses it. */
export const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
const documentBefore = Reflect.get(globalThis, 'document') as unknown;
export const leaving: (() => void)[] = [];

let now = 0;

/** Gives the tests of a file a page and a clock, and ends their saving. */
export function useSaving(): void {
  beforeEach(() => {
    page.visibilityState = 'visible';
    Reflect.set(globalThis, 'document', page);
    jest.useFakeTimers();
    spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(async () => {
    for (const leave of leaving.splice(0)) leave();
    await settled();
    jest.useRealTimers();
    jest.restoreAllMocks();
    signOut();
    if (documentBefore === undefined) Reflect.deleteProperty(globalThis, 'document');
    else Reflect.set(globalThis, 'document', documentBefore);
  });
}

export async function settled(): Promise<void> {
  for (let at = 0; at < 60; at += 1) await Promise.resolve();
}

/** Advances the clock by some milliseconds, in steps of at most a tenth of a second. */
export async function pass(ms: number): Promise<void> {
  await settled();
  for (let left = ms; left > 0; left -= 100) {
    now += Math.min(100, left);
    jest.advanceTimersByTime(Math.min(100, left));
    await settled();
  }
}

export function show(state: 'visible' | 'hidden'): Promise<void> {
  page.visibilityState = state;
  page.dispatchEvent(new Event('visibilitychange'));
  return settled();
}

type ServiceAccess = NonNullable<Parameters<typeof saveToService>[2]>;

/** A browser that saves a review on a service. */
export function opened(change: Partial<ServiceAccess> = {}, service = new Service()) {
  const desk = new Desk(service);
  const stop = new AbortController();
  const key = signal<string | null>('key');
  const asked: string[] = [];
  /** Answers of the service that replace the usual ones, each used once. */
  const failures: unknown[] = [];
  const fail = () => {
    const failure = failures.shift();
    if (failure) throw failure;
  };
  let refused = 0;
  const access: ServiceAccess = {
    key: () => key.value,
    refuseKey: () => (refused += 1),
    async read(...given) {
      asked.push(`read ${given[0]}`);
      fail();
      return service.read(given[0], given[1], given[2]);
    },
    async write(...given) {
      asked.push(given[4]?.keepalive ? 'last write' : 'write');
      fail();
      return service.write(given[0], given[1], given[2], given[3]);
    },
    load: async () => structuredClone(desk.kept),
    async keep(_runId, copy) {
      desk.kept = structuredClone(copy);
    },
    pauses: { typing: 1000, longest: 3000, look: 20_000 },
    ...change,
  };
  const saving = saveToService(desk.review, stop.signal, access);
  leaving.push(() => {
    stop.abort();
    saving.leave();
  });
  const state = () => saving.state.peek();
  return { desk, service, saving, stop, key, asked, failures, state, refused: () => refused };
}

/** The same, after the first request to the service. */
export async function settledIn(change?: Partial<ServiceAccess>, service?: Service) {
  const all = opened(change, service);
  await pass(1000);
  all.asked.length = 0;
  return all;
}

/** A service that saves only when a test lets it answer. */
export function slowService() {
  const answer = Promise.withResolvers<void>();
  const service = new Service();
  service.beforeWrite = () => answer.promise;
  return { service, answer };
}
