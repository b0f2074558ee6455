/** Caption files that are sent are converted in the pool, with a report of what was not read and what is lost. */
import { expect, test } from 'bun:test';
import { framesOf } from '../../server/http/runs/frames-query.ts';
import { readCaptionFile } from '../../server/captions/files/read-write.ts';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const convert = (query: string, body: string | Uint8Array): Promise<Response> =>
  app.ask(`/captions/convert?${query}`, {
    key: ann.key,
    method: 'POST',
    body: body as BodyInit,
    headers: { 'content-type': 'application/octet-stream' },
  });

const SRT = 'note\n\n1\n10:00:01,000 --> 10:00:02,000\n<i>Hi</i>\n';

test('a file is converted to a binary one and back, with its times moved', async () => {
  const made = await convert('to=stl&rate=25&offset=-10:00:00:00', SRT);
  expect([made.status, made.headers.get('captioner-conversion')]).toEqual([
    200,
    'from=srt; captions=1; unread=1; lost=0',
  ]);
  const bytes = new Uint8Array(await made.arrayBuffer());
  expect((await readCaptionFile(bytes))?.cues[0]).toMatchObject({ start: 1, lines: ['<i>Hi</i>'] });
  const back = await convert('to=vtt', bytes);
  expect(back.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  expect(await back.text()).toContain('00:00:01.000 --> 00:00:02.000');
});

test('the report lists each line and each loss', async () => {
  const report: Any = await (await convert('to=sbv&report=true', SRT)).json();
  expect(report).toMatchObject({ from: 'srt', encoding: 'utf-8', captions: 1 });
  expect(report.unread).toEqual([{ line: 1, text: 'note', reason: 'there are no times above it' }]);
  expect(report.lost[0].message).toContain('italics');
});

test.each([
  ['to=srt', 'no captions', ''],
  ['to=srt&offset=soon', SRT, 'offset'],
  ['to=srt&rate=999', SRT, 'rate'],
])('%s with %j is refused with the field', async (query, body, path) => {
  const refused = await convert(query, body);
  expect(refused.status).toBe(422);
  expect(JSON.stringify(await refused.json())).toContain(`"path":"${path}"`);
});

test('an unknown format and a missing key are refused', async () => {
  expect((await convert('to=doc', SRT)).status).toBe(422);
  const anonymous = await app.ask('/captions/convert?to=srt', { method: 'POST', body: SRT });
  expect(anonymous.status).toBe(401);
});

test('the query of captions says how frames are counted, and where the programme begins', () => {
  expect(framesOf({ frameRate: '25', start: '10:00:00:00' })).toEqual({
    frameRate: 25,
    dropFrame: false,
    firstFrame: 900_000,
  });
  expect(framesOf({ frameRate: '29.97', start: '00:01:00;02' })).toMatchObject({
    dropFrame: true,
    firstFrame: 1800,
  });
  expect(() => framesOf({ frameRate: '25', start: '10:00:00:25' })).toThrow('start');
});
