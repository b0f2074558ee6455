/**
 * An agent that knows only the base URL: it follows links and does what the documents say, with
 * curl and over MCP.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mailedCode, type Any } from '../../support/servers/client.ts';
import { connectMcp } from '../../support/servers/mcp.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { sample } from '../../support/sample.ts';
import { needsShell, shell, shellBlocks } from '../../support/shell.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';

setDefaultTimeout(300_000);

const { env } = await tinyModelEnvironment();
const server = await testServer({ env });
/** The only thing the agent knows. */
const url = server.url.replace('127.0.0.1', 'localhost');
const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

interface Link {
  href: string;
  rel: string;
  type: string;
}

/** The links of a response (RFC 8288). */
const linksOf = ({ headers }: Response): Link[] =>
  [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"; type="([^"]*)"/g)].map(
    ([, href = '', rel = '', type = '']) => ({ href, rel, type }),
  );

const read = async (href: string): Promise<string> =>
  (await fetch(href, { headers: { accept: 'text/markdown' } })).text();

/** The link targets of a Markdown document. */
const targets = (markdown: string): string[] =>
  [...markdown.matchAll(/\]\(([^)#]+)\)/g)].map(([, href = '']) => href);

/** The first target with this ending. */
function ending(hrefs: readonly string[], end: string): string {
  const found = hrefs.find((href) => href.endsWith(end));
  if (!found) throw new Error(`nothing leads to ${end}`);
  return found;
}

needsShell(
  'by links to auth.md, from there to the skill, and by its commands to captions',
  async () => {
    const links = linksOf(await fetch(url));
    const auth = links.find(({ rel, type }) => rel === 'describedby' && type === 'text/markdown');
    const authMd = await read(auth?.href ?? '');
    expect(authMd).toMatch(/^# .*auth\.md/);
    const skill = await read(ending(targets(authMd), 'SKILL.md'));
    const [register = '', claim = '', , upload = '', run = '', look = '', write = ''] =
      shellBlocks(skill);

    const email = 'journey@example.com';
    const fill = (script: string, values: Record<string, string>) =>
      Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), script);
    const started = await shell(`${fill(register, { '<email>': email })}\necho "$CLAIM_TOKEN"`);
    const code = await mailedCode(server.dataDir, email);
    const claimed = await shell(
      `${fill(claim, { '<six digits>': code })}\necho "$CAPTIONER_API_KEY"`,
      { env: { CLAIM_TOKEN: started.trim() } },
    );
    const env = { CAPTIONER_API_KEY: claimed.trim() };

    await copyFile(sample, join(folder, 'talk.mp3'));
    const here = { cwd: folder, env };
    const uploaded = await shell(
      fill(upload, { '<key>': 'agents/talk', '@<file>': '@talk' }),
      here,
    );
    expect(JSON.parse(uploaded)).toMatchObject({ ok: true, key: 'agents/talk.mp3' });
    const about = {
      '<key>': 'agents/talk',
      '<what it is about>': 'MCP Night',
      '<name>': 'AuthKit',
      '<term>': 'MCP',
    };
    expect(await shell(fill(run, about), here)).toBe('');
    const envelope = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'));
    expect(envelope.result.status).toBe('completed');
    await shell(write, here);
    const captions = await readFile(join(folder, 'captions.srt'), 'utf8');
    expect(captions.trimEnd()).toBe(envelope.result.captions.srt.trimEnd());
    const seen = JSON.parse(await shell(fill(look, { '<runId>': envelope._meta.runId }), here));
    expect(seen.state).toBe('completed');

    // The commands of the service document do the same, with the file that it names.
    const service = await read(ending(targets(authMd), '/'));
    const [put = '', start = '', startOnly = ''] = shellBlocks(service);
    await copyFile(sample, join(folder, 'keynote.mp3'));
    expect(JSON.parse(await shell(put, here)).ok).toBe(true);
    expect(await shell(start, here)).toBe('');
    expect(await readFile(join(folder, 'keynote.srt'), 'utf8')).toContain(' --> ');
    expect(await shell(startOnly, here)).toContain('"status":"accepted"');
  },
);

test('machine-readable discovery: a refusal leads to the metadata, which leads to a key', async () => {
  const catalog = linksOf(await fetch(url)).find(({ rel }) => rel === 'api-catalog');
  const { linkset }: Any = await (await fetch(catalog?.href ?? '')).json();
  const description: Any = await (await fetch(linkset[0]['service-desc'][0].href)).json();
  const [path = ''] = Object.entries<Any>(description.paths)
    .filter(([, item]) => item.post?.operationId === 'startCaptioner')
    .map(([path]) => path);
  const [{ url: api }] = description.servers;
  const refused = await fetch(`${api}${path}`, { method: 'POST' });
  expect(refused.status).toBe(401);
  const challenge = refused.headers.get('www-authenticate') ?? '';
  const metadata: Any = await (
    await fetch(/resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '')
  ).json();
  expect(metadata.authorization_servers).toEqual([metadata.resource]);
  const { agent_auth: auth } = metadata;
  const email = 'machine@example.com';
  const send = async (to: string, body: object): Promise<Any> =>
    (
      await fetch(to, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json();
  const started = await send(auth.register_uri, {
    type: auth.identity_types_supported[0],
    assertion_type: auth.identity_assertion.assertion_types_supported[0],
    assertion: email,
    requested_credential_type: auth.credential_types_supported[0],
  });
  const claimed = await send(auth.claim_complete_uri, {
    claim_token: started.claim_token,
    otp: await mailedCode(server.dataDir, email),
  });
  expect(claimed.credential).toStartWith('cap_');
});

needsShell('through MCP: by the server card to captions', async () => {
  const links = linksOf(await fetch(url));
  const card: Any = await (
    await fetch(
      ending(
        links.map(({ href }) => href),
        'server-card.json',
      ),
    )
  ).json();
  const [remote] = card.remotes;
  const [header] = remote.headers;
  // The description of the header says how to get a key.
  const authMd = await read(/https?:\S+auth\.md/.exec(header.description)?.[0] ?? '');
  const [, register = '', claim = ''] = shellBlocks(authMd);
  const email = 'mcp@example.com';
  const started = await shell(`${register.replace('<email>', email)}\necho "token=$CLAIM_TOKEN"`);
  const claimed = await shell(
    `${claim.replace('<six digits>', await mailedCode(server.dataDir, email))}\necho "key=$CAPTIONER_API_KEY"`,
    { env: { CLAIM_TOKEN: started.split('token=')[1]?.trim() ?? '' } },
  );
  const key = claimed.split('key=')[1]?.trim() ?? '';

  const headers = { [header.name]: header.value.replace('{api_key}', key) };
  const client = await connectMcp(remote.url, headers);
  expect(client.getServerVersion()).toMatchObject(card.serverInfo);
  const link: Any = await client.callTool({ name: 'create_upload_link', arguments: {} });
  await copyFile(sample, join(folder, 'recording.mp3'));
  const uploaded = await shell(link.structuredContent.command, { cwd: folder });
  expect(JSON.parse(uploaded).key).toBe(link.structuredContent.key);
  const captions: Any = await client.callTool({
    name: 'caption_audio',
    arguments: { audio: { key: link.structuredContent.key }, topic: 'MCP Night' },
  });
  expect(captions.structuredContent.state).toBe('completed');
  expect(captions.content[0].text).toContain(' --> ');
  await client.close();
});
