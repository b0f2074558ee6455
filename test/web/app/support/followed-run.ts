/** A run in progress, whose events a test sends to the page. */
import { completedRun, spoken } from '../../../support/servers/completed-run.ts';
import { all, one, type Person } from './app.ts';

/** A run of a person that the service reports as running, with nothing done yet. */
export async function followedRun(person: Person) {
  const { database } = person.service.services;
  const { runId } = await completedRun(database, person.organizationId, spoken('Hello'));
  const run = {
    runId,
    state: 'running',
    stage: 'transcription',
    progress: 0,
    createdAt: new Date(Date.now() - 70_000).toISOString(),
    startedAt: new Date(Date.now() - 65_000).toISOString(),
    finishedAt: null,
    audioKey: 'talks/night.mp3',
    envelope: null,
  };
  const { readable, writable } = new TransformStream();
  const writer = writable.getWriter();
  /** The paths of the runs that the page has cancelled. */
  const cancelled: string[] = [];
  person.interrupt(({ method, url }) => {
    const { pathname } = new URL(url);
    if (method === 'DELETE') {
      cancelled.push(pathname);
      return Response.json({});
    }
    return pathname.endsWith('/events')
      ? new Response(readable, { headers: { 'content-type': 'text/event-stream' } })
      : null;
  });
  /** Sends an event to the page, which may not listen yet. */
  const tell = (event: string, data: object): void =>
    void writer.write(
      new TextEncoder().encode(`id: 1\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    );
  return {
    runId,
    cancelled,
    progress: (progress: number, change: object = {}) =>
      tell('run', { ...run, progress, ...change }),
    hear: (words: string, end: number) =>
      tell('transcript', { text: words, start: end - 2, end, words: [] }),
  };
}

/** The progress of the page: its label, note, the time, and the value of its bar; empty where there is none. */
export const line = () =>
  all('.step').flatMap((line) => [
    one('.step-label', line).textContent,
    one('.step-note', line).textContent,
    one('.step-aside', line).textContent,
    line.querySelector('progress')?.getAttribute('value'),
  ]);
