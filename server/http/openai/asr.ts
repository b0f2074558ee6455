/**
 * The door for clients of whisper-asr-webservice, such as Bazarr: the recording is in the field `audio_file`, everything
 * else in the query, and the answer is one of Whisper's own files.
 */
import { open } from 'node:fs/promises';
import { MAX_UPLOAD_HOURS } from '../../contract/audio.ts';
import { ASR_OUTPUTS } from '../../contract/openai.ts';
import { StageFailure } from '../../contract/failure.ts';
import { UPLOAD } from '../../contract/limits.ts';
import type { CaptionerResult } from '../../contract/results.ts';
import { primarySubtag } from '../../models/registry.ts';
import { indexMp3 } from '../../mp3/frames.ts';
import type { RunErasures } from '../../runs/run-erasure.ts';
import { wavHeader } from '../../speech/host/pocketsphinx.ts';
import type { SpooledFile } from '../../storage/spool.ts';
import type { Authorized } from '../identity/guard.ts';
import { Problem } from '../problems.ts';
import { languageOf, submitRun } from '../runs/run-representation.ts';
import { IDLE_SECONDS } from '../uploads/mp3-upload.ts';
import { stringOf, type StoredText } from '../work/stored-texts.ts';
import { refusalOf } from './answers.ts';
import { type AnswerFormat, type Asked, readAsked } from './asked.ts';
import { refusal } from './errors.ts';
import type { FormShape } from './form.ts';
import { languageWord } from './languages.ts';
import { type OpenAiServices, receive, type Reading, transcribe } from './transcriptions.ts';

/** What a client sends with `encode=false`: mono samples of 16 bits, without a header. */
const RAW_RATE = 16_000;
const RAW_BYTES_PER_SECOND = 2 * RAW_RATE;
/** As long as an MP3 of the largest size. */
const MAX_RAW_BYTES = MAX_UPLOAD_HOURS * 3600 * RAW_BYTES_PER_SECOND;

/** The seconds of a recording in which its language is heard. */
const HEARD_SECONDS = 30;
/** The bytes of an MP3 that are searched for its beginning: a picture may come before the sound. */
const SEARCHED_BYTES = 4 * 2 ** 20;

type Output = (typeof ASR_OUTPUTS)[number];

const FORMATS: Record<Output, AnswerFormat> = {
  txt: 'lines',
  vtt: 'vtt',
  srt: 'srt',
  tsv: 'tsv',
  json: 'segments',
};

export interface AsrServices extends OpenAiServices {
  erasure: RunErasures;
}

/** Creates the answers of the door. */
export function createAsr(services: AsrServices) {
  return {
    /** POST /asr. */
    async transcribe(request: Request, sender: Authorized): Promise<Response> {
      const query = queryOf(request);
      const output = query.oneOf('output', ASR_OUTPUTS) ?? 'txt';
      const task = query.oneOf('task', ['transcribe', 'translate']) ?? 'transcribe';
      const isRaw = query.flag('encode') === false;
      const words = query.flag('word_timestamps') ?? false;
      // Silence is always passed over.
      query.flag('vad_filter');
      let name = '';
      const reading: Reading = {
        shape: shapeOf(isRaw),
        ...(isRaw && { prepare: completeWav }),
        asked(form, key, known) {
          ({ name } = form.file);
          const fields: [string, string][] = [
            ['model', 'whisper-1'],
            ['language', query.text('language')],
            ['prompt', query.text('initial_prompt')],
          ];
          const asked = readAsked({ fields, file: form.file }, key, known, task);
          return { ...asked, answer: { ...asked.answer, format: FORMATS[output], words } };
        },
      };
      const response = await transcribe(services, request, sender, reading);
      response.headers.set('asr-engine', 'captioner');
      const file = encodeURIComponent(`${name}.${output}`.toWellFormed());
      response.headers.set('content-disposition', `attachment; filename="${file}"`);
      return response;
    },

    /** POST /detect-language: a run over the beginning of the recording, of which nothing stays. */
    async detectLanguage(request: Request, sender: Authorized): Promise<Response> {
      const { audio, runs, erasure, stored, pool, setIdleTimeout } = services;
      const isRaw = queryOf(request).flag('encode') === false;
      const { organizationId, keyId } = sender;
      const { payload } = await receive(services, request, organizationId, {
        ...(isRaw && { prepare: completeWav }),
        shape: isRaw
          ? { ...shapeOf(true), through: (raw) => asWav(beginningOf(raw)) }
          : shapeOf(false),
        asked: (form, key, known) => {
          const fields: [string, string][] = [['model', 'whisper-1']];
          const asked = readAsked({ fields, file: form.file }, key, known, 'transcribe');
          const { provider, model = known.models.detector } = asked.payload.transcription ?? {};
          const transcription = { ...(provider && { provider }), ...(model && { model }) };
          const payload = { ...asked.payload, language: 'auto', transcription };
          return { ...asked, payload } satisfies Asked;
        },
        ...(!isRaw && {
          part: async function* (mp3) {
            const bytes = await firstBytes(mp3);
            yield await pool.do(mp3Beginning, bytes, {
              workspace: organizationId,
              size: bytes.length,
            });
          },
        }),
      });
      const id = await submitRun(services, { organizationId, keyId, payload });
      setIdleTimeout(request, 0);
      try {
        await runs.wait(id, AbortSignal.timeout(DETECTION_MS));
        const result = await stored.result(id);
        if (result === null) throw unheard();
        const workspace = organizationId;
        const load = { workspace, size: result.length };
        const code = await pool.do(spokenLanguageOf, result, load);
        if (code === null) throw unheard();
        return Response.json({ detected_language: languageWord(code), language_code: code });
      } finally {
        setIdleTimeout(request, IDLE_SECONDS);
        // A worker deletes it too, but not that of a run that was cancelled before it began.
        await audio.delete(organizationId, payload.audio.key).catch(() => false);
        const run = await runs.summary(organizationId, id);
        if (run) {
          if (run.finishedAt === null) await runs.cancel(run);
          await erasure.erase(run).catch((error: unknown) => {
            services.log.warn('detection_not_erased', { runId: id, error });
          });
        }
      }
    },
  };
}

