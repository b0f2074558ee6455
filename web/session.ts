/**
 * The signed-in user. The key is kept in memory and, with consent, in the session storage of this
 * tab, which the browser forgets when the tab is closed. A tab opened later asks the others for it.
 */
import { signal } from '@preact/signals';
import { ApiProblem } from './api/problem.ts';
import { keepText, keptText } from './storage/kept-text.ts';

export interface Session {
  key: string;
  email: string;
}

/** Why somebody is asked to sign in. */
export type SignInReason = 'first' | 'expired';

export interface SignInRequest {
  reason: SignInReason;
  done(session: Session): void;
  /** Nobody wants to. */
  dismiss(): void;
}

/** Somebody was asked to sign in and would rather not. */
export class SignInDismissed extends Error {
  override readonly name = 'SignInDismissed';
}

const KEPT = 'captioner.session';

/** The session; null while nobody is signed in. */
export const session = signal<Session | null>(restore());

/** What waits for somebody to sign in; null while nothing does. */
export const signInRequest = signal<SignInRequest | null>(null);

let asking: Promise<Session> | null = null;

/** The session, after asking for one where there is none. @throws {SignInDismissed} */
export function requireSession(reason: SignInReason = 'first'): Promise<Session> {
  if (session.value) return Promise.resolve(session.value);
  asking ??= new Promise<Session>((resolve, reject) => {
    signInRequest.value = {
      reason,
      done: resolve,
      dismiss: () => reject(new SignInDismissed()),
    };
  }).finally(() => {
    asking = null;
    signInRequest.value = null;
  });
  return asking;
}

/** Uses the key; one that is no longer valid is forgotten and asked for again, and nothing is lost. */
export async function withKey<T>(use: (key: string) => Promise<T>): Promise<T> {
  for (let reason: SignInReason = 'first'; ; reason = 'expired') {
    const { key } = await requireSession(reason);
    try {
      return await use(key);
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      // Another request may have signed in anew meanwhile.
      if (session.peek()?.key === key) signOut();
    }
  }
}

/** Takes a key. @param keep whether it may stay in this tab's session storage */
export function signIn(found: Session, keep: boolean): void {
  session.value = found;
  if (keep) keepText('sessionStorage', KEPT, JSON.stringify(found));
  signInRequest.peek()?.done(found);
}

/** Forgets the key, in the other tabs as well. */
export function signOut(): void {
  const key = session.peek()?.key;
  if (key !== undefined) tabs?.postMessage({ out: key });
  forget();
}

function forget(): void {
  session.value = null;
  keepText('sessionStorage', KEPT, null);
}

function restore(): Session | null {
  const kept = keptText('sessionStorage', KEPT);
  return kept === null ? null : JSON.parse(kept);
}

type News = 'ask' | { readonly out: string } | { readonly session: Session };

/**
 * The tabs of this app: one that keeps a key gives it to one that asks; one that signs out tells it. A page that
 * is put aside hears nothing, since a message would throw it out of the browser's cache; when it comes back it
 * asks again.
 */
let tabs: BroadcastChannel | null = null;

function joinTabs(): void {
  if (typeof BroadcastChannel === 'undefined' || tabs) return;
  const joined = (tabs = new BroadcastChannel('captioner tabs'));
  joined.addEventListener('message', ({ data }: MessageEvent<News>) => {
    if (data === 'ask') {
      const kept = restore();
      if (kept && session.peek()) joined.postMessage({ session: kept });
    } else if ('out' in data) {
      // One that has signed in anew has another key.
      if (session.peek()?.key === data.out) forget();
    } else if (!session.peek()) signIn(data.session, true);
  });
  if (!session.peek()) joined.postMessage('ask');
}

joinTabs();
globalThis.addEventListener?.('pageshow', joinTabs);
globalThis.addEventListener?.('pagehide', () => {
  tabs?.close();
  tabs = null;
});
