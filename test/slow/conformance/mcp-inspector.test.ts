/**
 * The Inspector's command line with the MCP server: it has no key, declares no tasks, and checks
 * with --strict whether the schemas of the tools work with every model. It runs through npx,
 * because it installs 110 MB; without a registry the tests are skipped.
 */
import { expect, setDefaultTimeout } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { needs } from '../../support/requirements.ts';
import { front } from './front.ts';

setDefaultTimeout(300_000);

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';

const installed = spawnSync('npx', ['--yes', INSPECTOR, '--cli', '--version'], {
  timeout: 240_000,
});
const needsInspector = needs(
  installed.status === 0,
  `npx cannot install ${INSPECTOR}: ${String(installed.stderr).trim().slice(-200)}`,
);

const { url } = await front();

/** Runs the Inspector with these options. */
async function inspect(era: string, ...options: string[]) {
  const run = Bun.spawn(
    ['npx', '--yes', INSPECTOR, '--cli', url, '--protocol-era', era, ...options],
    { stdout: 'pipe', stderr: 'pipe' },
  );
  const [out, told, status] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  return { status, told, result: status === 0 ? JSON.parse(out) : out };
}

needsInspector.each(['legacy', 'modern'])(
  '%s: the tools pass --strict without a warning',
  async (era) => {
    const { status, told, result } = await inspect(era, '--method', 'tools/list', '--strict');
    expect({ status, warnings: /.*(?:warning|error).*/i.exec(told)?.[0] ?? '' }).toEqual({
      status: 0,
      warnings: '',
    });
    expect(result.tools.length).toBeGreaterThan(10);
  },
);

needsInspector.each(['legacy', 'modern'])('%s: a tool is called', async (era) => {
  const { status, result } = await inspect(
    era,
    '--method',
    'tools/call',
    '--tool-name',
    'list_packs',
  );
  expect([status, result.structuredContent?.packs.length]).toEqual([0, 7]);
});
