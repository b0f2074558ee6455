/** What stays with a run until its review is finished: who receives its sound and its video, and when they end. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { RunMedia } from '../../server/contract/run-media.ts';
import { validator } from '../../server/contract/schema.ts';
import { RUN_MEDIA } from '../../server/contract/limits.ts';
import { retryDeletions } from '../../server/runs/pending-deletions.ts';
import { createLog } from '../../server/base/log.ts';
import { forgetMedia, mediaInUse } from '../../server/storage/run-media.ts';
import { fixture } from '../mp3/support.ts';
import { expectNoSecrets } from '../support/secrets.ts';
import { told, type Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { mountedApp } from '../support/servers/mounted.ts';

setDefaultTimeout(300_000);

const app = await mountedApp();
const { database, audio } = app.services;
const ann = await app.signUp('ann@example.com');
const bob = await app.signUp('bob@example.org');
const RUNS = '/workflows/captioner';
const mp3 = new Uint8Array(fixture('mono-16k.mp3'));
const mp4 = new Uint8Array([
  0,
  0,
  0,
  24,
  ...Buffer.from('ftypisom'),
  ...Array.from({ length: 5000 }, () => 7),
]);

const send = (method: string, path: string, key: string, json?: object, headers = {}) =>
  app.ask(path, { method, key, headers, json });
const putVideo = (path: string, key: string, body: BodyInit = mp4, headers = {}) =>
  app.ask(path, { method: 'PUT', key, body, headers: { 'content-type': 'video/mp4', ...headers } });

/** A run whose sound stays with it, as if a worker had completed it. */
async function runWithSound() {
  const key = `${crypto.randomUUID()}.mp3`;
  await app.ask(`/audio/${key}`, { method: 'PUT', key: ann.key, body: mp3 });
  const payload = { audio: { key }, storage: { retainSourceAudio: true } };
  const started = await send('POST', `${RUNS}?sound=keep`, ann.key, payload);
  expect(started.status).toBe(202);
  const { runId } = await started.json();
  const at = (part = '') => `${RUNS}/${runId}${part}`;
  expect((await app.ask(at('/sound'), { key: ann.key })).status).toBe(404);
  const { result, cues } = await completedRun(database, 'elsewhere', spoken('Hello there.'));
  const { storage } = result.metadata;
  storage.sourceAudio = { ...storage.sourceAudio, policy: 'retain', status: 'retained' };
  const done = { state: 'completed', finished_at: Date.now(), result: JSON.stringify(result) };
  await database
    .updateTable('runs')
    .set(done as Any)
    .where('id', '=', runId)
    .execute();
  const media = async (bearer = ann.key): Promise<Any> =>
    (await app.ask(at('/media'), { key: bearer })).json();
  const linkTo = async (json: object): Promise<Any> =>
    (await send('POST', at('/links'), ann.key, json)).json();
  const isStored = async () => (await audio.stat(ann.organizationId, key)) !== null;
  return { runId, at, key, media, linkTo, isStored, cues };
}

