/** Single sign-on against oidc-provider, which is certified as an OpenID Connect provider. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { mountedApp } from '../../support/servers/mounted.ts';

setDefaultTimeout(60_000);

const BASE = 'https://captions.example';
const http = createServer();
await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
afterAll(() => http.close());
const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'captioner',
      client_secret: 'a secret of the client',
      redirect_uris: [`${BASE}/sign-in/callback`],
      post_logout_redirect_uris: [`${BASE}/app`],
    },
  ],
  claims: { email: ['email', 'email_verified'], profile: ['groups'] },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: `${id}@uni.example`,
      email_verified: true,
      groups: ['staff'],
    }),
  }),
});
http.on('request', provider.callback());

const app = await mountedApp({
  env: {
    BASE_URL: BASE,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'captioner',
    OIDC_CLIENT_SECRET: 'a secret of the client',
    OIDC_EDITORS: 'staff',
    OIDC_OWNERS: 'nobody',
  },
});
const cookieOf = (response: Response) =>
  response.headers.getSetCookie().map((each) => each.split(';')[0]!);

/** A browser at the provider: follows redirects, fills in the pages, until it is sent back. */
async function atProvider(start: string, login: string): Promise<string> {
  const jar = new Map<string, string>();
  let [url, init]: [string, RequestInit] = [start, {}];
  for (let steps = 0; steps < 12; steps += 1) {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, {
      ...init,
      headers: { ...init.headers, cookie },
      redirect: 'manual',
    });
    for (const each of cookieOf(response)) {
      const at = each.indexOf('=');
      jar.set(each.slice(0, at), each.slice(at + 1));
    }
    const location = response.headers.get('location');
    if (location?.startsWith(BASE)) return location;
    if (location) {
      [url, init] = [new URL(location, url).href, {}];
      continue;
    }
    const page = await response.text();
    const [, action = url] = /<form[^>]*action="([^"]*)"/.exec(page) ?? [];
    const [, prompt = 'login'] = /name="prompt" value="([^"]*)"/.exec(page) ?? [];
    const body = new URLSearchParams({ prompt, login, password: 'any' });
    [url, init] = [new URL(action, url).href, { method: 'POST', body }];
  }
  throw new Error('the provider sent nobody back');
}

test('a person signs in, has the role of a group, and signs out', async () => {
  const started = await app.ask('/sign-in/start');
  const back = await atProvider(started.headers.get('location') ?? '', 'ann');
  const headers = { cookie: cookieOf(started).join('; '), origin: BASE };
  const came = await app.ask(back.slice(BASE.length), { headers });
  expect(came.headers.get('location')).toBe(`${BASE}/app#/signed-in`);
  const cookie = cookieOf(came).join('; ');
  const answer = await app.ask('/sign-in/key', { method: 'POST', headers: { ...headers, cookie } });
  const { credential, email } = await answer.json();
  expect(email).toBe('ann@uni.example');
  const account = await app.ask('/workspace/account', { key: credential });
  expect(await account.json()).toMatchObject({ role: 'editor', workspace: 'team' });
  const end = await app.ask('/sign-in/end', { method: 'POST', key: credential });
  const page = await fetch((await end.json()).url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('form')]);
});
