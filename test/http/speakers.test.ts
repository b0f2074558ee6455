/** The speakers of a run over HTTP: who speaks how much, their names, and both in files. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { RunSpeakers } from '../../server/contract/speakers.ts';
import { validator } from '../../server/contract/schema.ts';
import { told } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { createVoiceStore } from '../../server/voices/voice-store.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

setDefaultTimeout(300_000);

const app = await mountedApp();
const { database } = app.services;
const ann = await app.signUp('ann@example.com');
const ben = await app.signUp('ben@example.org');

/** A run in which speaker 0 says the first two of three sentences, and speaker 1 the last. */
async function talk(speakers = ['0', '0', '1']) {
  return talkOf(
    spoken('Good evening to all. Welcome to the show. Thank you for that.').map((word, at) => ({
      ...word,
      speaker: speakers[Math.floor(at / 4)]!,
    })),
  );
}

async function talkOf(words: ReturnType<typeof spoken>) {
  const { runId, result } = await completedRun(database, ann.organizationId, words);
  const path = `/workflows/captioner/${runId}`;
  const send = (method: string, part: string, json?: object, key = ann.key) =>
    app.ask(`${path}${part}`, { method, key, ...(json && { json }) });
  return { runId, send, result };
}

test('where several speak at once is listed beside the speakers', async () => {
  const { runId, send, result } = await talk();
  expect(await (await send('GET', '/speakers')).json()).not.toHaveProperty('atOnce');
  const { transcript } = result;
  const metadata = { ...transcript.metadata, speechAtOnce: [{ start: 1, end: 1.5 }] };
  const changed = JSON.stringify({ ...result, transcript: { ...transcript, metadata } });
  await database.updateTable('runs').set({ result: changed }).where('id', '=', runId).execute();
  const listed = (await (await send('GET', '/speakers')).json()) as RunSpeakers;
  expect(listed.atOnce).toEqual([{ start: 1, end: 1.5 }]);
  const { content } = await callTool(app, ann, 'speakers', { runId });
  expect(content[0].text).toContain('at once in 1 place.');
});

const voices = createVoiceStore(database);

/** A print in some direction; those of a voice differ a little from run to run. */
const printOf = (voice: number, run: number): number[] =>
  Array.from(
    { length: 192 },
    (_, at) => Math.sin((at + 1) * (voice + 1) * 0.7) + 0.2 * Math.cos(at * run),
  );
const noteVoices = (runId: string, own: Record<string, number>, run = 1, of = ann) =>
  voices.note(
    { id: runId, organizationId: of.organizationId },
    {
      model: 'one',
      voices: Object.entries(own).map(([speaker, voice]) => ({
        speaker,
        print: printOf(voice, run),
        seconds: 20,
      })),
    },
  );
const workspace = async (method: string, part = '', json?: object, key = ann.key) => {
  const answer = await app.ask(`/workspace/voices${part}`, { method, key, ...(json && { json }) });
  return answer.ok ? answer.json() : answer.status;
};
const proposalsIn = async (send: Awaited<ReturnType<typeof talk>>['send']) => {
  const { speakers } = (await (await send('GET', '/speakers')).json()) as RunSpeakers;
  return speakers.map(({ proposal }) => proposal?.name ?? null);
};

