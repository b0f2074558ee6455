/**
 * Transcriptions for clients that send a recording and wait for the text. One is a run like any other, started and
 * waited for in one request; a translation is one of its captions.
 */
import { randomUUID } from 'node:crypto';
import { MAX_UPLOAD_HOURS, MP3_RECOMMENDATION } from '../../contract/audio.ts';
import type { Runs } from '../../runs/service.ts';
import { StageFailure } from '../../contract/failure.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import type { TranslationRow } from '../../runs/store/stored-translation.ts';
import type { Translations } from '../../runs/translations.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { watchUpdates } from '../../runs/watch.ts';
import { modelsBetween } from '../../translation/on-host.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import type { Spool, SpooledFile } from '../../storage/spool.ts';
import type { Log } from '../../base/log.ts';
import type { Authorized } from '../identity/guard.ts';
import { Problem, toProblem } from '../problems.ts';
import { holdCaptions } from '../runs/profiled-captions.ts';
import { submitRun } from '../runs/run-representation.ts';
import type { RunTexts, SharedText } from '../runs/run-texts.ts';
import { sendHeld } from '../runs/run-streams.ts';
import { KeyRevoked, streamed } from '../streamed.ts';
import type { StoredTexts } from '../work/stored-texts.ts';
import { IDLE_SECONDS, type SetIdleTimeout, type Uploads } from '../uploads/mp3-upload.ts';
import type { WorkPool } from '../work/pool.ts';
import { eventText, failureOf, openAiAnswer } from './answers.ts';
import type { Asked } from './asked.ts';
import { readForm, type FormShape, type TranscriptionForm } from './form.ts';
import { keepSpeakers } from './known-speakers.ts';
import { asOpenAiProblem, refusal } from './errors.ts';
import { modelNames, type ModelNames, type ModelServices } from './models.ts';
import { ConversionFailure, ConversionsBusy } from '../../media/conversion-failure.ts';
import type { WithMp3 } from '../../media/to-mp3.ts';
import { isAuto } from '../../models/registry.ts';
import { holdTranslatedCaptions } from '../runs/translation-requests.ts';

/**
 * The time after which the response begins although the run goes on, in milliseconds: proxies and clients give up on
 * silent connections, some after a minute. Until then, an error has its own status.
 */
const BEGIN_AFTER_MS = 45_000;

export interface OpenAiServices extends ModelServices {
  runs: Runs;
  texts: RunTexts;
  stored: StoredTexts;
  translations: Translations;
  packs: TermPackList;
  pool: WorkPool;
  audio: AudioStore;
  spool: Spool;
  uploads: Uploads;
  setIdleTimeout: SetIdleTimeout;
  withMp3: WithMp3;
  database: Database;
  /** For tests; default: BEGIN_AFTER_MS. */
  beginAfterMs?: number;
  log: Log;
}

/**
 * Refuses a language that nothing on this server translates, before the recording is transcribed.
 * @throws {Problem} 400
 */
function mustTranslate(
  { providers }: OpenAiServices,
  { payload: { language = 'en' } }: Asked,
): void {
  const standard = providers.find(({ stage, isDefault }) => stage === 'translation' && isDefault);
  if (standard?.engine !== 'host' || isAuto(language)) return;
  try {
    modelsBetween(language, 'en');
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error;
    throw refusal(400, 'unsupported_model', error.message, 'language');
  }
}

type Format = Asked['answer']['format'];

/** The media types of the formats. */
const TEXT_TYPE = 'text/plain; charset=utf-8';
const TYPES: Record<Format, string> = {
  json: 'application/json',
  verbose_json: 'application/json',
  diarized_json: 'application/json',
  segments: 'application/json',
  text: TEXT_TYPE,
  lines: TEXT_TYPE,
  tsv: TEXT_TYPE,
  srt: TEXT_TYPE,
  vtt: TEXT_TYPE,
};

