/** Single sign-on with an OpenID Connect provider, well-behaved or not. */
import {
  afterAll,
  afterEach,
  describe,
  expect,
  setDefaultTimeout,
  setSystemTime,
  test,
} from 'bun:test';
import { openIdDouble, type Misbehaviour } from '../support/doubles/openid-double.ts';
import { readConfig } from '../../server/config/config.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { told, type Any } from '../support/servers/client.ts';

setDefaultTimeout(60_000);

const provider = await openIdDouble();
afterAll(provider.stop);
afterEach(() => {
  provider.misbehave({});
  setSystemTime();
});
const BASE = 'https://captions.example';
const SETTINGS = {
  BASE_URL: BASE,
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: 'captioner',
  OIDC_EMAIL_DOMAINS: 'uni.example,students.uni.example',
  OIDC_OWNERS: 'captions-admin',
  OIDC_EDITORS: 'staff',
  OIDC_READERS: 'students',
};
const app = await mountedApp({ env: SETTINGS });
const { database } = app.services;
const PERSON = {
  sub: 's1',
  email: 'Ann@Uni.example',
  email_verified: true,
  groups: ['captions-admin'],
};

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');

/** A person goes to the provider and comes back; where the app is opened, and with which cookies. */
async function back(person: object, change = (query: URLSearchParams): void => void query) {
  const started = await app.ask('/sign-in/start');
  const query = provider.authorize(started.headers.get('location') ?? '', person as Any);
  change(query);
  const cookie = cookiesOf(started);
  const came = await app.ask(`/sign-in/callback?${query}`, { headers: { cookie } });
  const at = (came.headers.get('location') ?? '').replace(`${BASE}/app#`, '');
  return { at, cookie: cookiesOf(came), query, asked: cookie };
}
const key = (cookie: string, origin = BASE) =>
  app.ask('/sign-in/key', { method: 'POST', headers: { cookie, origin } });
async function signIn(person: object): Promise<Any> {
  const { at, cookie } = await back(person);
  expect(at).toBe('/signed-in');
  const answer = await key(cookie);
  return { status: answer.status, ...(await answer.json()) };
}
const account = async (who: string): Promise<Any> =>
  (await app.ask('/workspace/account', { key: who })).json();

describe('a person of the provider', () => {
  test('gets a key of the shared workspace, with the role of the highest group, at each sign-in anew', async () => {
    const ann = await signIn(PERSON);
    expect(ann.email).toBe('ann@uni.example');
    const { organizationId, ...first } = await account(ann.credential);
    expect(first).toMatchObject({ workspace: 'team', email: 'ann@uni.example', role: 'owner' });
    const bea = { sub: 's2', email: 'bea@students.uni.example', email_verified: true };
    const student = await signIn({ ...bea, groups: ['chess', 'students'] });
    expect(await account(student.credential)).toMatchObject({ organizationId, role: 'reader' });
    await signIn({ ...bea, groups: ['students', 'staff'] });
    expect((await account(student.credential)).role).toBe('editor');
    // Nobody could manage the workspace any more.
    await signIn({ ...PERSON, groups: ['students'] });
    expect((await account(ann.credential)).role).toBe('owner');
  });

  test('whose key ends after half a day, and at sign-out, which leads to the provider', async () => {
    const ann = await signIn(PERSON);
    setSystemTime(Date.now() + 12 * 3_600_000 + 1000);
    expect((await app.ask('/workspace/account', { key: ann.credential })).status).toBe(401);
    setSystemTime();
    const { credential } = await signIn(PERSON);
    const end = await app.ask('/sign-in/end', { method: 'POST', key: credential });
    const { url } = await end.json();
    expect(url).toStartWith(`${provider.issuer}/end?`);
    expect(new URL(url).searchParams.get('post_logout_redirect_uri')).toBe(`${BASE}/app`);
    expect((await app.ask('/workspace/account', { key: credential })).status).toBe(401);
  });

  test('who is disabled there loses every key by a logout token, and by nothing like one', async () => {
    const { credential } = await signIn(PERSON);
    const logout = (logout_token: string) =>
      app.ask('/sign-in/backchannel-logout', {
        method: 'POST',
        body: new URLSearchParams({ logout_token }),
      });
    const about = { sub: 's1' };
    const bad = [
      'x.y.z',
      await provider.logoutToken({ ...about, aud: 'another' }),
      await provider.logoutToken({ ...about, iss: 'https://evil.example' }),
      await provider.logoutToken({ ...about, nonce: 'n' }),
      await provider.logoutToken({ ...about, events: {} }),
      await provider.logoutToken({ ...about, iat: 1_700_000_000 }),
    ];
    for (const token of bad) {
      expect(await told(await logout(token))).toBe('400 invalid_logout_token');
    }
    expect((await logout(await provider.logoutToken({ sub: 'somebody' }))).status).toBe(200);
    expect((await account(credential)).role).toBe('owner');
    expect((await logout(await provider.logoutToken(about))).status).toBe(200);
    expect((await app.ask('/workspace/account', { key: credential })).status).toBe(401);
  });

  test('who was disabled here stays out', async () => {
    const who = { sub: 's3', email: 'cy@uni.example', email_verified: true, groups: ['staff'] };
    await signIn(who);
    await database
      .updateTable('members')
      .set({ disabled_at: 1 })
      .where('email', '=', who.email)
      .execute();
    expect(await signIn(who)).toMatchObject({ status: 403, error: { code: 'not_a_member' } });
  });

  test.each([
    ['of another domain', { email: 'eve@uni.example.evil.test' }, 'not_admitted'],
    ['in none of the groups', { email: 'eve@uni.example', groups: ['chess'] }, 'not_admitted'],
    ['with the address of another account', { email: 'ann@uni.example' }, 'user_mismatch'],
  ])('%s is refused', async (_name, change, code) => {
    const person = { sub: 's4', email_verified: true, groups: ['staff'], ...change };
    expect(await signIn(person)).toMatchObject({ status: 403, error: { code } });
  });

  test.each([
    [{ email_verified: false }, 'email_not_verified'],
    [{ email: undefined }, 'email_not_verified'],
    [{ email: 'no address' }, 'email_not_verified'],
  ])('whose address is not verified is refused: %p', async (change, code) => {
    expect((await back({ ...PERSON, ...change })).at).toBe(`/sign-in-failed/${code}`);
  });
});