describe('voices that a workspace remembers', () => {
  test('are none before it has switched that on', async () => {
    const { runId, send } = await talk();
    await noteVoices(runId, { 0: 1, 1: 2 });
    await send('PUT', '/speakers', { speakers: [{ id: '0', name: 'Ada' }] });
    expect(await workspace('GET')).toEqual({ remember: false, people: [] });
    expect(await database.selectFrom('run_voices').selectAll().execute()).toEqual([]);
  });

  test('are proposed in the next run, confirmed, refused, renamed, merged and forgotten', async () => {
    expect(await workspace('PUT', '', { remember: true })).toEqual({ remember: true, people: [] });
    const first = await talk();
    await noteVoices(first.runId, { 0: 1, 1: 2 });
    expect(await proposalsIn(first.send)).toEqual([null, null]);
    await first.send('PUT', '/speakers', { speakers: [{ id: '0', name: 'Ada' }] });
    // "Speaker 2", whom nobody has named, is nobody.
    const { people } = await workspace('GET');
    expect(people).toMatchObject([{ name: 'Ada', runs: 1, seconds: 20 }]);

    const second = await talk(['a', 'a', 'b']);
    await noteVoices(second.runId, { a: 2, b: 1 }, 2);
    expect(await proposalsIn(second.send)).toEqual([null, 'Ada']);
    const told = await callTool(app, ann, 'speakers', { runId: second.runId });
    expect(told.content[0].text).toContain('b: perhaps Ada');
    const { token } = await (await second.send('POST', '/links', { right: 'edit' })).json();
    expect(
      await proposalsIn((method, part) => second.send(method, part, undefined, token)),
    ).toEqual([null, null]);
    await second.send('PUT', '/speakers', { speakers: [{ id: 'b', name: 'Ada' }] });
    expect((await workspace('GET')).people).toMatchObject([{ name: 'Ada', runs: 2, seconds: 40 }]);

    // Somebody refuses a proposal, and gives another name, as the app saves it: by the captions of a review.
    const third = await talk();
    await noteVoices(third.runId, { 0: 1 }, 3);
    expect(await proposalsIn(third.send)).toEqual(['Ada', null]);
    await third.send('PUT', '/speakers', { speakers: [], refused: ['0'] });
    expect(await proposalsIn(third.send)).toEqual([null, null]);
    const cue = { start: 0, end: 3, text: 'Good evening to all.', speaker: 'Eve' };
    await third.send('PUT', '/review', { cues: [cue] });
    const [one, other] = (await workspace('GET')).people;
    expect([one.name, other.name]).toEqual(['Ada', 'Eve']);

    const merged = await workspace('PATCH', `/${other.personId}`, { name: 'Ada' });
    expect(merged.people).toMatchObject([{ personId: one.personId, name: 'Ada', runs: 3 }]);
    const renamed = await workspace('PATCH', `/${one.personId}`, { name: 'Ada Lovelace' });
    expect(renamed.people).toMatchObject([{ name: 'Ada Lovelace' }]);
    expect(await workspace('DELETE', `/${one.personId}`, undefined, ben.key)).toBe(404);
    expect(await workspace('PATCH', `/${one.personId}`, { name: 'Ben' }, ben.key)).toBe(404);
    expect((await workspace('DELETE', `/${one.personId}`)).people).toEqual([]);
    expect(await proposalsIn(third.send)).toEqual([null]);
  });

  test('of a recording with one voice are named and proposed as well, for nobody else than its only speaker', async () => {
    for (const remember of [false, true]) await workspace('PUT', '', { remember });
    const monologue = () => talkOf(spoken('Good evening to all. Welcome to the show.'));
    const first = await monologue();
    expect(await proposalsIn(first.send)).toEqual([]);
    const named = { speakers: [{ id: '0', name: 'Ada' }] };
    expect((await first.send('PUT', '/speakers', named)).status).toBe(422);
    await noteVoices(first.runId, { '': 7 });
    expect(await proposalsIn(first.send)).toEqual([null]);
    expect((await first.send('PUT', '/speakers', named)).status).toBe(200);
    expect((await workspace('GET')).people).toMatchObject([{ name: 'Ada', runs: 1 }]);

    const second = await monologue();
    await noteVoices(second.runId, { '': 7 }, 2);
    expect(await proposalsIn(second.send)).toEqual(['Ada']);
    // As the app saves it: the first caption alone says too little of who speaks.
    const cue = { start: 0, end: 0.5, text: 'Good', speaker: 'Eve' };
    await second.send('PUT', '/review', { cues: [cue] });
    expect((await workspace('GET')).people).toMatchObject([{ name: 'Ada', runs: 1 }]);
    const stranger = await monologue();
    await noteVoices(stranger.runId, { '': 3 }, 3);
    expect(await proposalsIn(stranger.send)).toEqual([null]);
  });

  test('go with their run, and all of them when it is switched off', async () => {
    for (const remember of [false, true]) await workspace('PUT', '', { remember });
    const [first, second] = [await talk(), await talk()];
    for (const each of [first, second]) {
      await noteVoices(each.runId, { 0: 4, 1: 5 });
      const name = each === first ? 'Dan' : 'Fay';
      await each.send('PUT', '/speakers', { speakers: [{ id: '0', name }] });
    }
    await first.send('DELETE', '/data');
    expect((await workspace('GET')).people).toMatchObject([{ name: 'Fay' }]);
    expect(await workspace('PUT', '', { remember: false })).toEqual({
      remember: false,
      people: [],
    });
    for (const table of ['run_voices', 'voice_people', 'voice_settings'] as const) {
      expect(await database.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  test('of another workspace never answer', async () => {
    for (const remember of [false, true]) {
      for (const { key } of [ann, ben]) await workspace('PUT', '', { remember }, key);
    }
    const theirs = await completedRun(database, ben.organizationId, spoken('One two.'));
    await noteVoices(theirs.runId, { 0: 1, 1: 2, 2: 3 }, 1, ben);
    const names = new Map([0, 1, 2].map((voice) => [String(voice), `Ben ${voice + 1}th`]));
    await voices.name({ id: theirs.runId, organizationId: ben.organizationId }, names);
    const { runId, send } = await talk();
    for (let tries = 0; tries < 200; tries += 1) {
      await database.deleteFrom('run_voices').where('run_id', '=', runId).execute();
      await noteVoices(runId, { 0: 1 + (tries % 3), 1: 1 + ((tries + 1) % 3) }, tries % 7);
      const { known } = await voices.compared({ id: runId, organizationId: ann.organizationId });
      expect(known).toEqual([]);
      if (tries % 40 === 0) expect(await proposalsIn(send)).toEqual([null, null]);
      // Nor by naming the run, or the workspace, of the other.
      const mixed = { id: theirs.runId, organizationId: ann.organizationId };
      expect(await voices.compared(mixed)).toEqual({ own: [], known: [] });
    }
  });
});

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
    // Nothing was stored.
    expect((await send('GET', '/review')).status).toBe(404);
    // A page that looks for it again and again is told so without an error.
    expect((await send('GET', '/review?absent=204')).status).toBe(204);
  });
});
