/** Links that open a review without a key, and comments on it. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  NewReviewLink,
  ReviewCommentList,
  ReviewLinkList,
  type ReviewComment,
} from '../../server/contract/sharing.ts';
import { validator } from '../../server/contract/schema.ts';
import { createReviewComments } from '../../server/reviews/review-comments.ts';
import { createReviewLinks, forgetLinks, soundsInUse } from '../../server/reviews/review-links.ts';
import { linkSoundName } from '../../server/storage/audio.ts';
import { fixture } from '../mp3/support.ts';
import { paths } from '../support/documents.ts';
import { expectNoSecrets } from '../support/secrets.ts';
import { told, until, type Any } from '../support/servers/client.ts';
import { completedRun, keptBytesOf, spoken } from '../support/servers/completed-run.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { newWorkspace } from '../support/servers/run-rows.ts';
import { LINK } from '../../server/contract/limits.ts';

setDefaultTimeout(300_000);

const app = await mountedApp();
const { database } = app.services;
const ann = await app.signUp('ann@example.com');
const send = (method: string, path: string, key: string, json?: object, headers = {}) =>
  app.ask(path, { method, key, headers, json });

async function sharedRun() {
  const { runId, cues } = await completedRun(
    database,
    ann.organizationId,
    spoken('We signed in with Quilter and then we uploaded the talk.'),
  );
  const at = (part = '') => `/workflows/captioner/${runId}${part}`;
  const linkTo = async (right: string, days?: number): Promise<Any> => {
    const made = await send('POST', at('/links'), ann.key, { right, days });
    expect(made.status).toBe(201);
    return made.json();
  };
  const listed = async (key = ann.key): Promise<ReviewComment[]> =>
    (await (await app.ask(at('/comments'), { key })).json()).comments;
  return { runId, cues, at, linkTo, listed };
}

describe('a link', () => {
  test('opens the review of its run and nothing else, as far as its right allows', async () => {
    const { runId, cues, at, linkTo } = await sharedRun();
    const other = await sharedRun();
    const comment = { name: 'Quill', at: 3, text: 'it is Quilter' };
    const review = { cues, finished: true };
    const READS = ['', '/captions.srt', '/review', '/comments', '/comments.csv'];
    await send('PUT', at('/review'), ann.key, { cues });
    const etag = (await app.ask(at('/review'), { key: ann.key })).headers.get('etag') ?? '';
    for (const [rank, right] of ['view', 'comment', 'edit'].entries()) {
      const made = await linkTo(right);
      expect(validator(NewReviewLink).issues(made)).toEqual([]);
      const { token, url } = made;
      expect(url).toBe(`http://localhost:3000/app#/shared/${token}`);
      expect(await (await app.ask('/review-link', { key: token })).json()).toMatchObject({
        id: made.id,
        runId,
        right,
      });
      for (const part of READS) {
        expect([part, (await app.ask(at(part), { key: token })).status]).toEqual([part, 200]);
        const elsewhere = app.ask(other.at(part), { key: token });
        expect(await told(elsewhere)).toBe('401 invalid_credential');
      }
      const added = await send('POST', at('/comments'), token, comment);
      expect(added.status).toBe(rank >= 1 ? 201 : 403);
      const saved = await send('PUT', at('/review'), token, review, { 'if-match': etag });
      expect(saved.status).toBe(rank >= 2 ? 200 : 403);
      // Only with the version that was seen, like anybody else.
      if (rank >= 2) expect((await send('PUT', at('/review'), token, { cues })).status).toBe(428);
    }
  });

  test('shows the result without the payloads of a provider, however long it is', async () => {
    const { runId, at, linkTo } = await sharedRun();
    const { token } = await linkTo('edit');
    const whole = await (await app.ask(at(), { key: ann.key })).json();
    for (const length of [10, 100_000]) {
      const raw = { deepgram: 'x'.repeat(length) };
      const result = JSON.stringify({ ...whole.envelope.result, raw });
      await database.updateTable('runs').set({ result }).where('id', '=', runId).execute();
      const shown = await (await app.ask(at(), { key: token })).json();
      expect(shown).toEqual(whole);
    }
  });

  test('is no key: every other route answers as to an unknown one', async () => {
    const { runId, linkTo } = await sharedRun();
    const { token } = await linkTo('edit');
    const accepted: string[] = [];
    for (const [path, item] of Object.entries(paths())) {
      for (const [method, { security }] of Object.entries<Any>(item as Any)) {
        if (!security?.some((one: Any) => 'bearer' in one)) continue;
        if (security.some((one: Any) => 'reviewLink' in one)) {
          accepted.push(`${method} ${path}`);
          continue;
        }
        const at = path.replace('{runId}', runId).replaceAll(/\{\w+\}/g, 'x');
        const { status } = await send(method.toUpperCase(), at, token);
        expect([method, path, status]).toEqual([method, path, 401]);
      }
    }
    expect(accepted.toSorted()).toEqual([
      'get /review-link',
      'get /workflows/captioner/{runId}',
      'get /workflows/captioner/{runId}/captions.{format}',
      'get /workflows/captioner/{runId}/comments',
      'get /workflows/captioner/{runId}/comments.csv',
      'get /workflows/captioner/{runId}/links/{linkId}/sound',
      'get /workflows/captioner/{runId}/measurements',
      'get /workflows/captioner/{runId}/measurements/{measurementId}',
      'get /workflows/captioner/{runId}/measurements/{measurementId}/captions.srt',
      'get /workflows/captioner/{runId}/media',
      'get /workflows/captioner/{runId}/report.html',
      'get /workflows/captioner/{runId}/report.json',
      'get /workflows/captioner/{runId}/report.pdf',
      'get /workflows/captioner/{runId}/review',
      'get /workflows/captioner/{runId}/review-state',
      'get /workflows/captioner/{runId}/sound',
      'get /workflows/captioner/{runId}/speakers',
      'get /workflows/captioner/{runId}/video',
      'patch /workflows/captioner/{runId}/comments/{commentId}',
      'post /workflows/captioner/{runId}/comments',
      'put /workflows/captioner/{runId}/review',
      'put /workflows/captioner/{runId}/speakers',
    ]);
  });

  test('is listed and seen again, and opens nothing once it is revoked', async () => {
    const { at, linkTo } = await sharedRun();
    const [one, two] = [await linkTo('view'), await linkTo('edit')];
    const links = async (): Promise<Any> => (await app.ask(at('/links'), { key: ann.key })).json();
    const found = await links();
    expect(validator(ReviewLinkList).issues(found)).toEqual([]);
    expect(new Set(found.links.map(({ id }: Any) => id))).toEqual(new Set([one.id, two.id]));
    const urls = found.links.map(({ url }: Any) => url);
    expect(new Set(urls)).toEqual(new Set([one.url, two.url]));
    const revoked = await send('DELETE', at(`/links/${one.id}`), ann.key);
    expect(revoked.status).toBe(204);
    expect(await told(app.ask(at(), { key: one.token }))).toBe('401 invalid_credential');
    expect((await app.ask(at(), { key: two.token })).status).toBe(200);
    expect((await send('DELETE', at(`/links/${one.id}`), ann.key)).status).toBe(404);
    expect((await links()).links).toMatchObject([{ id: two.id }]);
    // The log names links and what they did, and holds no token.
    const audited = app.log().filter(({ level }) => level === 'audit');
    for (const line of [
      { event: 'review_link_made', linkId: one.id, right: 'view' },
      { event: 'review_link_revoked', linkId: one.id },
      { keyId: two.id, ownerType: 'link', outcome: 'allowed' },
    ]) {
      expect(audited).toContainEqual(expect.objectContaining(line));
    }
    expectNoSecrets(JSON.stringify(app.log()), [one.token, two.token]);
    const stored = await database.selectFrom('review_links').selectAll().execute();
    expectNoSecrets(JSON.stringify(stored), [two.token]);
  });

  test('belongs to its workspace, needs captions, and is bounded', async () => {
    const { at, linkTo, runId } = await sharedRun();
    const bob = await app.signUp('bob@example.com');
    const made = await linkTo('view');
    for (const [method, part, body] of [
      ['GET', '/links', undefined],
      ['POST', '/links', { right: 'view' }],
      ['DELETE', `/links/${made.id}`, undefined],
      ['GET', '/comments', undefined],
    ] as const) {
      expect((await send(method, at(part), bob.key, body)).status).toBe(404);
    }
    const odd = [0, 91].map((days) => ({ right: 'view', days }));
    for (const body of [{}, { right: 'own' }, ...odd]) {
      expect((await send('POST', at('/links'), ann.key, body)).status).toBe(422);
    }
    for (let count = 1; count < LINK.maxLinks; count += 1) await linkTo('view', 90);
    const full = await send('POST', at('/links'), ann.key, { right: 'view' });
    expect(await told(full)).toBe('409 too_many_links');
    await database.updateTable('runs').set({ state: 'failed' }).where('id', '=', runId).execute();
    await send('DELETE', at(`/links/${made.id}`), ann.key);
    const early = await send('POST', at('/links'), ann.key, { right: 'view' });
    expect(await told(early)).toBe('409 captions_not_ready');
  });

  test('is not guessed: its client soon has to wait, and those with a valid one do not', async () => {
    const { at, linkTo } = await sharedRun();
    const { token } = await linkTo('view');
    const tried: string[] = [];
    for (let count = 0; count < 300; count += 1) {
      const key = token.slice(0, -3) + String(count).padStart(3, '0');
      const refused = await app.ask(at('/review'), { key });
      if (refused.status === 429) {
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      tried.push(await told(refused));
    }
    const first = tried.filter((one) => one === '401 invalid_credential').length;
    expect(first).toBeWithin(1, LINK.wrongPerClient + 1);
    expect(tried.slice(first)).toEqual(Array(300 - first).fill('429 rate_limited'));
    expect((await app.ask(at(), { key: token })).status).toBe(200);
    expect((await app.ask(at(), { key: ann.key })).status).toBe(200);
  });
});

describe('the sound of a link', () => {
  const mp3 = new Uint8Array(fixture('mono-16k.mp3'));
  const { audio } = app.services;
  const stored = async () => (await Array.fromAsync(audio.list())).length;
  const used = async () => {
    const rows = await database.selectFrom('audio_usage').select(['bytes', 'expires_at']).execute();
    return rows.reduce((sum, { bytes }) => sum + bytes, 0);
  };
  const put = (at: string, key: string, body: BodyInit = mp3, headers = {}) =>
    app.ask(at, { method: 'PUT', key, body, headers });

  test('is heard by its guests alone, whole or in parts, until it is deleted', async () => {
    const { at, linkTo } = await sharedRun();
    const bob = await app.signUp('bob@example.com');
    const [one, two] = [await linkTo('view'), await linkTo('edit')];
    const sound = at(`/links/${one.id}/sound`);
    expect(one.soundBytes).toBeNull();
    expect(await told(app.ask(sound, { key: one.token }))).toBe('404 sound_not_found');
    const kept = await put(sound, ann.key);
    expect(await kept.json()).toMatchObject({ id: one.id, soundBytes: mp3.length });
    const { links } = await (await app.ask(at('/links'), { key: ann.key })).json();
    const sizes = Object.fromEntries(links.map(({ id, soundBytes }: Any) => [id, soundBytes]));
    expect(sizes).toEqual({ [one.id]: mp3.length, [two.id]: null });
    for (const key of [one.token, ann.key]) {
      const heard = await app.ask(sound, { key, headers: { 'accept-encoding': 'gzip' } });
      expect([heard.status, heard.headers.get('content-encoding')]).toEqual([200, null]);
      expect(heard.headers.get('content-type')).toBe('audio/mpeg');
      expect(await heard.bytes()).toEqual(mp3);
    }
    const part = await app.ask(sound, { key: one.token, headers: { range: 'bytes=100-299' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 100-299/${mp3.length}`);
    expect(await part.bytes()).toEqual(mp3.slice(100, 300));
    const past = { range: `bytes=${mp3.length}-` };
    expect((await app.ask(sound, { key: one.token, headers: past })).status).toBe(416);
    // Another link of the run, another workspace, nobody.
    expect(await told(app.ask(sound, { key: two.token }))).toBe('404 link_not_found');
    expect((await app.ask(sound, { key: bob.key })).status).toBe(404);
    expect((await app.ask(sound)).status).toBe(401);
    for (const [key, status] of [
      [two.token, 401],
      [one.token, 401],
      [bob.key, 404],
    ] as const) {
      expect((await put(sound, key)).status).toBe(status);
      expect((await send('DELETE', sound, key)).status).toBe(status);
    }
    // No route of recordings knows it: not by its key, nor in a list.
    const { key } = linkSoundName(ann.organizationId, one.id);
    const path = `/audio/${encodeURIComponent(key)}`;
    expect(await told(put(path, ann.key))).toBe('400 invalid_key');
    expect(await told(send('DELETE', path, ann.key))).toBe('400 invalid_key');
    const start = await send('POST', '/workflows/captioner', ann.key, { audio: { key } });
    expect(start.status).toBe(422);
    const archive = await app.ask('/workspace/export', { key: ann.key });
    const files = Buffer.from(Bun.gunzipSync(await archive.bytes())).toString('latin1');
    expect(files).toContain(`"sound_bytes": ${mp3.length}`);
    expect(files).not.toContain(Buffer.from(mp3.slice(500, 600)).toString('latin1'));
    const bytes = await used();
    expect((await send('DELETE', sound, ann.key)).status).toBe(204);
    expect(await used()).toBe(bytes - mp3.length);
    expect(await told(app.ask(sound, { key: one.token }))).toBe('404 sound_not_found');
    expect((await send('DELETE', sound, ann.key)).status).toBe(404);
    const audited = app.log().filter(({ level }) => level === 'audit');
    for (const event of ['review_sound_stored', 'review_sound_deleted']) {
      expect(audited).toContainEqual(expect.objectContaining({ event, linkId: one.id }));
    }
    expectNoSecrets(JSON.stringify(app.log()), [one.token, key]);
  });

  test('is an upload like any other: MP3 alone, by keys that may upload', async () => {
    const { at, linkTo } = await sharedRun();
    const { id } = await linkTo('view');
    const sound = at(`/links/${id}/sound`);
    const before = await stored();
    const text = new TextEncoder().encode('this is no MP3 '.repeat(500));
    const typed = (name: string, value: string) => put(sound, ann.key, mp3, { [name]: value });
    for (const refused of [
      put(sound, ann.key, text),
      put(sound, ann.key, new Uint8Array()),
      typed('content-type', 'audio/wav'),
      typed('content-encoding', 'gzip'),
    ]) {
      expect(await told(refused)).toBe('415 mp3_required');
    }
    expect((await typed('content-length', String(101 * 2 ** 20))).status).toBe(413);
    const cut = typed('content-length', String(mp3.length + 1));
    expect(await told(cut)).toBe('400 incomplete_upload');
    const reader = await app.signUp('reader@example.com', ['captioner:caption:run']);
    expect((await put(sound, reader.key)).status).toBe(403);
    expect(await told(put(at('/links/lnk_none/sound'), ann.key))).toBe('404 link_not_found');
    expect(await stored()).toBe(before);
  });

  test('counts as a recording, and ends with its link or its run', async () => {
    const { at, linkTo, runId } = await sharedRun();
    const before = [await stored(), await used()];
    const links = [await linkTo('view'), await linkTo('view'), await linkTo('view')];
    for (const { id } of links) await put(at(`/links/${id}/sound`), ann.key);
    expect([await stored(), await used()]).toEqual([before[0]! + 3, before[1]! + 3 * mp3.length]);
    // Recordings expire; these stay as long as their link.
    await audio.expire(Date.now() + 1000, await soundsInUse(database));
    expect(await stored()).toBe(3);
    await send('DELETE', at(`/links/${links[0]!.id}`), ann.key);
    const [, second] = links;
    const asked = await app.ask(at(`/links/${second!.id}/sound`), { key: second!.token });
    expect(asked.status).toBe(200);
    await asked.arrayBuffer();
    const over = { expires_at: Date.now() };
    await database.updateTable('review_links').set(over).where('id', '=', second!.id).execute();
    const late = await app.ask(at(`/links/${second!.id}/sound`), { key: second!.token });
    // Or 429, after the guesses of this client.
    expect([401, 429]).toContain(late.status);
    await forgetLinks(database, audio, Date.now());
    expect(await stored()).toBe(1);
    expect((await send('DELETE', `/workflows/captioner/${runId}/data`, ann.key)).status).toBe(200);
    expect([await stored(), await used()]).toEqual([0, 0]);
  });

  test('of a link that is revoked while it arrives is not kept', async () => {
    const { at, linkTo } = await sharedRun();
    const { id } = await linkTo('view');
    const before = await stored();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(mp3.slice(0, 4096));
        await send('DELETE', at(`/links/${id}`), ann.key);
        controller.enqueue(mp3.slice(4096));
        controller.close();
      },
    });
    const headers = { 'content-type': 'audio/mpeg' };
    const late = await put(at(`/links/${id}/sound`), ann.key, body, headers);
    expect(await told(late)).toBe('404 link_not_found');
    expect(await stored()).toBe(before);
  });

  test('that has no space is refused with what makes some, which no run does', async () => {
    const { at, linkTo } = await sharedRun();
    const { id } = await linkTo('view');
    const none = { organization_id: ann.organizationId, kind: 'recordings' as const, bytes: 0 };
    await database.insertInto('workspace_quotas').values(none).execute();
    const refused = await put(at(`/links/${id}/sound`), ann.key);
    await database.deleteFrom('workspace_quotas').execute();
    const { error } = await refused.json();
    expect([refused.status, error.code]).toEqual([429, 'quota_exceeded']);
    expect(error.message).toContain('Delete the sound of links');
    expect(error.message).not.toContain('Start runs');
  });

  test('is given to so many guests at once', async () => {
    const { at, linkTo } = await sharedRun();
    const { id, token } = await linkTo('view');
    // More than is sent ahead of a reader.
    await put(
      at(`/links/${id}/sound`),
      ann.key,
      Buffer.concat(Array.from({ length: 64 }, () => mp3)),
    );
    const ask = () => app.ask(at(`/links/${id}/sound`), { key: token });
    const open = await Promise.all(Array.from({ length: 9 }, ask));
    expect(open.filter(({ status }) => status === 429)).toHaveLength(1);
    await Promise.all(open.map((one) => one.body?.cancel()));
    await until(async () => {
      const next = await ask();
      await next.body?.cancel();
      return next.status === 200;
    });
  });
});

describe('comments', () => {
  test('are answered, settled, listed by those who may read, and deleted by a key alone', async () => {
    const { at, linkTo, listed, runId } = await sharedRun();
    const { token, id: linkId } = await linkTo('comment');
    const before = await keptBytesOf(database, runId);
    const add = async (key: string, body: object): Promise<Any> =>
      (await send('POST', at('/comments'), key, body)).json();
    const one = await add(token, { name: ' Quill ', at: 723.00049, text: 'it is Quilter\n' });
    expect(one).toMatchObject({ name: 'Quill', at: 723, text: 'it is Quilter', linkId });
    const two = await add(ann.key, { name: 'Ann', parentId: one.id, text: 'Thank you.' });
    expect(two).toMatchObject({ parentId: one.id, at: 723, linkId: null, settled: false });
    const page = await app.ask(at('/comments'), { key: token });
    const etag = page.headers.get('etag') ?? '';
    const list = await page.json();
    expect(validator(ReviewCommentList).issues(list)).toEqual([]);
    expect(list.comments).toEqual([one, two]);
    const again = () =>
      app.ask(at('/comments'), { key: token, headers: { 'if-none-match': etag } });
    expect((await again()).status).toBe(304);
    const settled = await send('PATCH', at(`/comments/${one.id}`), token, { settled: true });
    expect(await settled.json()).toEqual({ ...one, settled: true });
    expect((await again()).status).toBe(200);
    for (const id of [two.id, 'cmt_none']) {
      const odd = await send('PATCH', at(`/comments/${id}`), token, { settled: true });
      expect(await told(odd)).toBe('404 comment_not_found');
    }
    const refused = await send('DELETE', at(`/comments/${one.id}`), token);
    expect(refused.status).toBe(401);
    expect((await send('DELETE', at(`/comments/${one.id}`), ann.key)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect(await keptBytesOf(database, runId)).toBe(before);
  });

  test('are refused if they are empty, too long, or without a place', async () => {
    const { at } = await sharedRun();
    const { at: other } = await sharedRun();
    const fine = { name: 'Ann', text: 'Here.', at: 1 };
    const one = await (await send('POST', at('/comments'), ann.key, fine)).json();
    const answer = { name: 'Ann', text: 'Yes.', parentId: one.id };
    const two = await (await send('POST', at('/comments'), ann.key, answer)).json();
    for (const [status, ...bodies] of [
      [422, ...[' \n ', 'x'.repeat(2001), 'a\u0000b'].map((text) => ({ ...fine, text }))],
      [422, { ...fine, name: '' }, { ...fine, name: 'x'.repeat(81) }, { ...fine, at: -1 }],
      [422, { name: 'Ann', text: 'Where?' }, { ...answer, at: 1 }, { ...fine, to: 'x' }],
      [404, { ...answer, parentId: 'cmt_none' }, { ...answer, parentId: two.id }],
    ] as [number, ...object[]][]) {
      for (const body of bodies) {
        const refused = await send('POST', at('/comments'), ann.key, body);
        expect([body, refused.status]).toEqual([body, status]);
      }
    }
    expect((await send('POST', other('/comments'), ann.key, answer)).status).toBe(404);
  });

  test.each(['=Quill', '＝1', '－1', '＋1', '＠x'])(
    'are a table for spreadsheets that evaluates nothing: %s',
    async (sign) => {
      const { at } = await sharedRun();
      const said = { name: sign, at: 723, text: 'say "Quilter",\nplease' };
      const one = await (await send('POST', at('/comments'), ann.key, said)).json();
      const table = await app.ask(at('/comments.csv'), { key: ann.key });
      expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(await table.text()).toBe(
        `time,name,comment,settled,written,id,answers\r\n00:12:03.000,'${sign},"say ""Quilter"",\nplease",no,${one.createdAt},${one.id},\r\n`,
      );
    },
  );

  test('are sent to the webhooks of the workspace', async () => {
    const { at, runId } = await sharedRun();
    const hook = { url: 'https://hooks.example/comments', events: ['review.comment.created'] };
    const { id } = await (await send('POST', '/webhooks', ann.key, hook)).json();
    const said = { name: 'Quill', at: 723, text: 'it is Quilter' };
    const comment = await (await send('POST', at('/comments'), ann.key, said)).json();
    const { body } = await database
      .selectFrom('webhook_deliveries')
      .select('body')
      .where('webhook_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(body)).toMatchObject({
      type: 'review.comment.created',
      data: { runId, comment },
    });
  });
});

await onEachDatabase((title, each) => {
  describe(`on ${title}`, () => {
    test('links expire, and go with their comments when their run does', async () => {
      let now = Date.now();
      const clock = () => now;
      const links = createReviewLinks(
        each,
        (token) => Buffer.from(`hash of ${token}`).toString('hex'),
        clock,
      );
      const comments = createReviewComments(each, clock);
      const organizationId = newWorkspace();
      const { runId: id } = await completedRun(each, organizationId, spoken('Hello there.'));
      const run = { id, organizationId };
      const short = (await links.create(run, 'key_1', { right: 'view', days: 1 }))!;
      const long = (await links.create(run, 'key_1', { right: 'edit' }))!;
      expect(await links.find(short.token)).toEqual(short);
      now += 24 * 3_600_000;
      expect(await links.find(short.token)).toBeNull();
      expect(await links.list(id)).toEqual([{ ...long, people: [] }]);
      // One sound of the link that goes now, one that a process left which died, one of a link that stays.
      const sounds = [short.id, 'lnk_gone', long.id].map((linkId) => {
        const { key } = linkSoundName(organizationId, linkId);
        return { id: `object of ${linkId}`, workspace: 'w', bytes: 1, key };
      });
      await each.insertInto('audio_usage').values(sounds).execute();
      expect(await links.setSound(long.id, 1)).toBe(true);
      expect(await links.setSound(short.id, 1)).toBe(false);
      const gone: string[] = [];
      const audio = { delete: async (of: string, key: string) => gone.push(`${of} ${key}`) > 0 };
      await forgetLinks(each, audio, now);
      expect(new Set(gone)).toEqual(
        new Set(sounds.slice(0, 2).map(({ key }) => `${organizationId} ${key}`)),
      );
      expect(await soundsInUse(each)).toContainEqual(linkSoundName(organizationId, long.id));
      const rows = each.selectFrom('review_links').select('id').where('run_id', '=', id);
      expect(await rows.execute()).toEqual([{ id: long.id }]);
      now += 6 * 24 * 3_600_000;
      expect(await links.find(long.token)).toBeNull();
      // Many at the same instant are all read, in order, and counted.
      const made = [];
      for (let count = 0; count < LINK.maxComments; count += 1) {
        made.push(await comments.add(run, null, { name: 'Ann', at: 1, text: `No. ${count}` }));
      }
      expect((await Array.fromAsync(comments.pages(id))).flat()).toEqual(made as ReviewComment[]);
      const more = { name: 'Ann', at: 1, text: 'One more.' };
      expect(await comments.add(run, null, more)).toBe('too-many');
      await each.deleteFrom('runs').where('id', '=', id).execute();
      expect(await rows.execute()).toEqual([]);
      expect(await Array.fromAsync(comments.pages(id))).toEqual([]);
      expect(await comments.add(run, null, more)).toBe('no-run');
    });
  });
});
