/**
 * The official conformance suite (@modelcontextprotocol/conformance) at the MCP server. The suite
 * expects a server made for it, with tools, prompts and resources of its own: what it can judge only
 * by those is named in the baseline. A check that fails without being named there
 * fails the test, and so does a scenario that is named although it passes.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { front } from './front.ts';

setDefaultTimeout(300_000);

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const suite = here('../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

const { url } = await front();
const results = await temporaryFolder();
afterAll(() => removeFolder(results));

test.each(['2025-11-25', '2026-07-28'])('revision %s', async (revision) => {
  const options = {
    '--url': url,
    '--requirements': revision,
    '--expected-failures': here('baseline.yml'),
    '--output-dir': path.join(results, revision),
  };
  const command = [process.execPath, suite, 'server', ...Object.entries(options).flat()];
  const run = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' });
  const [told, status] = await Promise.all([new Response(run.stdout).text(), run.exited]);
  const summary = told.slice(told.indexOf('=== SUMMARY ==='));
  expect({ status, summary }).toEqual({ status: 0, summary: expect.any(String) });
});
