/** `captioner verify report.json captions.srt`. */
import { afterAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedReport, signingKey } from '../../server/evidence/signature.ts';
import { reportNaming } from '../evidence/support.ts';
import { root } from '../support/checkout.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { spawned } from './support.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

test('a report and its captions are checked without a service', async () => {
  const srt = '1\n00:00:00,000 --> 00:00:02,000\nHello, world.\n';
  const sha256 = createHash('sha256').update(srt).digest('hex');
  const report = reportNaming(sha256);
  const key = await signingKey('1'.repeat(64));
  const signed = await signedReport(report, key);
  await writeFile(join(folder, 'report.json'), signed);
  await writeFile(join(folder, 'forged.json'), signed.replace('"srt"', '"vtt"'));
  await writeFile(join(folder, 'captions.srt'), srt);
  await writeFile(join(folder, 'changed.srt'), srt.replace('world', 'word'));
  const verify = (...words: string[]) => {
    const command = [process.execPath, join(root, 'scripts/verify-report.ts'), ...words];
    return spawned(command, folder, { PATH: process.env['PATH'] ?? '', INIT_CWD: folder });
  };
  const [good, earlier, forged, stranger] = await Promise.all([
    verify('report.json', 'captions.srt', '--key', key.publicKey),
    verify('report.json', 'changed.srt'),
    verify('forged.json'),
    verify('report.json', '--key', '0'.repeat(64)),
  ]);
  expect(good.code).toBe(0);
  expect(good.out + good.err).toContain('captions.srt is the file that the report names.');
  expect(earlier.code).not.toBe(0);
  expect(earlier.err).toContain('for an earlier version');
  expect(forged.code).not.toBe(0);
  expect(forged.err).toContain('the report was changed');
  expect(stranger.code).not.toBe(0);
  expect(stranger.err).toContain('another key');
});