describe('the sound of a run', () => {
  test('is heard by every key of its workspace, whole and in parts, and by nobody else', async () => {
    const { at, media } = await runWithSound();
    const found = await media();
    expect(validator(RunMedia).issues(found)).toEqual([]);
    expect([found.sound.bytes, found.video]).toEqual([mp3.length, null]);
    for (const [path, key] of [
      [at('/sound'), ann.key],
      [found.sound.play, undefined],
    ] as const) {
      const bearer = key === undefined ? {} : { key };
      expect(await (await app.ask(path, bearer)).bytes()).toEqual(mp3);
      const part = await app.ask(path, { ...bearer, headers: { range: 'bytes=100-299' } });
      expect([part.status, part.headers.get('content-type')]).toEqual([206, 'audio/mpeg']);
      expect(await part.bytes()).toEqual(mp3.slice(100, 300));
      const past = { range: `bytes=${mp3.length}-` };
      expect((await app.ask(path, { ...bearer, headers: past })).status).toBe(416);
    }
    for (const part of ['/media', '/sound', '/video']) {
      expect(await told(app.ask(at(part), { key: bob.key }))).toBe('404 run_not_found');
      expect((await app.ask(at(part))).status).toBe(401);
    }
    const [grant, signature] = found.sound.play.slice('/play/'.length).split('.');
    const other = Buffer.from(grant, 'base64url').toString().replace('"sound"', '"video"');
    for (const token of [
      `${Buffer.from(other).toString('base64url')}.${signature}`,
      `${grant}.${'0'.repeat(64)}`,
      'x',
    ]) {
      expect(await told(app.ask(`/play/${token}`))).toBe('403 invalid_play_address');
    }
    expectNoSecrets(JSON.stringify(app.log()), [signature]);
  });

  test('ends when the review is finished, for all who heard it, and the result says so', async () => {
    const { at, cues, media, isStored, runId } = await runWithSound();
    const { play } = (await media()).sound;
    const saved = await send('PUT', at('/review'), ann.key, { cues: [] });
    expect([saved.status, await isStored()]).toEqual([201, true]);
    const etag = saved.headers.get('etag') ?? '';
    const review = { cues, finished: true };
    const stale = await send('PUT', at('/review'), ann.key, review, { 'if-match': '"other"' });
    expect([stale.status, await isStored()]).toEqual([412, true]);
    const done = await send('PUT', at('/review'), ann.key, review, { 'if-match': etag });
    expect([done.status, await isStored()]).toEqual([200, false]);
    expect(await media()).toMatchObject({ sound: null, video: null });
    expect(await told(app.ask(at('/sound'), { key: ann.key }))).toBe('404 sound_not_found');
    expect(await told(app.ask(play))).toBe('404 sound_not_found');
    const log = createLog('debug', () => {});
    await retryDeletions(database, audio, log);
    const run = await (await app.ask(at(), { key: ann.key })).json();
    expect(run.envelope.result.metadata.storage.sourceAudio.status).toBe('deleted');
    const row = database.selectFrom('run_media').select('kind').where('run_id', '=', runId);
    expect(await row.execute()).toEqual([]);
  });

  test('goes although the process died right after the review was saved', async () => {
    const { at, cues, key, isStored } = await runWithSound();
    const { delete: deletes } = audio;
    audio.delete = () => new Promise(() => {});
    void send('PUT', at('/review'), ann.key, { cues, finished: true });
    for (let tries = 0; tries < 500; tries += 1) {
      if ((await app.ask(at('/sound'), { key: ann.key })).status === 404) break;
      await Bun.sleep(5);
    }
    audio.delete = deletes;
    expect([(await app.ask(at('/sound'), { key: ann.key })).status, await isStored()]).toEqual([
      404,
      true,
    ]);
    await retryDeletions(
      database,
      audio,
      createLog('debug', () => {}),
    );
    expect(await audio.stat(ann.organizationId, key)).toBeNull();
  });

  test('stays longer than other recordings, but no longer than its run', async () => {
    const { runId, at, isStored } = await runWithSound();
    await audio.expire(Date.now() + 1000, await mediaInUse(database));
    expect(await isStored()).toBe(true);
    await forgetMedia(database, audio, Date.now() - 60_000, Date.now());
    expect(await isStored()).toBe(true);
    const old = Date.now() - 120_000;
    await database.updateTable('runs').set({ finished_at: old }).where('id', '=', runId).execute();
    await forgetMedia(database, audio, Date.now() - 60_000, Date.now());
    expect([(await app.ask(at('/sound'), { key: ann.key })).status, await isStored()]).toEqual([
      404,
      false,
    ]);
  });

  test('goes with its run, or alone; a newer upload under the key is never played', async () => {
    const one = await runWithSound();
    const erased = await send('DELETE', one.at('/data'), ann.key);
    expect([await erased.json(), await one.isStored()]).toMatchObject([
      { recording: 'none' },
      false,
    ]);
    const two = await runWithSound();
    expect(await told(send('DELETE', two.at('/sound'), bob.key))).toBe('404 run_not_found');
    expect((await send('DELETE', two.at('/sound'), ann.key)).status).toBe(204);
    expect((await send('DELETE', two.at('/sound'), ann.key)).status).toBe(404);
    expect(await two.isStored()).toBe(false);
    const three = await runWithSound();
    const newer = new Uint8Array(fixture('chirp-mono-22k-id3.mp3'));
    await app.ask(`/audio/${three.key}`, { method: 'PUT', key: ann.key, body: newer });
    expect((await app.ask(three.at('/sound'), { key: ann.key })).status).toBe(404);
    expect((await send('DELETE', three.at('/sound'), ann.key)).status).toBe(204);
    expect(await three.isStored()).toBe(true);
  });

  test('is only for runs that say so, with a payload that keeps the recording', async () => {
    const payload = { audio: { key: 'a.mp3' } };
    const refused = await send('POST', `${RUNS}?sound=keep`, ann.key, payload);
    expect([refused.status, (await refused.json()).error.details[0].path]).toEqual([
      422,
      'storage.retainSourceAudio',
    ]);
    expect((await send('POST', `${RUNS}?sound=x`, ann.key, payload)).status).toBe(422);
    const { runId } = await completedRun(database, ann.organizationId, spoken('Hello there.'));
    await app.ask('/audio/talk.mp3', { method: 'PUT', key: ann.key, body: mp3 });
    const sound = `${RUNS}/${runId}/sound`;
    expect(await told(app.ask(sound, { key: ann.key }))).toBe('404 sound_not_found');
  });
});