describe('a provider, or somebody in between, that misbehaves', () => {
  const now = Math.floor(Date.now() / 1000);
  test.each<[string, Misbehaviour]>([
    ['another nonce', { claims: { nonce: 'another' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['another audience', { claims: { aud: 'another' } }],
    ['an expired token', { claims: { iat: now - 900, exp: now - 600 } }],
    [
      'several audiences, of whom none is named as the one',
      { claims: { aud: ['captioner', 'x'] } },
    ],
    [
      'several audiences, of whom another is the one',
      { claims: { aud: ['captioner', 'x'], azp: 'x' } },
    ],
    ['no subject', { claims: { sub: undefined } }],
    ['no time of issue', { claims: { iat: undefined } }],
    ['no signature', { signature: 'none' }],
    ['a signature by the public key, taken for a secret', { signature: 'confused' }],
    ['a signature by a key of nobody', { signature: 'foreign' }],
    ['no token', { token: () => Response.json({ access_token: 'at', token_type: 'Bearer' }) }],
    ['an endless answer', { token: () => new Response(new Uint8Array(2 ** 21)) }],
    ['a redirect', { token: () => Response.redirect('http://127.0.0.1:1/token', 302) }],
    ['a page', { token: () => new Response('<p>Sorry') }],
  ])('%s', async (_name, how) => {
    provider.misbehave(how);
    expect((await back(PERSON)).at).toBe('/sign-in-failed/sign_in_failed');
  });

  test.each<[string, (query: URLSearchParams) => void]>([
    ['another state', (query) => query.set('state', 'another')],
    [
      'the answer of another provider (mix-up)',
      (query) => query.set('iss', 'https://evil.example'),
    ],
    ['no issuer although it names itself', (query) => query.delete('iss')],
    ['a refusal', (query) => query.set('error', 'access_denied')],
    ['an invented code', (query) => query.set('code', 'invented')],
  ])('%s', async (_name, change) => {
    expect((await back(PERSON, change)).at).toBe('/sign-in-failed/sign_in_failed');
  });

  test('a code works once, for the browser that asked, and its key for this page alone', async () => {
    const first = await back(PERSON);
    const again = (cookie: string) =>
      app.ask(`/sign-in/callback?${first.query}`, { headers: { cookie } });
    expect((await again(first.asked)).headers.get('location')).toEndWith('sign_in_failed');
    expect((await again('')).headers.get('location')).toEndWith('sign_in_expired');
    expect((await again(`${first.asked}0`)).headers.get('location')).toEndWith('sign_in_expired');
    expect(await told(await key(first.cookie, 'https://evil.example'))).toBe('401 sign_in_expired');
    expect(await told(await key(`${first.asked}; x=1`))).toBe('401 sign_in_expired');
    setSystemTime(Date.now() + 61_000);
    expect(await told(await key(first.cookie))).toBe('401 sign_in_expired');
  });

  test('a provider may change its keys, which are fetched again at most once a minute', async () => {
    expect((await back(PERSON)).at).toBe('/signed-in');
    await provider.rotate('k2');
    setSystemTime(Date.now() + 61_000);
    expect((await back(PERSON)).at).toBe('/signed-in');
    const before = provider.asked.length;
    provider.misbehave({ signature: 'foreign' });
    for (let tries = 0; tries < 3; tries += 1) await back(PERSON);
    expect(provider.asked.slice(before).filter((path) => path.endsWith('/keys'))).toEqual([]);
  });

  test('an outage is said and remembered for a while, and its description for an hour', async () => {
    const fresh = await mountedApp({ env: SETTINGS });
    const start = async () => (await fresh.ask('/sign-in/start')).headers.get('location') ?? '';
    provider.misbehave({ discovery: () => new Response('down', { status: 500 }) });
    const before = provider.asked.length;
    for (let tries = 0; tries < 3; tries += 1) expect(await start()).toEndWith('idp_unavailable');
    expect(provider.asked.length - before).toBe(1);
    provider.misbehave({});
    setSystemTime(Date.now() + 16_000);
    for (let tries = 0; tries < 3; tries += 1) expect(await start()).toContain('/authorize?');
    expect(provider.asked.length - before).toBe(2);
  });
});

describe('settings', () => {
  const { BASE_URL: _, ...noBase } = SETTINGS;
  test.each<[Record<string, string>, string]>([
    [noBase, 'BASE_URL'],
    [{ ...SETTINGS, OIDC_CLIENT_ID: '' }, 'OIDC_CLIENT_ID'],
    [{ ...SETTINGS, OIDC_ISSUER: 'http://id.example' }, 'https'],
    [{ ...SETTINGS, WORKOS_API_KEY: 'k', WORKOS_CLIENT_ID: 'c' }, 'WORKOS_API_KEY'],
    [
      { BASE_URL: BASE, OIDC_CLIENT_ID: 'c', OIDC_ISSUER: 'https://accounts.google.com' },
      'OIDC_EMAIL_DOMAINS',
    ],
  ])('%j is refused, naming %s', (env, named) => {
    expect(() => readConfig(env)).toThrow(named);
  });
});
