/**
 * The official conformance suite (@modelcontextprotocol/conformance) with the MCP server. The suite
 * expects a server made for it, with its own tools, prompts and resources: scenarios that depend on
 * these are listed in the baseline. The test fails if a check fails that is not listed there, or if
 * a listed scenario passes.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { front } from './front.ts';

setDefaultTimeout(300_000);

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const suite = here('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

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