/** What may be sent before and while a transcription is waited for, so that the whole is still in its format. */
const WAITING: Record<Format, { first: string; heartbeat: string }> = {
  json: { first: '', heartbeat: ' ' },
  verbose_json: { first: '', heartbeat: ' ' },
  diarized_json: { first: '', heartbeat: ' ' },
  segments: { first: '', heartbeat: ' ' },
  text: { first: '', heartbeat: '\n' },
  lines: { first: '', heartbeat: '\n' },
  tsv: { first: 'start\tend\ttext\n', heartbeat: '\n' },
  srt: { first: '', heartbeat: '\n' },
  // Blank lines may follow the first line, but not precede it.
  vtt: { first: 'WEBVTT\n', heartbeat: '\n' },
};

/** The formats that can be streamed; for the others, `stream` has no effect. */
const STREAMED: ReadonlySet<Format> = new Set(['json', 'text', 'diarized_json']);

/** How a request is read, and its recording stored. */
export interface Reading {
  shape: FormShape;
  /** Reads what is asked for a recording that will be stored under a key. */
  asked: (form: TranscriptionForm, key: string, known: KnownNames) => Asked;
  /** Makes a recording of what has arrived. */
  prepare?: (file: SpooledFile) => Promise<void>;
  /** The part of the recording that is needed; default: the whole. */
  part?: (mp3: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
}

interface KnownNames {
  models: ModelNames;
  packs: TermPackList;
}

/** Transcribes the recording of a request, and answers when it is done. */
export async function transcribe(
  services: OpenAiServices,
  request: Request,
  sender: Authorized,
  reading: Reading,
): Promise<Response> {
  const { audio, setIdleTimeout } = services;
  const { organizationId, keyId } = sender;
  const began = performance.now();
  const asked = await receive(services, request, organizationId, reading);
  // From here on, the run and its translation go on whatever becomes of the connection.
  const { payload } = asked;
  const id = await submitRun(services, { organizationId, keyId, payload }).catch(
    async (error: unknown) => {
      await audio.delete(organizationId, payload.audio.key).catch(() => {});
      throw error;
    },
  );
  const translation = asked.translates ? await planTranslation(services, sender, id, asked) : null;
  const waited = { asked, id, sender, translation };
  const headers = () => ({
    'captioner-run-id': id,
    'openai-organization': organizationId,
    'openai-processing-ms': String(Math.round(performance.now() - began)),
    'openai-version': '2020-10-01',
    ...services.uploads.rateLimit(organizationId),
  });
  // The runtime would close a silent connection.
  setIdleTimeout(request, 0);
  try {
    const isStream = asked.stream && STREAMED.has(asked.answer.format);
    const response = isStream
      ? eventsOf(services, waited)
      : ((await answerSoon(services, waited, request.signal)) ?? answerLater(services, waited));
    for (const [name, value] of Object.entries(headers())) response.headers.set(name, value);
    return response;
  } catch (error) {
    if (error instanceof Problem) Object.assign((error.options.headers ??= {}), headers());
    throw error;
  } finally {
    setIdleTimeout(request, IDLE_SECONDS);
  }
}

/** Stores that the captions of a run shall be translated once it has ended. */
async function planTranslation(
  { runs, translations }: OpenAiServices,
  { organizationId }: Authorized,
  runId: string,
  { profile }: Asked,
): Promise<TranslationRow> {
  const request = { language: 'en', ...(profile !== undefined && { profile }) };
  try {
    return await translations.submit({ organizationId, runId, request, source: null, waits: true });
  } catch (error) {
    const run = await runs.summary(organizationId, runId);
    if (run) await runs.cancel(run);
    throw error;
  }
}

/** Reads the form, and stores its recording as an MP3. */
export async function receive(
  services: OpenAiServices,
  request: Request,
  organizationId: string,
  { shape, asked: read, prepare, part }: Reading,
): Promise<Asked> {
  const { uploads, spool, audio, packs, withMp3 } = services;
  const names = await modelNames(services);
  return uploads.receive(request, organizationId, async (body) => {
    const form = await readForm(request.headers, body, spool, shape);
    const { file } = form;
    try {
      const key = `openai/${randomUUID()}.mp3`;
      await prepare?.(file);
      const asked = read(form, key, { models: names, packs });
      if (asked.translates) mustTranslate(services, asked);
      const asking = { workspace: organizationId, signal: request.signal };
      await keepSpeakers(services, { organizationId, key }, asked.speakers, request.signal);
      await withMp3(file.path, asking, async (mp3, size) =>
        part
          ? audio.put(organizationId, key, part(mp3))
          : audio.put(organizationId, key, mp3, size),
      ).catch((error: unknown) => {
        if (error instanceof ConversionsBusy) throw tooManyConversions();
        throw error instanceof ConversionFailure ? invalidFile(error) : error;
      });
      return asked;
    } finally {
      await file.drop();
    }
  });
}

const tooManyConversions = (): Problem =>
  Problem.unavailable(
    'The service is busy converting other recordings. Try again soon, or send an MP3.',
    30,
  );

/** The error for a recording that cannot be converted. */
function invalidFile({ reason }: ConversionFailure): Problem {
  const message = {
    unknown_format: `Invalid file format. Supported formats: [${FORMATS}]. For any other, make an MP3 with ${MP3_RECOMMENDATION.command}`,
    no_ffmpeg: `This server cannot read the format of the file: FFmpeg is not installed on it, so it takes MP3, WAV, and Opus in webm, ogg or mp4. Make an MP3 with ${MP3_RECOMMENDATION.command}, or ask the operator to install FFmpeg.`,
    no_audio: 'Invalid file: the video has no sound.',
    implausible:
      'Invalid file: its sample rate or its number of channels is not that of a recording.',
    too_long: `The recording is too long: ${MAX_UPLOAD_HOURS} hours are the most.`,
  }[reason];
  return refusal(400, 'invalid_value', message, 'file');
}

/** The formats in the words of OpenAI's error. */
const FORMATS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']
  .map((name) => `'${name}'`)
  .join(', ');

/** A run that a request waits for. */
interface Waited {
  id: string;
  asked: Asked;
  sender: Authorized;
  /** The translation of its captions, if one was asked for. */
  translation: TranslationRow | null;
}

/** Waits until a run and its translation have ended, however long it takes. */
async function ended(
  { runs, translations }: OpenAiServices,
  { id, sender, translation }: Waited,
  signal: AbortSignal,
): Promise<Ended> {
  await runs.wait(id, signal);
  const run = (await runs.summary(sender.organizationId, id))!;
  if (!translation || run.state !== 'completed') return { run, translated: null };
  const translated = await translations.finish(translation, signal);
  if (!translated) throw failureOf(ERASED);
  const { error } = translated.outcome;
  if (translated.state === 'completed') return { run, translated };
  if (translated.state === 'incomplete') throw failureOf(incomplete(translated));
  // The recording turned out to be in English.
  if (error?.code === 'language_unsupported') return { run, translated: null };
  throw failureOf(error ?? CANCELLED);
}

/** A run that has ended, and its translation if there is one. */
interface Ended {
  run: RunSummary;
  translated: TranslationRow | null;
}

/** Its clients have no way to see that sentences are missing. */
const incomplete = ({ outcome: { counts } }: TranslationRow) => ({
  code: 'provider_bad_response',
  message: `${counts?.missing} of ${counts?.sentences} sentences could not be translated.`,
  retryable: true,
});

const CANCELLED = {
  code: 'cancelled',
  message: 'The translation was cancelled.',
  retryable: false,
};
const ERASED = { ...CANCELLED, message: 'The translation was erased.' };

/**
 * The response, if the run ends soon; otherwise null.
 * @throws {Problem} the run was blocked or failed
 */
async function answerSoon(
  services: OpenAiServices,
  waited: Waited,
  signal: AbortSignal,
): Promise<Response | null> {
  const { asked } = waited;
  const enough = AbortSignal.timeout(services.beginAfterMs ?? BEGIN_AFTER_MS);
  let end: Ended;
  try {
    end = await ended(services, waited, AbortSignal.any([signal, enough]));
  } catch (error) {
    if (error === enough.reason && !signal.aborted) return null;
    throw error;
  }
  const { held, recogniser } = await holdAnswer(services, end, asked);
  const response = sendHeld({ type: TYPES[asked.answer.format] }, held);
  if (recogniser !== '') response.headers.set('captioner-model', recogniser);
  const warning = warningOf(end.run, asked);
  if (warning !== '') response.headers.set('captioner-warning', warning);
  return response;
}

/** The most characters of a warning. */
const MAX_WARNING_CHARS = 1000;

/** What to know about how a run's speech was heard, as the value of a header; empty if there is nothing. */
const warningOf = ({ hearingNotes = [] }: RunSummary, { notes }: Asked): string =>
  [...notes, ...hearingNotes]
    .join(' ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^ -~]/gu, '?')
    .slice(0, MAX_WARNING_CHARS)
    .trim();

/** A response that begins at once, and has the transcription when the run ends. A failure breaks it off. */
function answerLater(services: OpenAiServices, waited: Waited): Response {
  const { asked, sender } = waited;
  const { stillAllowed } = sender;
  const { format } = asked.answer;
  const { first, heartbeat } = WAITING[format];
  const options = { type: TYPES[format], heartbeat, stillAllowed };
  return streamed(options, async ({ write, signal }) => {
    await write(first);
    const end = await ended(services, waited, signal);
    if (!(await stillAllowed())) throw new KeyRevoked();
    const { held } = await holdAnswer(services, end, asked);
    try {
      await write(held.read(first.length));
    } finally {
      held.release();
    }
  });
}

/** The response as server-sent events: the words as they are recognised, and the corrected text at the end. */
function eventsOf(services: OpenAiServices, { id, asked, sender }: Waited): Response {
  const { runs, log } = services;
  const { organizationId, stillAllowed } = sender;
  const options = { type: 'text/event-stream; charset=utf-8', heartbeat: ': \n\n', stillAllowed };
  return streamed(options, async ({ write, signal }) => {
    let between = '';
    for await (const update of watchUpdates(runs, { id, organizationId }, 0, signal)) {
      if (!(await stillAllowed())) throw new KeyRevoked();
      if ('heard' in update) {
        const delta = `${between}${update.heard.text}`;
        await write(eventText({ type: 'transcript.text.delta', delta }));
        between = ' ';
      } else if (update.run.finishedAt !== null) {
        try {
          const end = { run: update.run, translated: null };
          const { held } = await holdAnswer(services, end, asked, true);
          try {
            // Clients pass over comments.
            const warning = warningOf(update.run, asked);
            if (warning !== '') await write(`: Captioner-Warning: ${warning}\n\n`);
            await write(held.read());
          } finally {
            held.release();
          }
        } catch (error) {
          if (signal.aborted) throw error;
          const problem = asOpenAiProblem(toProblem(error, 'POST /v1/audio/transcriptions', log));
          await write(`event: error\n${eventText(problem.body())}`);
        }
      }
    }
  });
}

/** The text of an answer about an ended run, and the recogniser that heard it. */
async function holdAnswer(
  services: OpenAiServices,
  { run, translated }: Ended,
  { answer, profile }: Asked,
  events = false,
): Promise<{ held: SharedText; recogniser: string }> {
  const { texts, pool, stored } = services;
  const { format } = answer;
  const workspace = run.organizationId;
  let recogniser = '';
  const kind = JSON.stringify(['openai', answer, events, translated?.id]);
  const held = await texts.hold(run, kind, async (read) => {
    const result = await read();
    const translation = translated && (await stored.translation(translated.id));
    const load = { workspace, size: result.length + (translation?.length ?? 0) };
    const order = { result, translation, answer, events };
    const written = await pool.do(openAiAnswer, order, load);
    ({ recogniser } = written);
    return written.text;
  });
  if (events || (format !== 'srt' && format !== 'vtt')) return { held, recogniser };
  // The empty text has shown that there are captions.
  held.release();
  if (translated) {
    return {
      held: await holdTranslatedCaptions(services, translated, format, {}),
      recogniser,
    };
  }
  const query = { version: 'original', ...(profile !== undefined && { profile }) } as const;
  return { held: await holdCaptions(services, run, format, query), recogniser };
}
