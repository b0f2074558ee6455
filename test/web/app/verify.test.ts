/** The screen on which anybody checks a signed report. */
import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../server/evidence/canonical-json.ts';
import { signedReport, signingKey } from '../../../server/evidence/signature.ts';
import { verifyText as says } from '../../../web/texts/evidence.ts';
import { reportNaming } from '../../evidence/support.ts';
import { all, one, openApp, until, visit } from './support/app.ts';
import { giveFiles } from './support/hands.ts';

const app = await openApp();
const SRT = '1\n00:00:00,000 --> 00:00:02,000\nHello, world.\n';
const report = reportNaming(createHash('sha256').update(SRT).digest('hex'));
const key = await signingKey('1'.repeat(64));
const signed = await signedReport(report, key);

const notices = () => all('.verify .notice').map((notice) => notice.textContent ?? '');
/** What the screen says about files, once it says a text. */
async function saying(wanted: string, files: Record<string, string>): Promise<string[]> {
  await visit('#/', '');
  await visit('#/verify', says.title);
  const chosen = Object.entries(files).map(([name, text]) => new File([text], name));
  await giveFiles(one('.verify input'), chosen);
  return until(wanted, () => notices().some((text) => text === wanted) && notices());
}

test.each([
  ['a report', { 'report.json': signed }, says.others(key.publicKey)],
  ['its captions', { 'report.json': signed, 'talk.srt': SRT }, says.same('talk.srt')],
  [
    'other captions',
    { 'talk.srt': SRT.replace('world', 'word'), 'report.json': signed },
    says.changed('talk.srt'),
  ],
  ['captions alone', { 'talk.srt': SRT }, says.noReport],
  ['a report without a figure', { 'report.json': signed }, says.unmeasured],
])('%s', async (_, files, wanted) => {
  expect(await saying(wanted, files)).toContain(wanted);
});

test('what is no report, or was changed, proves nothing', async () => {
  const other = await signedReport({ kind: 'captioner-report', points: 'many' }, key);
  for (const text of [
    signed.replace('Quilters', 'Quilter'),
    other,
    '{',
    canonicalJson({ report }),
  ]) {
    await visit('#/', '');
    await visit('#/verify', says.title);
    await giveFiles(one('.verify input'), [new File([text], 'r.json')]);
    await until('a refusal', () => notices().length > 0);
    expect(notices()).toHaveLength(1);
    expect(notices()[0]).toStartWith(says.refused('r.json', ''));
  }
});

test('a report of this service is recognised; offline, that is left open', async () => {
  app.interrupt(({ url }) =>
    url.endsWith('/captioner-report-keys.json')
      ? Response.json({ keys: [{ kid: key.publicKey }] })
      : null,
  );
  expect(await saying(says.ours, { 'report.json': signed })).toContain(says.talk('Quilters'));
  app.interrupt(({ url }) => {
    if (url.endsWith('/captioner-report-keys.json')) throw new TypeError('offline');
    return null;
  });
  await saying(says.unknown(key.publicKey), { 'report.json': signed });
  app.interrupt(null);
});