describe('the video of a run', () => {
  test('is stored within its bounds, played in parts, and replaced as a whole', async () => {
    const { at, media } = await runWithSound();
    const video = at('/video');
    const cut = { 'content-length': String(mp4.length + 1) };
    const large = { 'content-length': String(RUN_MEDIA.maxVideoBytes + 1) };
    for (const [refused, says] of [
      [putVideo(video, ann.key, mp3), '415 video_required'],
      [putVideo(video, ann.key, mp4.slice(0, 5)), '415 video_required'],
      [putVideo(video, ann.key, mp4, { 'content-type': 'image/png' }), '415 video_required'],
      [putVideo(video, ann.key, mp4, large), '413 upload_too_large'],
      [putVideo(video, ann.key, mp4, cut), '400 incomplete_upload'],
      [putVideo(video, bob.key), '404 run_not_found'],
    ] as const) {
      expect(await told(refused)).toBe(says);
      expect((await media()).video).toBeNull();
    }
    expect((await putVideo(video, ann.key)).status).toBe(204);
    const found = (await media()).video;
    expect(found).toMatchObject({ bytes: mp4.length, type: 'video/mp4' });
    const part = await app.ask(found.play, { headers: { range: 'bytes=4-7' } });
    expect([part.status, part.headers.get('content-type'), await part.text()]).toEqual([
      206,
      'video/mp4',
      'ftyp',
    ]);
    // A second one that does not arrive leaves the first.
    expect(await told(putVideo(video, ann.key, mp3))).toBe('415 video_required');
    expect((await media()).video.bytes).toBe(mp4.length);
    expect((await putVideo(video, ann.key, mp4.slice(0, 100))).status).toBe(204);
    expect((await media()).video.bytes).toBe(100);
  });

  test('counts as a recording, is exported, and ends with its run, its review, or alone', async () => {
    const used = async () =>
      (await database.selectFrom('audio_usage').select('bytes').execute()).reduce(
        (sum, { bytes }) => sum + bytes,
        0,
      );
    for (const end of ['data', 'video', 'review'] as const) {
      const { at, cues, runId } = await runWithSound();
      const before = await used();
      await putVideo(at('/video'), ann.key);
      expect(await used()).toBe(before + mp4.length);
      const archive = await app.ask('/workspace/export', { key: ann.key });
      const files = Buffer.from(Bun.gunzipSync(await archive.bytes())).toString('latin1');
      expect(files).toContain(`runs/${runId}/video.mp4`);
      const ended =
        end === 'review'
          ? send('PUT', at('/review'), ann.key, { cues, finished: true })
          : send('DELETE', at(`/${end}`), ann.key);
      expect((await ended).status).toBeLessThan(300);
      expect(await used()).toBe(end === 'video' ? before : before - mp3.length);
    }
  });

  test('that a process left behind is swept; one that stays is not', async () => {
    const { at, media, runId } = await runWithSound();
    await putVideo(at('/video'), ann.key);
    await forgetMedia(database, audio, 0, Date.now());
    expect((await media()).video).not.toBeNull();
    const row = database.deleteFrom('run_media').where('run_id', '=', runId);
    await row.where('kind', '=', 'video').execute();
    const stored = async () => (await Array.fromAsync(audio.list())).length;
    const before = await stored();
    await forgetMedia(database, audio, 0, Date.now());
    expect(await stored()).toBe(before - 1);
  });
});

describe('guests', () => {
  test('hear and see what their link says, by its routes and by addresses that end with it', async () => {
    const { at, linkTo, media } = await runWithSound();
    await putVideo(at('/video'), ann.key);
    const [deaf, hears, sees] = [
      await linkTo({ right: 'view' }),
      await linkTo({ right: 'comment', sound: true }),
      await linkTo({ right: 'edit', sound: true, video: true }),
    ];
    expect(
      [deaf, hears, sees].map(({ soundBytes, videoBytes }) => [soundBytes, videoBytes]),
    ).toEqual([
      [null, null],
      [mp3.length, null],
      [mp3.length, mp4.length],
    ]);
    for (const [link, sound, video] of [
      [deaf, 404, 404],
      [hears, 200, 404],
      [sees, 200, 200],
    ] as const) {
      const key = link.token;
      expect((await app.ask(at('/sound'), { key })).status).toBe(sound);
      expect((await app.ask(at(`/links/${link.id}/sound`), { key })).status).toBe(sound);
      expect((await app.ask(at('/video'), { key })).status).toBe(video);
      const found = await media(key);
      expect([found.sound === null, found.video === null]).toEqual([sound === 404, video === 404]);
      expect((await send('DELETE', at('/sound'), key)).status).toBe(401);
      expect((await putVideo(at('/video'), key)).status).toBe(401);
    }
    const { play } = (await media(sees.token)).video;
    expect((await app.ask(play)).status).toBe(200);
    await send('DELETE', at(`/links/${sees.id}`), ann.key);
    expect(await told(app.ask(play))).toBe('403 invalid_play_address');
  });

  test('do not end it: a guest who may edit finishes nothing for the workspace', async () => {
    const { at, cues, linkTo, isStored } = await runWithSound();
    const { token } = await linkTo({ right: 'edit', sound: true });
    const saved = await send('PUT', at('/review'), token, { cues, finished: true });
    expect([saved.status, await isStored()]).toEqual([201, true]);
  });
});
