/**
 * The service behind a listener that adds a key, for programs that do not support keys. It maps the
 * conformance suite's tool names to tools of the service, so that the service's responses are
 * judged. Runs end as the test says, because a mounted app executes none.
 */
import { afterAll } from 'bun:test';
import type { Any } from '../../support/servers/client.ts';
import { mountedApp, type Mounted, type MountedKey } from '../../support/servers/mounted.ts';
import * as examples from '../../../server/http/openapi/examples.ts';

export interface Front {
  app: Mounted;
  ann: MountedKey;
  /** The URL of the MCP server. */
  url: string;
}

/** Starts it for the tests of a file. */
export async function front(): Promise<Front> {
  const app = await mountedApp();
  const ann = await app.signUp('ann@example.com');
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => answer(app, ann, request),
  });
  afterAll(() => server.stop(true));
  return { app, ann, url: `http://127.0.0.1:${server.port}/mcp` };
}

async function answer(app: Mounted, ann: MountedKey, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${ann.key}`);
  headers.delete('content-length');
  const { url, method, signal } = request;
  const text = await request.text();
  const message: Any = parsed(text);
  const fixture = message?.method === 'tools/call' ? FIXTURES[message.params?.name] : undefined;
  if (fixture === undefined) {
    return app.answer(new Request(url, { method, headers, signal, body: text || null }));
  }
  const { name, arguments: asked = {} } = message.params;
  const { tool, input, ends } = fixture;
  message.params.name = tool;
  message.params.arguments = input;
  if (headers.get('mcp-name') === name) headers.set('mcp-name', tool);
  const body = JSON.stringify(message);
  const answered = await app.answer(new Request(url, { method, headers, signal, body }));
  // A job that should last a minute stays open for its cancellation.
  if (ends && !(asked.seconds >= 60)) await endRuns(app, ends);
  return answered;
}

interface Fixture {
  tool: string;
  input: object;
  /** The outcome of the run that it starts. */
  ends?: keyof typeof RESULTS;
}

const RESULTS = { completed: examples.completedResult, failed: examples.failedResult };

/** The suite's tools, with the service's tools that behave the same. */
const FIXTURES: Record<string, Fixture> = {
  slow_compute: captioning('completed'),
  failing_job: captioning('failed'),
  greet: { tool: 'list_packs', input: {} },
  test_error_handling: { tool: 'get_run', input: { runId: 'run_none' } },
};

function captioning(ends: keyof typeof RESULTS): Fixture {
  return { tool: 'caption_audio', input: { audio: { key: 'suite.mp3' } }, ends };
}

/** Ends the queued runs. */
export async function endRuns({ services }: Mounted, state: keyof typeof RESULTS): Promise<void> {
  const now = Date.now();
  await services.database
    .updateTable('runs')
    .set({
      state,
      stage: 'captioning',
      progress: 1,
      result: JSON.stringify(RESULTS[state]),
      started_at: now,
      finished_at: now,
      updated_at: now,
    })
    .where('finished_at', 'is', null)
    .execute();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
