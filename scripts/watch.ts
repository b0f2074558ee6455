/** `captioner watch recordings/ -o captions/`: captions the recordings of a folder as they arrive. */
import { stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingOf, type FormatId } from '../server/captions/files/formats.ts';
import {
  checkMemory,
  COMMAND,
  formatsOf,
  glossaryOf,
  languagesOf,
  namesOf,
  payloadOf,
  profileOptions,
  withNames,
} from './caption-options.ts';
import { planOutputs } from './caption-outputs.ts';
import { captionRecordings } from './caption-recordings.ts';
import { runCommand, UsageError, type Given } from './command-line.ts';
import { asTyped, fromHere } from './current-folder.ts';
import { keptWork } from './open-work.ts';
import { say } from './terminal.ts';
import { watchFolder } from './watch-folder.ts';

const { overwrite: _overwrite, json: _json, output: _output, ...COMMON } = COMMAND.options;

const WATCH = {
  name: 'watch',
  says: 'Captions the recordings of a folder as they arrive, until it is stopped.',
  uses: [
    { line: 'recordings/', says: 'Writes talk.srt beside talk.mp4' },
    { line: 'recordings/ -o captions/ -f srt,vtt', says: 'Writes the files to another folder' },
  ],
  options: {
    output: {
      short: 'o',
      value: 'FOLDER',
      says: 'The folder of the captions, with the subfolders of the recordings (default: beside them)',
    },
    every: { value: 'SECONDS', says: 'The time between two looks', default: '5' },
    settled: {
      value: 'SECONDS',
      says: 'How long a recording must not have changed',
      default: '10',
    },
    tries: { value: 'NUMBER', says: 'How often a recording is tried', default: '5' },
    ...COMMON,
  },
  notes: [
    'What was done is kept in .captioner-watch.json, in the folder of the captions or of the recordings. A recording that changes is captioned again. Captions that lay there before are not replaced. Of recordings that differ only in their ending, the later ones keep it: talk.wav.srt.',
  ],
};

/** A whole number of an option. @throws {UsageError} */
function numberOf(name: string, value = '', least = 0): number {
  const number = Number(value);
  if (/^\d{1,6}$/.test(value) && number >= least) return number;
  throw new UsageError(`--${name} takes a whole number from ${least}, not ${value}.`);
}

async function watch({ options, words }: Given<typeof WATCH.options>): Promise<void> {
  const [named, ...others] = words;
  if (named === undefined || others.length > 0) throw new UsageError('Name one folder to watch.');
  const folder = fromHere(named);
  if (!(await stat(folder).catch(() => null))?.isDirectory()) {
    throw new UsageError(`${asTyped(folder)} is not a folder.`);
  }
  const { output, every, settled, tries, ...rest } = options;
  const formats = formatsOf(rest);
  const languages = languagesOf(rest);
  checkMemory(rest, languages);
  const rules = await profileOptions(rest);
  const glossary = withNames(await glossaryOf(rest), await namesOf(rest));
  payloadOf('talk.mp3', rest, glossary);
  const target = output === undefined ? null : fromHere(output);
  const placeOf = (recording: string) =>
    target === null ? dirname(recording) : join(target, relative(folder, dirname(recording)));
  const { open } = keptWork();
  say(`Watching ${asTyped(folder)}.`);
  const task = {
    folder,
    output: target,
    everyMs: numberOf('every', every, 1) * 1000,
    settledMs: numberOf('settled', settled) * 1000,
    tries: numberOf('tries', tries, 1),
  };
  await watchFolder(task, {
    async caption(recording, name) {
      const recordings = [recording];
      const wanted = { recordings, formats, languages, overwrite: true, filesOnly: true, name };
      const outputs = await planOutputs({ ...wanted, output: `${placeOf(recording)}/` });
      await captionRecordings(
        { recordings, options: rest, glossary, rules, outputs },
        (first) => open(rest, first),
        () => {},
      );
      say(`${asTyped(recording)} is captioned.`);
    },
    resultsOf: (recording, name) =>
      formats.map((format) => {
        const ending = format === 'json' ? format : endingOf(format as FormatId);
        return join(placeOf(recording), `${name}.${ending}`);
      }),
    say,
    wait: (ms) => sleep(ms),
  });
}

await runCommand(WATCH, watch);
