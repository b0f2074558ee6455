/**
 * The routes of single sign-on, for browsers: to the provider and back, a key for the page that asked, and the way out. Two
 * short-lived, signed cookies of these routes alone hold what has to come back, and who came.
 */
import { Elysia } from 'elysia';
import type { Log } from '../../base/log.ts';
import type { SingleSignOnSettings } from '../../remote/single-sign-on-settings.ts';
import { createOpenIdClient, type Expected, type ProviderPerson } from '../../identity/openid.ts';
import { IdentityError, type IdentityProvider } from '../../identity/provider.ts';
import { sameHash, type Hasher } from '../../identity/secrets.ts';
import { createSingleSignOn } from '../../identity/single-sign-on.ts';
import type { Database } from '../../storage/database.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { readBody } from '../bodies/read-body.ts';
import { HIDDEN } from '../openapi/detail.ts';
import { Problem } from '../problems.ts';
import { headerText } from '../request.ts';
import { asProblem, type Guard } from './guard.ts';

const PATH = '/sign-in';
/** What has to come back from the provider, and who came. */
const ASKED = 'captioner_asked';
const CAME = 'captioner_came';
const ASKED_SECONDS = 600;
const CAME_SECONDS = 60;
const MAX_COOKIE_CHARS = 3500;
const MAX_LOGOUT_BYTES = 16 * 1024;

interface SignOnRouteServices {
  settings: SingleSignOnSettings;
  baseUrl: string;
  guard: Guard;
  identity: IdentityProvider;
  database: Database;
  hasher: Hasher;
  teamEmailDomain: string | null;
  sessionMs: number;
  log: Log;
}

/** The routes. */
export function singleSignOnRoutes({ guard, ...services }: SignOnRouteServices) {
  const { settings, baseUrl, hasher, identity, log } = services;
  const provider = createOpenIdClient(settings, `${baseUrl}${PATH}/callback`);
  const people = createSingleSignOn(services);
  const cookies = createCookies(hasher, baseUrl.startsWith('https:'));
  const budget = createBodyBudget(64 * MAX_LOGOUT_BYTES);
  const backToApp = (fragment: string, ...set: string[]) => {
    const response = new Response(null, {
      status: 303,
      headers: { location: `${baseUrl}/app#${fragment}` },
    });
    for (const cookie of set) response.headers.append('set-cookie', cookie);
    return response;
  };
  const failed = (error: unknown): Response => {
    if (!(error instanceof IdentityError)) throw error;
    log.warn('single_sign_on_failed', { code: error.code, error: error.cause ?? null });
    return backToApp(`/sign-in-failed/${error.code}`, cookies.drop(ASKED));
  };
  return new Elysia()
    .get(
      `${PATH}/start`,
      () =>
        provider.begin().then(({ url, expected }) => {
          const headers = {
            location: url,
            'set-cookie': cookies.make(ASKED, expected, ASKED_SECONDS),
          };
          return new Response(null, { status: 303, headers });
        }, failed),
      { detail: HIDDEN },
    )
    .get(
      `${PATH}/callback`,
      async ({ request }) => {
        const expected = cookies.read(request, ASKED) as Expected | null;
        if (!expected) return backToApp('/sign-in-failed/sign_in_expired');
        return provider
          .finish(new URL(request.url).search, expected)
          .then(
            (person) =>
              backToApp(
                '/signed-in',
                cookies.drop(ASKED),
                cookies.make(CAME, person, CAME_SECONDS),
              ),
            failed,
          );
      },
      { detail: HIDDEN },
    )
    .post(
      `${PATH}/key`,
      async ({ request }) => {
        // The cookie is not sent with requests of other sites; this is a second lock.
        const page = headerText(request.headers, 'origin');
        const person =
          page === new URL(baseUrl).origin
            ? (cookies.read(request, CAME) as ProviderPerson | null)
            : null;
        if (!person) {
          throw new Problem(401, 'sign_in_expired', 'The sign-in took too long. Start again.');
        }
        const { key, email } = await asProblem(() => people.admit(person));
        const answer = Response.json({ credential: key, email });
        answer.headers.append('set-cookie', cookies.drop(CAME));
        return answer;
      },
      { parse: 'none', detail: HIDDEN },
    )
    .post(
      `${PATH}/backchannel-logout`,
      async ({ request }) => {
        const share = budget.open();
        const bytes = await readBody(request, { maxBytes: MAX_LOGOUT_BYTES, share });
        share.release();
        const token = new URLSearchParams(Buffer.from(bytes).toString()).get('logout_token') ?? '';
        const revoked = await asProblem(async () => people.end(await provider.loggedOut(token)));
        log.audit('signed_out_by_provider', { keysRevoked: revoked });
        return new Response(null, { status: 200 });
      },
      { parse: 'none', detail: HIDDEN },
    )
    .use(guard)
    .post(
      `${PATH}/end`,
      async ({ sender }) => {
        await identity.revoke?.(sender, sender.keyId);
        const url = await provider.end(sender.person, `${baseUrl}/app`).catch(() => null);
        return Response.json({ url });
      },
      { scope: null, parse: 'none', detail: { ...HIDDEN } },
    );
}

/** Creates signed cookies of these routes, which no script reads and no other site sends. */
function createCookies(hasher: Hasher, isSecure: boolean) {
  const sign = (name: string, text: string) => hasher.hash('sign-on-cookie', name, text);
  const nameOf = (name: string) => (isSecure ? `__Secure-${name}` : name);
  const attributes = `Path=${PATH}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    make(name: string, value: object, seconds: number): string {
      const until = Date.now() + seconds * 1000;
      const text = Buffer.from(JSON.stringify({ value, until })).toString('base64url');
      return `${nameOf(name)}=${text}.${sign(name, text)}; Max-Age=${seconds}; ${attributes}`;
    },
    /** The value of a cookie; null if it is missing, changed or too old. */
    read(request: Request, name: string): object | null {
      const prefix = `${nameOf(name)}=`;
      const pairs = headerText(request.headers, 'cookie').split(';');
      const found = pairs.map((pair) => pair.trim()).find((pair) => pair.startsWith(prefix));
      const [text = '', signature = ''] = found?.slice(prefix.length).split('.') ?? [];
      if (text.length > MAX_COOKIE_CHARS || !sameHash(signature, sign(name, text))) return null;
      const { value, until } = JSON.parse(Buffer.from(text, 'base64url').toString());
      return until > Date.now() ? value : null;
    },
    drop: (name: string): string => `${nameOf(name)}=; Max-Age=0; ${attributes}`,
  };
}