/** The longest wait for a language, in milliseconds: a model may have to be fetched first. */
const DETECTION_MS = 600_000;

const unheard = (): Problem =>
  refusal(400, 'no_speech', 'No speech was heard at the beginning of the recording.', 'audio_file');

/** The code of the language in which most words of a result are; null if it has none. A task. */
export function spokenLanguageOf(stored: StoredText): string | null {
  const result: CaptionerResult = JSON.parse(stringOf(stored));
  if (result.status !== 'completed') throw refusalOf(result);
  return result.transcript.words.length === 0 ? null : primarySubtag(languageOf(result));
}

/**
 * The first half minute of an MP3. A task.
 * @throws {Problem} 400 if it has no sound where it begins
 */
export async function mp3Beginning(bytes: Uint8Array): Promise<Uint8Array> {
  const source = {
    size: bytes.byteLength,
    async *read({ start = 0, end = bytes.byteLength } = {}) {
      yield bytes.subarray(start, end);
    },
  };
  try {
    const index = await indexMp3(source);
    const end = index.byteOffset(index.frameAt(HEARD_SECONDS) + 1);
    return bytes.slice(index.audioStart, end);
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error;
    throw refusal(400, 'invalid_value', 'Invalid file: there is no sound in it.', 'audio_file');
  }
}

/** The bytes at the beginning of an MP3. */
async function firstBytes(mp3: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of mp3) {
    parts.push(part);
    size += part.byteLength;
    if (size >= SEARCHED_BYTES) break;
  }
  return Buffer.concat(parts);
}

const shapeOf = (isRaw: boolean): FormShape =>
  isRaw
    ? { field: 'audio_file', maxBytes: MAX_RAW_BYTES, through: asWav }
    : { field: 'audio_file', maxBytes: UPLOAD.maxBytes };

/** Raw samples as a WAV file, whose header is true once their number is known. */
async function* asWav(raw: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield wavHeader(0, RAW_RATE);
  yield* raw;
}

/** Writes the number of samples into the header of such a file. */
async function completeWav({ path, size }: SpooledFile): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const header = wavHeader(0, RAW_RATE);
    await file.write(wavHeader(size - header.byteLength, RAW_RATE), 0, header.byteLength, 0);
  } finally {
    await file.close();
  }
}

/** The first half minute of raw samples; the rest is read and dropped, because the client goes on sending. */
async function* beginningOf(raw: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let left = HEARD_SECONDS * RAW_BYTES_PER_SECOND;
  for await (const bytes of raw) {
    if (left > 0) yield bytes.subarray(0, left);
    left = Math.max(0, left - bytes.byteLength);
  }
}

/** The values of a query, the last of each name. */
function queryOf({ url }: Request) {
  const { searchParams } = new URL(url);
  const one = (name: string): string | undefined => {
    const value = searchParams.getAll(name).at(-1)?.trim();
    return value === '' ? undefined : value;
  };
  const oneOf = <Value extends string>(
    name: string,
    values: readonly Value[],
  ): Value | undefined => {
    const value = one(name);
    const found = values.find((each) => each === value);
    if (value === undefined || found !== undefined) return found;
    const list = values.map((each) => `'${each}'`).join(', ');
    const message = `Invalid value: '${value.slice(0, 50)}'. Supported values are: ${list}.`;
    throw refusal(400, 'invalid_value', message, name);
  };
  return {
    oneOf,
    text: (name: string): string => one(name) ?? '',
    /** What a word for yes or no means; undefined if there is none. */
    flag(name: string): boolean | undefined {
      const word = one(name)?.toLowerCase();
      if (word === undefined) return undefined;
      if (YES.has(word)) return true;
      if (NO.has(word)) return false;
      const message = `Invalid value: '${word.slice(0, 50)}'. Supported values are: 'true', 'false'.`;
      throw refusal(400, 'invalid_value', message, name);
    },
  };
}

const YES = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const NO = new Set(['false', '0', 'no', 'off', 'f', 'n']);
