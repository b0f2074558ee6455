/** The service with WorkOS as its identity provider, on Bun and on Deno. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { ErrorResponse } from '../../../server/contract/failure.ts';
import { AgentAuthCompleted, AgentAuthStarted } from '../../../server/contract/registration.ts';
import { validator } from '../../../server/contract/schema.ts';
import { client, completeClaim, register, signUp } from '../../support/servers/client.ts';
import {
  removeFolder,
  startServerProcess,
  type ServerProcess,
} from '../../support/servers/server-process.ts';
import { startWorkosDouble, type WorkosDouble } from '../../support/doubles/workos-double.ts';
import { sample } from '../../support/sample.ts';

setDefaultTimeout(300_000);

const talk = await readFile(sample);

describe.each(['bun', 'deno'] as const)('on %s', (runtime) => {
  let workos: WorkosDouble;
  let server: ServerProcess;
  beforeAll(async () => {
    workos = await startWorkosDouble();
    server = await startServerProcess({ runtime, env: workos.env });
  });
  afterAll(async () => {
    await server.stop();
    await workos.close();
    await removeFolder(server.dataDir);
  });
  const join = (email: string, scopes?: string[]) =>
    signUp(server, email, scopes, (to) => workos.code(to));

  test('registration and claim match the contract', async () => {
    const started = await (await register(server.url, 'ann@example.com')).json();
    expect(validator(AgentAuthStarted).issues(started)).toEqual([]);
    expect(Date.parse(started.claim_token_expires_at)).toBe(workos.codes.at(-1)!.expiresAt);
    const code = workos.code('ann@example.com');
    const claimed = await (await completeClaim(server.url, started.claim_token, code)).json();
    expect(validator(AgentAuthCompleted).issues(claimed)).toEqual([]);
    expect(claimed.credential).toBe(workos.keys.at(-1).value);
    expect(claimed.workspace.external_id).toBe(`personal:${workos.user('ann@example.com').id}`);
  });

  test('a key has its scopes, and is refused as soon as it is deleted at WorkOS', async () => {
    const ann = await join('ann@example.com');
    expect((await ann.put('a.mp3', talk)).status).toBe(200);
    const uploader = await join('up@example.com', ['captioner:audio:upload']);
    expect((await uploader.start({ audio: { key: 'a.mp3' } })).status).toBe(403);
    workos.deleteKey(ann.key);
    expect((await ann.put('a.mp3', talk)).status).toBe(401);
  });

  test('a failure of WorkOS is reported as 502 or 503 with error.idp, never as 401', async () => {
    const ann = await join('ann@example.org');
    const shape = async (response: Response) => {
      const body = await response.json();
      expect(validator(ErrorResponse).issues(body)).toEqual([]);
      expect(JSON.stringify(body)).not.toMatch(/ at |node_modules|Exception/);
      return { status: response.status, code: body.error.code, idp: body.error.idp };
    };
    workos.fail(/validations/, () => Response.json({ message: 'oops' }, { status: 500 }));
    expect(await shape(await ann.put('a.mp3', talk))).toEqual({
      status: 503,
      code: 'idp_server_error',
      idp: {
        status: 500,
        code: 'server_error',
        request: { method: 'POST', path: '/api_keys/validations' },
      },
    });
    workos.fail(/magic_auth/, () =>
      Response.json({ code: 'magic_auth_disabled', message: 'x' }, { status: 403 }),
    );
    expect(await shape(await register(server.url, 'bob@example.com'))).toMatchObject({
      status: 502,
      code: 'idp_magic_auth_disabled',
      idp: { status: 403 },
    });
  });

  test('the metadata names WorkOS', async () => {
    const { agent_auth } = await (
      await fetch(`${server.url}/.well-known/oauth-protected-resource`)
    ).json();
    expect(agent_auth.workos_authkit_issuer).toContain(workos.origin);
    expect(agent_auth.credential_issuer).toBe(workos.origin);
  });

  test('an invalid key gets 401', async () => {
    const response = await client(server.url, 'sk_none').put('a.mp3', talk);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('resource_metadata=');
  });
});
