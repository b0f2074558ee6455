/** The whole job that a generated client does, whatever its language, and what has to come of it. */
import { afterAll, expect } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startHttpDouble, type HttpDouble } from '../../support/doubles/http-double.ts';
import { mailedCode, type Any } from '../../support/servers/client.ts';
import { sample } from '../../support/sample.ts';

/** Starts what receives the webhooks of the jobs of a file. */
export async function webhookReceiver(): Promise<HttpDouble> {
  const receiver = await startHttpDouble(() => new Response(null, { status: 204 }));
  afterAll(() => receiver.close());
  return receiver;
}

/** The code of the newest mail, which is sent after the response that announces it. */
export async function codeFor(dataDir: string, email: string): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await mailedCode(dataDir, email);
    } catch (error) {
      if (attempt === 100) throw error;
      await delay(50);
    }
  }
}

/**
 * The report that every client must return; `secret` belongs to its webhook, which got one delivery with a valid
 * signature.
 */
export async function expectWholeJob({ requests, origin }: HttpDouble, outcome: Any) {
  const { size } = Bun.file(sample);
  expect(outcome).toMatchObject({
    receipt: { ok: true, key: 'generated.mp3', size },
    state: 'completed',
    listed: true,
    unknownRun: 'run_not_found',
    webhooks: [`${origin}/hook`],
    delivered: ['run.completed'],
    removed: 204,
    noReview: 'review_not_found',
    review: { finished: true, text: 'Hello from a client' },
  });
  expect(outcome.cues).toBeGreaterThan(0);
  expect(outcome.srt).toContain(' --> ');
  expect(outcome.vtt).toStartWith('WEBVTT');
  expect(outcome.reviewed).toContain('Hello from a client');
  expect(requests).toHaveLength(1);
  const { body, headers } = deliveryOf({ requests });
  const signed: Any = new Webhook(outcome.secret).verify(body, headers);
  expect([signed.type, signed.data.runId]).toEqual(['run.completed', outcome.runId]);
}

/** The first delivery to the webhook of a job. */
export function deliveryOf({ requests: [told] }: Pick<HttpDouble, 'requests'>) {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const headers = Object.fromEntries(names.map((name) => [name, told?.header(name) ?? '']));
  return { body: told?.body.toString() ?? '', headers };
}

/**
 * Runs a client that is a program of its own: its arguments are the address of the service, an email address, the
 * recording and the address for its webhook. It asks for the emailed code with a line on standard output, reads it from
 * standard input, and ends with the outcome as a line of JSON.
 */
export async function jobOfProgram(
  command: string[],
  cwd: string,
  server: { url: string; dataDir: string },
  receiver: HttpDouble,
): Promise<Any> {
  const email = 'generated@example.com';
  const child = Bun.spawn([...command, server.url, email, sample, `${receiver.origin}/hook`], {
    cwd,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const said = new Response(child.stderr).text();
  let out = '';
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (out === '') {
      await child.stdin.write(`${await codeFor(server.dataDir, email)}\n`);
      await child.stdin.end();
    }
    out += text;
  }
  expect([await child.exited, await said]).toEqual([0, '']);
  return JSON.parse(out.trim().split('\n').at(-1) ?? '');
}

/** The recording that is uploaded. */
export const recording = (): Promise<Buffer<ArrayBuffer>> => readFile(sample);
