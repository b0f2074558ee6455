/** `captioner verify report.json captions.srt`: checks a report on captions, on this machine and without any service. */
import { readFile, stat } from 'node:fs/promises';
import { REVIEW } from '../server/contract/limits.ts';
import { namesFile, readReport } from '../server/evidence/report-file.ts';
import { CommandFailure, type Given, runCommand, UsageError } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { say } from './terminal.ts';

const COMMAND = {
  name: 'verify',
  says: 'Checks the signature of a report on captions, and whether captions are those of the report.',
  uses: [
    { line: 'report.json', says: 'Checks the report' },
    { line: 'report.json captions.srt', says: 'Checks these captions (SRT or WebVTT) too' },
  ],
  options: {
    key: {
      value: 'KEY',
      says: 'The public key of the service, from its /.well-known/captioner-report-keys.json (kid)',
    },
  },
} as const;

async function bytesOf(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const path = fromHere(name);
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > REVIEW.maxBytes) throw new CommandFailure(`${asTyped(path)} is too large.`);
  const bytes = await readFile(path).catch(() => null);
  if (!bytes) throw new CommandFailure(`There is no file ${asTyped(path)}, or it cannot be read.`);
  return bytes;
}

async function verify({ options, words }: Given<typeof COMMAND.options>): Promise<void> {
  const [file, captions, ...more] = words;
  if (file === undefined || more.length > 0) throw new UsageError('Name the report.');
  const verified = await readReport(new TextDecoder().decode(await bytesOf(file)));
  if (verified.outcome === 'refused') throw new CommandFailure(verified.reason);
  const { publicKey, report } = verified;
  if (options.key !== undefined && options.key !== publicKey) {
    throw new CommandFailure(`The report is signed with another key: ${publicKey}`);
  }
  say(`The report is as it was signed on ${report.madeAt}.`);
  say(
    options.key === undefined
      ? `It is signed with the key ${publicKey}. Whether that is the service's key, nobody has checked: name it with --key.`
      : 'It is signed with the key that you named.',
  );
  if (captions === undefined) return;
  if (!(await namesFile(report, await bytesOf(captions)))) {
    throw new CommandFailure(
      `The report is for an earlier version: ${captions} is not the file that it names.`,
    );
  }
  say(`${captions} is the file that the report names.`);
}

await runCommand(COMMAND, verify);
