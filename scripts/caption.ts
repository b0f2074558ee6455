/** `bun run caption talk.mp3 [-o talk.srt] [--format srt|vtt|txt|json]`: the pipeline from the shell. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { toSrt } from '../server/captions/srt.ts';
import { toPlainText } from '../server/captions/text.ts';
import { toVtt } from '../server/captions/vtt.ts';
import { readConfig } from '../server/config.ts';
import { StageFailure } from '../server/contract/failure.ts';
import { resolvePayload, SPEECH_PROVIDERS } from '../server/contract/payload.ts';
import type { CaptionerCompletedResult } from '../server/contract/results.ts';
import { createLog } from '../server/log.ts';
import type { RunAudio } from '../server/pipeline/services.ts';
import { captionRecording } from '../server/runs/captioner-run.ts';
import { createPipeline } from '../server/runs/pipeline-services.ts';
import { prepareSpeech } from './speech-engine.ts';
import { die, progressLine, say, STAGE_LABELS } from './terminal.ts';

const USAGE = `Usage: bun run caption talk.mp3 [-o talk.srt] [--format srt|vtt|txt|json]
                    [--language en] [--topic "..."] [--glossary "A, B"]
                    [--provider ${SPEECH_PROVIDERS.join('|')}] [--model ...]
Without -o the captions go to standard output.`;

const WRITERS: Record<string, (result: CaptionerCompletedResult) => string> = {
  srt: (result) => toSrt(result.captions.cues),
  vtt: (result) => toVtt(result.captions.cues),
  txt: (result) => toPlainText(result.captions.cues),
  json: (result) => `${JSON.stringify(result, null, 2)}\n`,
};

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      output: { type: 'string', short: 'o' },
      format: { type: 'string', short: 'f' },
      language: { type: 'string', short: 'l' },
      topic: { type: 'string', short: 't' },
      glossary: { type: 'string', short: 'g' },
      provider: { type: 'string', short: 'p', default: 'edge' },
      model: { type: 'string', short: 'm' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [file, ...more] = positionals;
  if (values.help) die(USAGE, 0);
  if (!file || more.length > 0) die(USAGE, 2);
  const format = values.format ?? (extname(values.output ?? '').slice(1) || 'srt');
  const write = WRITERS[format];
  if (!write) die(`The format ${format} is not known: srt, vtt, txt or json.`, 2);
  const provider = SPEECH_PROVIDERS.find((name) => name === values.provider);
  if (!provider) die(`--provider is one of ${SPEECH_PROVIDERS.join(', ')}.`, 2);
  return { ...values, file, write, provider };
}

/** A file on this machine as the recording of a run. It is never deleted. */
async function fileAudio(path: string): Promise<RunAudio> {
  const { size } = await stat(path).catch(() => die(`${path} cannot be read.`));
  return {
    key: basename(path),
    delete: async () => false,
    open: async () => ({
      version: 'file',
      source: {
        size,
        async *read(range = { start: 0, end: size }) {
          const file = await open(path);
          try {
            // The stream's end is inclusive.
            if (range.end > range.start) {
              yield* file.createReadStream({
                start: range.start,
                end: range.end - 1,
                autoClose: false,
              });
            }
          } finally {
            await file.close();
          }
        },
      },
    }),
  };
}

async function main(): Promise<void> {
  const options = readArguments();
  const config = readConfig({ ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error' });
  const audio = await fileAudio(options.file);
  const language = options.language ?? 'en';
  const prepares = options.provider === 'edge' && /^en\b/i.test(language);
  if (prepares && !(await prepareSpeech(config))) process.exit(1);

  const cancel = new AbortController();
  process.once('SIGINT', () =>
    cancel.abort(
      new StageFailure({
        code: 'cancelled',
        message: 'Cancelled.',
        retryable: false,
        suggestions: [],
      }),
    ),
  );
  const log = createLog(config.logLevel);
  const tempDir = await mkdtemp(join(tmpdir(), 'captioner-'));
  const { pipeline, close } = await createPipeline(config, {
    database: null,
    log,
    slots: config.speech.slots,
    tempDir,
  });
  const line = progressLine();
  const result = await captionRecording(
    pipeline,
    {
      runId: `run_${randomUUID()}`,
      createdAt: Date.now(),
      audio,
      request: resolvePayload({
        audio: { key: audio.key, filename: audio.key },
        language,
        transcription: {
          provider: options.provider,
          ...(options.model ? { model: options.model } : {}),
        },
        storage: { retainSourceAudio: true },
        ...(options.topic ? { topic: options.topic } : {}),
        ...(options.glossary ? { glossary: options.glossary } : {}),
      }),
    },
    {
      steps: { run: (_name, work) => work() },
      signal: cancel.signal,
      log,
      report: (stage, progress) => line.show(STAGE_LABELS[stage] ?? stage, progress),
    },
  );
  line.end();
  await close();
  await rm(tempDir, { recursive: true, force: true });
  if (result.status === 'blocked') die('Moderation blocked this recording: no captions were made.');
  if (result.status === 'failed') {
    die(
      [result.error.message, ...result.error.suggestions.map(({ label }) => `- ${label}`)].join(
        '\n',
      ),
    );
  }
  const text = options.write(result);
  if (options.output) await writeWhole(options.output, text);
  else process.stdout.write(text);
  const { score, summary } = result.quality.captions;
  say(`${summary.cueCount} cues, quality ${score.toFixed(2)}, ${summary.warningCount} warnings`);
}

/** Writes a file that is there whole or not at all. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.part`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

await main().catch((error: unknown) => die(error instanceof Error ? error.message : String(error)));
process.exit();
