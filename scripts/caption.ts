/** `npm run caption -- talk.mp3 [-o talk.srt]`: the pipeline from the shell. */
import { basename, extname } from 'node:path';
import { toSrt } from '../server/captions/srt.ts';
import { toPlainText } from '../server/captions/text.ts';
import { toVtt } from '../server/captions/vtt.ts';
import { readConfig } from '../server/config.ts';
import {
  CaptionerPayload,
  resolvePayload,
  SPEECH_PROVIDERS,
  type CaptionerRequest,
} from '../server/contract/payload.ts';
import type { CaptionerCompletedResult } from '../server/contract/results.ts';
import { validator } from '../server/contract/schema.ts';
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
    says: 'Write the captions to this file; without it, or with -, to standard output',
  },
  format: {
    short: 'f',
    value: 'FORMAT',
    says: 'The form of the captions; without it the ending of the output file decides, else srt',
    oneOf: FORMATS,
  },
  language: {
    short: 'l',
    value: 'TAG',
    says: 'The language that is spoken, such as de or pt-BR',
    default: 'en',
  },
  topic: { short: 't', value: 'TEXT', says: 'What the talk is about: it chooses packs of terms' },
  glossary: {
    short: 'g',
    value: 'TERMS',
    says: 'Names and terms that are spoken, with commas between them',
  },
  provider: {
    short: 'p',
    value: 'NAME',
    says: 'Who transcribes; edge is this machine, or what EDGE_SPEECH_URL names',
    oneOf: SPEECH_PROVIDERS,
    default: 'edge',
  },
  model: {
    short: 'm',
    value: 'NAME',
    says: 'The speech model; without it the one that suits the language',
  },
};

const COMMAND = {
  name: 'caption',
  says: 'Makes captions of an MP3 on this machine.',
  uses: [
    { line: 'talk.mp3', says: 'Prints SRT captions' },
    { line: 'talk.mp3 -o talk.vtt', says: 'Writes WebVTT captions to a file' },
  ],
  options: OPTIONS,
  notes: [
    'Progress goes to standard error. The recording is never changed or deleted.',
    "npm prints what it runs on standard output: take -o, or npm's own --silent before the name.",
  ],
};

/** Names of standard output; as a file it cannot be opened where it is a socket. */
const STDOUT = new Set(['-', '/dev/stdout']);

const payloads = validator(CaptionerPayload);

/** The request of a run, held to the contract's bounds as one over HTTP is. */
function requestOf(file: string, { options }: Given<typeof OPTIONS>): CaptionerRequest {
  const name = basename(file);
  const payload = {
    // The service takes no other ending; what is in the file has been looked at.
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
  if (more.length > 0) throw new UsageError('One recording at a time.');
  const format = formatOf(options);
  const config = readConfig({
    ...process.env,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
  });
  const request = requestOf(file, given);
  await requireMp3(file);
  const named = STDOUT.has(options.output ?? '') ? undefined : options.output;
  const output = named ? await captionsFile(fromHere(named), file) : null;
  // What follows takes a second to load: help and refusals do without it.
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
    `.${ending} is no form of captions; name one with --format: ${FORMATS.join(', ')}.`,
  );
}

/** Standard output may be a pipe that takes its time. */
const printed = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

await runCommand(COMMAND, caption);
