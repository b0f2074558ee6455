/** A client written from the contract alone. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Client {
  url: string;
  key: string;
  organizationId: string;
  put(key: string, body: BodyInit, headers?: Record<string, string>): Promise<Response>;
  /** POST /workflows/captioner with wait=result. */
  caption(payload: unknown): Promise<{ result: Any; _meta: { runId: string } }>;
  /** POST /workflows/captioner; returns any response. */
  start(payload: unknown, query?: string): Promise<Response>;
  run(runId: string): Promise<Any>;
  get(path: string): Promise<Response>;
}

/** A JSON value for tests to inspect. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Any = any;

/** The status of an answer, and the code of its error if it has one: `404 run_not_found`. */
export async function told(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer;
  const code = /"code":"(\w+)"/.exec(await response.text())?.[1];
  return [response.status, code].join(' ').trim();
}

/** Posts JSON. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** The newest code mailed to an address, from the outbox in a data folder. */
export async function mailedCode(dataDir: string, email: string): Promise<string> {
  const folder = join(dataDir, 'outbox');
  // A mail gets its name, which begins with its time, once it is complete.
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).toSorted();
  const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const newest = mails.findLast((mail) => mail.includes(email)) ?? '';
  const code = /^\s*(\d{6})\s*$/m.exec(newest)?.[1];
  if (!code) throw new Error(`no code was mailed to ${email}`);
  return code;
}

/** Posts a registration. */
export const register = (url: string, email: string, more: object = {}, headers = {}) =>
  post(
    `${url}/agent/auth`,
    {
      type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: email,
      requested_credential_type: 'api_key',
      ...more,
    },
    headers,
  );

/** Posts the completion of a claim. */
export const completeClaim = (url: string, claimToken: string, otp: string) =>
  post(`${url}/agent/auth/claim/complete`, { claim_token: claimToken, otp });

/**
 * Registers an address and claims its key.
 * @param mailed returns the newest code mailed to an address; by default from the outbox
 */
export async function signUp(
  server: { url: string; dataDir: string },
  email: string,
  scopes?: string[],
  mailed = (to: string): Promise<string> | string => mailedCode(server.dataDir, to),
): Promise<Client> {
  const more = scopes ? { requested_scopes: scopes } : {};
  const { claim_token } = await (await register(server.url, email, more)).json();
  const completed = await completeClaim(server.url, claim_token, await mailed(email));
  const claim = await completed.json();
  if (!claim.credential) throw new Error(`no key: ${JSON.stringify(claim)}`);
  return client(server.url, claim.credential, claim.organization_id);
}

/** A client with a key. */
export function client(url: string, key: string, organizationId = ''): Client {
  const authorization = `Bearer ${key}`;
  const start = (payload: unknown, query = '') =>
    post(`${url}/workflows/captioner${query}`, payload, { authorization });
  const get = (path: string) => fetch(`${url}${path}`, { headers: { authorization } });
  return {
    url,
    key,
    organizationId,
    start,
    get,
    put: (path, body, headers = {}) =>
      fetch(`${url}/audio/${path}`, {
        method: 'PUT',
        headers: { authorization, 'content-type': 'audio/mpeg', ...headers },
        body,
      }),
    async caption(payload) {
      const response = await start(payload, '?wait=result');
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      return await response.json();
    },
    async run(runId) {
      return (await get(`/workflows/captioner/${runId}`)).json() as Any;
    },
  };
}

/** Waits for a run to end, and returns it. */
export const ended = (of: Pick<Client, 'run'>, runId: string, ms?: number): Promise<Any> =>
  until(async () => {
    const run = await of.run(runId);
    return run.finishedAt && run;
  }, ms);

/** The states in which runs end. */
export async function endStates(of: Client, runIds: string[], ms?: number): Promise<Set<string>> {
  const states = new Set<string>();
  // One after the other, because polling all of them constantly would slow them down.
  for (const runId of runIds) states.add((await ended(of, runId, ms)).state);
  return states;
}

/** The token with which test servers give access to their metrics. */
export const METRICS_TOKEN = 'tests-watch-what-operators-watch';

/** The metrics of a server, as Prometheus reads them. */
export const metricsOf = async ({ url }: { url: string }): Promise<string> => {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  return (await fetch(`${url}/metrics`, { headers })).text();
};

/**
 * Polls until a condition holds.
 * @param ms the longest wait, not counting the polls themselves; only a failure takes this long, so
 * it allows for a busy machine
 * @throws an error that quotes the condition, so that it says what was waited for
 */
export async function until<T>(
  look: () => Promise<T | null | undefined | false>,
  ms = 180_000,
): Promise<T> {
  // Less and less often, so that a long wait does not slow down what it waits for.
  for (let waited = 0, pause = 10; waited < ms; waited += pause) {
    const found = await look();
    if (found) return found;
    pause = Math.min(150, 1.2 * pause);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`Not within ${ms / 1000} s: ${look.toString()}`);
}
