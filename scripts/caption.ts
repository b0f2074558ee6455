/** `npm run caption -- talk.mp3 [-o talk.srt]`: the pipeline from the shell. */
import { basename, extname } from 'node:path';
import { toSrt } from '../server/captions/srt.ts';
import { toPlainText } from '../server/captions/text.ts';
import { toVtt } from '../server/captions/vtt.ts';
import { readConfig } from '../server/config.ts';
import {
  resolvePayload,
  type CaptionerPayload,
  type CaptionerRequest,
} from '../server/contract/payload.ts';
import type { CaptionerCompletedResult } from '../server/contract/results.ts';
import { validator } from '../server/contract/schema.ts';
import { AcceptedPayload } from '../server/pipeline/providers.ts';
import { SPEECH_NAMES } from '../server/speech/registry.ts';
import { captionsFile } from './captions-file.ts';
import { CommandFailure, runCommand, UsageError, type Given } from './command-line.ts';
import { fromHere } from './places.ts';
import { fileAudio, requireMp3 } from './recording.ts';
import { say } from './terminal.ts';

const WRITERS: Record<string, (result: CaptionerCompletedResult) => string> = {
  srt: (result) => toSrt(result.captions.cues),
  vtt: (result) => toVtt(result.captions.cues),
  txt: (result) => toPlainText(result.captions.cues),
  json: (result) => `${JSON.stringify(result, null, 2)}\n`,
};
const FORMATS = Object.keys(WRITERS);

const OPTIONS = {
  output: {
    short: 'o',
    value: 'FILE',
    says: 'Write the captions to this file (default, or with -: standard output)',
  },
  format: {
    short: 'f',
    value: 'FORMAT',
    says: 'The format of the captions (default: the extension of the output file, or srt)',
    oneOf: FORMATS,
  },
  language: {
    short: 'l',
    value: 'TAG',
    says: 'The spoken language, such as de or pt-BR',
    default: 'en',
  },
  topic: { short: 't', value: 'TEXT', says: 'The topic of the talk, which selects term packs' },
  glossary: {
    short: 'g',
    value: 'TERMS',
    says: 'Names and terms in the talk, separated by commas',
  },
  provider: {
    short: 'p',
    value: 'NAME',
    says: 'The transcription provider; edge is this machine, or the server in EDGE_SPEECH_URL',
    oneOf: SPEECH_NAMES,
    default: 'edge',
  },
  model: {
    short: 'm',
    value: 'NAME',
    says: 'The speech model (default: the one for the language)',
  },
};

const COMMAND = {
  name: 'caption',
  says: 'Captions an MP3 on this machine.',
  uses: [
    { line: 'talk.mp3', says: 'Prints SRT captions' },
    { line: 'talk.mp3 -o talk.vtt', says: 'Writes WebVTT captions to a file' },
  ],
  options: OPTIONS,
  notes: [
    'Progress goes to standard error. The recording is never changed or deleted.',
    "npm prints the command it runs to standard output: use -o, or npm's --silent before the name.",
  ],
};

/** Names of standard output, which cannot be opened as a file if it is a socket. */
const STDOUT = new Set(['-', '/dev/stdout']);

const payloads = validator(AcceptedPayload);

/** The request of a run, within the contract's limits as over HTTP. */
function requestOf(file: string, { options }: Given<typeof OPTIONS>): CaptionerRequest {
  const name = basename(file);
  const payload = {
    // The service accepts no other extension; the file's content has already been checked.
    audio: { key: name.endsWith('.mp3') ? name : `${name}.mp3`, filename: name },
    language: options.language,
    transcription: {
      provider: options.provider,
      ...(options.model ? { model: options.model } : {}),
    },
    storage: { retainSourceAudio: true },
    ...(options.topic ? { topic: options.topic } : {}),
    ...(options.glossary ? { glossary: options.glossary } : {}),
  };
  const [fault] = payloads.faults(payload);
  if (fault) throw new UsageError(`${fault.path}: ${fault.message}`);
  return resolvePayload(payload as CaptionerPayload);
}

async function caption(given: Given<typeof OPTIONS>): Promise<void> {
  const { options } = given;
  const [file, ...more] = given.words.map(fromHere);
  if (file === undefined) throw new UsageError('Which recording?');
  if (more.length > 0) throw new UsageError('Only one recording at a time.');
  const format = formatOf(options);
  const config = readConfig({
    ...process.env,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
  });
  const request = requestOf(file, given);
  await requireMp3(file);
  const named = STDOUT.has(options.output ?? '') ? undefined : options.output;
  const output = named ? await captionsFile(fromHere(named), file) : null;
  // The rest takes a second to load, and help and errors do not need it.
  const { prepareSpeech } = await import('./speech-engine.ts');
  await prepareSpeech(config, request);
  const { transcribe } = await import('./transcribe.ts');
  const result = await transcribe(config, await fileAudio(file), request);
  if (result.status === 'blocked') {
    throw new CommandFailure('Moderation blocked this recording: no captions were made.');
  }
  if (result.status === 'failed') {
    const { message, suggestions } = result.error;
    throw new CommandFailure([message, ...suggestions.map(({ label }) => `- ${label}`)].join('\n'));
  }
  const text = (WRITERS[format] ?? WRITERS['json']!)(result);
  if (output) await output.write(text);
  else await printed(text);
  const { score, summary } = result.quality.captions;
  say(`${summary.cueCount} cues, quality ${score.toFixed(2)}, ${summary.warningCount} warnings`);
}

function formatOf({ format, output }: Given<typeof OPTIONS>['options']): string {
  if (format) return format;
  const ending = extname(output ?? '')
    .slice(1)
    .toLowerCase();
  if (ending === '') return 'srt';
  if (FORMATS.includes(ending)) return ending;
  throw new UsageError(
    `.${ending} is not a caption format; choose one with --format: ${FORMATS.join(', ')}.`,
  );
}

/** Standard output may be a slow pipe. */
const printed = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

await runCommand(COMMAND, caption);
