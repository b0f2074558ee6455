/** Checks that the table in docs/configuration.md lists exactly the settings the program reads. */
import { expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/config.ts';
import { root } from '../support/checkout.ts';

/** Variables read elsewhere: OpenTelemetry's own, and those of the scripts. */
const ELSEWHERE = /^OTEL_|^MODELS_DIR$/;

/** The names of all variables that the configuration reads, whatever else is set. */
function variablesRead(): Set<string> {
  const asked = new Set<string>();
  const watched = (env: Record<string, string>) =>
    new Proxy(env, {
      get(values, name) {
        asked.add(String(name));
        return values[String(name)];
      },
    });
  readConfig(watched({}));
  // Variables that are read only if another one is set.
  const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
  readConfig(watched({ AUDIO_STORE_URL: 's3://talks', ...keys }));
  const models = ['EDGE_SPEECH_URL', 'EDGE_LLM_URL', 'EDGE_MODERATION_URL'];
  readConfig(watched(Object.fromEntries(models.map((name) => [name, 'http://127.0.0.1:1/v1']))));
  readConfig(watched({ WORKOS_API_KEY: 'key', WORKOS_CLIENT_ID: 'client' }));
  return asked;
}

test('the table lists every variable that is read, and no other', async () => {
  const page = await readFile(join(root, 'docs/configuration.md'), 'utf8');
  const [, table = ''] = /^## Settings\n(.*?)^## /ms.exec(page) ?? [];
  const named = new Set(
    [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z\d_]+)`/g)].map(([, name = '']) => name),
    ),
  );
  const here = (names: Iterable<string>) =>
    [...names].filter((name) => !ELSEWHERE.test(name)).sort();
  expect(here(variablesRead())).toEqual(here(named));
});
