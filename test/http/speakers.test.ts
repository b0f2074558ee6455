/** The speakers of a run over HTTP: who speaks how much, their names, and both in files. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { RunSpeakers } from '../../server/contract/speakers.ts';
import { validator } from '../../server/contract/schema.ts';
import { told } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

setDefaultTimeout(300_000);

const app = await mountedApp();
const { database } = app.services;
const ann = await app.signUp('ann@example.com');
const ben = await app.signUp('ben@example.org');

/** A run in which speaker 0 says the first two of three sentences, and speaker 1 the last. */
async function talk(speakers = ['0', '0', '1']) {
  const words = spoken('Good evening to all. Welcome to the show. Thank you for that.').map(
    (word, at) => ({ ...word, speaker: speakers[Math.floor(at / 4)]! }),
  );
  const { runId } = await completedRun(database, ann.organizationId, words);
  const path = `/workflows/captioner/${runId}`;
  const send = (method: string, part: string, json?: object, key = ann.key) =>
    app.ask(`${path}${part}`, { method, key, ...(json && { json }) });
  return { runId, send };
}

describe('the speakers of a run', () => {
  test('are listed with their turns and shares, and named once for list, review and files', async () => {
    const { runId, send } = await talk();
    const before = await (await send('GET', '/speakers')).json();
    expect(validator(RunSpeakers).issues(before)).toEqual([]);
    expect(before).toMatchObject({
      runId,
      speakers: [
        { id: '0', turns: 1 },
        { id: '1', turns: 1 },
      ],
    });
    expect(before.speakers[0].share).toBeCloseTo(2 / 3, 1);

    const named = await send('PUT', '/speakers', { speakers: [{ id: '0', name: 'Ada' }] });
    expect(await named.json()).toMatchObject({
      speakers: [
        { id: '0', name: 'Ada' },
        { id: '1', name: 'Speaker 2' },
      ],
    });
    const review = await (await send('GET', '/review')).json();
    expect(review).toMatchObject({ finished: false, speakers: [{ id: '0', name: 'Ada' }, {}] });
    const vtt = await (await send('GET', '/captions.vtt')).text();
    expect(vtt).toContain('<v Ada>');
    expect(vtt).toContain('<v Speaker 2>');

    // A second name leaves the first, and changes nothing else of the review.
    await send('PUT', '/speakers', { speakers: [{ id: '1', name: 'Ben' }] });
    expect(await (await send('GET', '/review')).json()).toMatchObject({
      cues: review.cues,
      speakers: [
        { id: '0', name: 'Ada' },
        { id: '1', name: 'Ben' },
      ],
    });
  });

  test('are those of the review, where people have changed them', async () => {
    const { send } = await talk();
    const cues = [
      { start: 0, end: 1, text: 'Hello.', speaker: 'Eve' },
      { start: 1, end: 4, text: '-Yes.\n-No.', speaker: 'Eve\nDan' },
    ];
    await send('PUT', '/review', { cues });
    expect(await (await send('GET', '/speakers')).json()).toMatchObject({
      speakers: [
        { id: 'Eve', turns: 1, seconds: 2.5 },
        { id: 'Dan', turns: 1, seconds: 1.5 },
      ],
    });
    await send('PUT', '/speakers', { speakers: [{ id: 'Dan', name: 'Daniel' }] });
    const vtt = await (await send('GET', '/captions.vtt')).text();
    expect(vtt).toContain('<v Daniel>');
    expect(vtt).toContain('<v Eve>');
  });

  test('are listed and named by an agent too', async () => {
    const { runId } = await talk();
    const names = { 1: 'Ben' };
    const named = await callTool(app, ann, 'speakers', { runId, names });
    expect(named.structuredContent).toMatchObject({
      speakers: [{ id: '0' }, { id: '1', name: 'Ben' }],
    });
    const listed = await callTool(app, ann, 'speakers', { runId });
    expect(listed.structuredContent).toEqual(named.structuredContent);
    expect(listed.content[0].text).toContain('1: Ben, 3');
  });

  test('are none of another workspace, and nobody who does not speak', async () => {
    const { send } = await talk();
    for (const method of ['GET', 'PUT']) {
      const json = method === 'PUT' ? { speakers: [{ id: '0', name: 'Eve' }] } : undefined;
      expect(await told(send(method, '/speakers', json, ben.key))).toStartWith('404');
    }
    const unknown = {
      speakers: [
        { id: '0', name: 'Ada' },
        { id: '7', name: 'Eve' },
      ],
    };
    expect((await send('PUT', '/speakers', unknown)).status).toBe(422);
    expect((await send('PUT', '/speakers', { speakers: [] })).status).toBe(422);
    // Nothing was stored.
    expect((await send('GET', '/review')).status).toBe(404);
  });
});
