/**
 * The signed-in user. The key is kept in memory and, with consent, in the session storage of this
 * tab, which the browser forgets when the tab is closed. A tab opened later asks the others for it.
 */
import { signal } from '@preact/signals';
import { ApiProblem, askJson } from '../api/request.ts';
import { storeText, storedText } from '../storage/web-storage.ts';

interface Session {
  key: string;
  email: string;
  /** Whether an identity provider signed the person in, who then signs out there too. */
  viaProvider?: boolean;
}

/** The reason for asking the user to sign in. */
type SignInReason = 'first' | 'expired';

interface SignInRequest {
  reason: SignInReason;
  /** The page that asked, as its address after `#`; the card is shown only there. */
  page: string;
  done(session: Session): void;
  /** Called when the user declines. */
  dismiss(): void;
}

/** The user declined to sign in. */
export class SignInDismissed extends Error {
  override readonly name = 'SignInDismissed';
}

const KEPT = 'captioner.session';

/** The session; null while the user is not signed in. */
export const session = signal<Session | null>(restore());

/** The pending request to sign in; null if there is none. */
export const signInRequest = signal<SignInRequest | null>(null);

let asking: Promise<Session> | null = null;

/**
 * The session; asks the user to sign in if there is none.
 * @throws {SignInDismissed}
 */
export function requireSession(reason: SignInReason = 'first'): Promise<Session> {
  if (session.value) return Promise.resolve(session.value);
  const page = globalThis.location?.hash ?? '';
  const pending = signInRequest.peek();
  if (pending) signInRequest.value = { ...pending, page };
  asking ??= new Promise<Session>((resolve, reject) => {
    signInRequest.value = {
      reason,
      page,
      done: resolve,
      dismiss: () => reject(new SignInDismissed()),
    };
  }).finally(() => {
    asking = null;
    signInRequest.value = null;
  });
  return asking;
}

/**
 * Calls a function with the key. If the key is no longer valid, asks the user to sign in and calls
 * again.
 */
export async function withKey<T>(use: (key: string) => Promise<T>): Promise<T> {
  for (let reason: SignInReason = 'first'; ; reason = 'expired') {
    const { key } = await requireSession(reason);
    try {
      return await use(key);
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      // Another request may have signed in again in the meantime.
      if (session.peek()?.key === key) signOut();
    }
  }
}

/**
 * Starts a session.
 * @param keep whether to store it in this tab's session storage
 */
export function signIn(found: Session, keep: boolean): void {
  session.value = found;
  if (keep) storeText('sessionStorage', KEPT, JSON.stringify(found));
  signInRequest.peek()?.done(found);
}

/** Whether the session is stored in this tab, so that it outlives a reload. */
export const isSessionKept = (): boolean => storedText('sessionStorage', KEPT) !== null;

/** Stores the session in this tab, or only in memory from now on. */
export function keepSession(keep: boolean): void {
  const found = session.peek();
  if (found) storeText('sessionStorage', KEPT, keep ? JSON.stringify(found) : null);
}

/** Gives the session to tabs that have none, such as the one that asked the person to sign in. */
export function shareSession(): void {
  const found = session.peek();
  if (found) tabs?.postMessage({ session: found });
}

/** Ends the session because the person wants to; at the identity provider too, if that is where it began. */
export async function leave(): Promise<void> {
  const { key, viaProvider = false } = session.peek() ?? {};
  signOut();
  if (!viaProvider || key === undefined) return;
  const { url } = await askJson<{ url: string | null }>('/sign-in/end', { method: 'POST', key });
  if (url !== null) location.assign(url);
}

/** Ends the session, in the other tabs as well. */
export function signOut(): void {
  const key = session.peek()?.key;
  if (key !== undefined) tabs?.postMessage({ out: key });
  forget();
}

function forget(): void {
  session.value = null;
  storeText('sessionStorage', KEPT, null);
}

function restore(): Session | null {
  const kept = storedText('sessionStorage', KEPT);
  return kept === null ? null : JSON.parse(kept);
}

type TabMessage = 'ask' | { readonly out: string } | { readonly session: Session };

/**
 * The channel between the tabs of this app: a tab with a stored key gives it to a tab that asks,
 * and signing out notifies the others. A hidden page closes its channel, because a message would
 * evict it from the browser's back/forward cache; it asks again when it is shown.
 */
let tabs: BroadcastChannel | null = null;

function joinTabs(): void {
  if (typeof BroadcastChannel === 'undefined' || tabs) return;
  const joined = (tabs = new BroadcastChannel('captioner tabs'));
  joined.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data === 'ask') {
      const kept = restore();
      if (kept) joined.postMessage({ session: kept });
    } else if ('out' in data) {
      // A tab that has signed in again has another key.
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
