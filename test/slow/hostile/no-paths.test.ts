/** No response names a folder of the server, not even for failed runs and errors of its disk. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { post, signUp } from '../../support/servers/client.ts';
import { sample } from '../../support/sample.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
} from '../../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const repository = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** Servers whose models cannot be loaded, each for a different reason that contains a path. */
const BROKEN: [string, (dataDir: string) => Record<string, string>][] = [
  ['a model folder that is not there', (dataDir) => ({ SPEECH_MODEL: join(dataDir, 'no/model') })],
  ['a folder of models that is a file', (dataDir) => ({ MODELS_DIR: join(dataDir, 'a-file') })],
];

test.each(BROKEN)('%s', async (_what, settings) => {
  const dataDir = await temporaryFolder();
  await writeFile(join(dataDir, 'a-file'), 'x');
  const server = await startServerProcess({
    dataDir,
    env: { EDGE_SPEECH: 'sherpa', MODELS_BASE_URL: 'http://127.0.0.1:9', ...settings(dataDir) },
  });
  const ann = await signUp(server, 'ann@example.com');
  const answers: [string, string][] = [];
  const keep = async (what: string, response: Response) =>
    void answers.push([what, JSON.stringify([...response.headers]) + (await response.text())]);

  await ann.put('talk.mp3', await readFile(sample));
  const run = async (language: string) => {
    const payload = { audio: { key: 'talk.mp3' }, language };
    const { result, _meta } = await ann.caption(payload);
    expect([language, result.status]).toEqual([language, 'failed']);
    answers.push([`the result in ${language}`, JSON.stringify(result)]);
    await keep('the run', await ann.get(`/workflows/captioner/${_meta.runId}`));
    const call = { name: 'get_run', arguments: { runId: _meta.runId } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const accept = 'application/json, text/event-stream';
    const headers = { authorization: `Bearer ${ann.key}`, accept };
    await keep('the tool', await post(`${server.url}/mcp`, message, headers));
  };
  await Promise.all(['de', 'ja'].map(run));
  for (const path of ['/', '/openapi.json', '/limits', '/app', '/nothing', '/health', '/docs']) {
    await keep(path, await fetch(`${server.url}${path}`));
  }
  await keep('an upload', await ann.put('../x.mp3', 'x'));
  for (const [what, text] of answers) {
    for (const folder of [dataDir, repository, homedir()]) {
      expect([what, text.includes(folder)]).toEqual([what, false]);
    }
  }
  await server.stop();
  await removeFolder(dataDir);
});
