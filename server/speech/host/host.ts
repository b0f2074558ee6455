/** The provider `edge` on this host. It needs no account and, once the model is downloaded, no network. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { distance } from 'fastest-levenshtein';
import { uncounted } from '../../base/compute.ts';
import type { Transcript, TranscriptWord } from '../../contract/results.ts';
import { type Log, reasonOf } from '../../base/log.ts';
import type { Hearing } from '../../models/machine-notes.ts';
import { createModelSpeeds } from '../../models/model-speeds.ts';
import { decodeChannels, decodeMono16k, decodeRange } from '../../mp3/decode.ts';
import { indexMp3, sourceOfBytes } from '../../mp3/frames.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import type { Piece, PieceTranscript, SpeechProvider, TranscriptionRequest } from '../provider.ts';
import type { SpeakersSetting } from '../../remote/service-settings.ts';
import {
  isAuto,
  primarySubtag,
  SPEAKER_EMBEDDING,
  SPEAKER_SEGMENTATION,
  VOICE_MODEL,
} from '../../models/registry.ts';
import { mergePieces } from '../seams.ts';
import { hasChannelsApart, joinChannels } from './channels.ts';
import type { SpeechSegment } from './engine-messages.ts';
import { createEnginePool, type EnginePool } from './engine-pool.ts';
import { createEngines, type Engine, type Engines, type EngineOptions } from './engines.ts';
import {
  createIndexCache,
  planPieces,
  type FindSpeech,
  everythingAsSpeech,
  loudnessVoiceActivity,
  sileroVoiceActivity,
  type PlanPlace,
} from './pieces.ts';
import { POCKETSPHINX_MODEL } from './pocketsphinx.ts';
import {
  recognise,
  type Recogniser,
  type RecogniseRequest,
  type RecognizeWindow,
} from './recognise.ts';
import { type FindHearAgain, recogniseTwice } from './second-hearing.ts';
import { createWindowRecognisers, secondHearing, type WindowNote } from './window-recognisers.ts';
import { withTermCounts } from './term-counts.ts';
import { proposeNames, type NamedVoice } from '../../voices/propose-names.ts';
import type { SpeakerVoice } from '../../voices/voiceprints.ts';
import { findVoices } from './find-voices.ts';
import { withSpeakerConfidence, withSpeakerNote } from './speaker-notes.ts';
import { withSpeakers } from './speakers-of-words.ts';
import { mainVoiceOfClip, voiceOfClip, voicesOfChannels, voicesOfSpeakers } from './voices.ts';

interface HostSpeechOptions extends EngineOptions {
  /** Whether to detect speech; if not, everything counts as speech. */
  vad: boolean;
  /** Whether speakers are distinguished by their voices; unnecessary in a recording with a speaker in each channel. */
  speakers?: SpeakersSetting;
  /** The number of recogniser processes. */
  slots: number;
  /** The folder for temporary files. */
  tempDir: string;
  log: Log;
}

/** The longest windows in seconds, where they are shorter than the others': Moonshine loses words in longer ones. */
const LONGEST_WINDOWS: Partial<Record<Engine['engine'], number>> = { moonshine: 10 };

/**
 * The longest window, in seconds, if the language is detected. It is short because a window with two languages is
 * transcribed in one of them, and loses the other.
 */
const WINDOW_OF_ONE_LANGUAGE = 12;

/** A piece in this provider's plan. Every piece of a run uses the same engine. */
type HostPiece = Piece & {
  engine: Engine;
  recording: string;
  apart?: boolean;
  voices?: boolean;
  /** Whether only this engine is to be used, because the request names its model. */
  alone?: boolean;
};

/** The details that all pieces of a run share. */
type Shared = Pick<HostPiece, 'engine' | 'recording' | 'apart' | 'voices' | 'alone'>;

/** The place where a plan continues, with the details shared by its further pieces. Plain JSON. */
type HostPlace = Shared & { place: PlanPlace };

/** Creates the provider. Nothing runs before its first use. */
export function createHostSpeech(options: HostSpeechOptions): SpeechProvider {
  const pool = createEnginePool(options.slots, createModelSpeeds(options.modelsDir));
  const engines: Engines = createEngines(options, async (engine, signal) => {
    const use = { terms: [], pronunciations: {}, near: {}, windows: 0, failed: 0, replaced: 0 };
    const recognize = await recognizer(engine, 'en', [], use);
    return hearClip(recognize, signal);
  });
  // Speech is found in processes of its own: behind the windows of a queue, planning would wait for recognition.
  const finders = createEnginePool(Math.ceil(options.slots / RECOGNISERS_PER_FINDER));
  const recognizer = createWindowRecognisers(engines, pool, options.tempDir);
  const { log } = options;
  const voiceActivity = chooseVoiceActivity(options, engines, finders);
  const indexes = createIndexCache();
  const { speakers: setting = 'off' } = options;
  const countOf = ({ speakers }: Pick<TranscriptionRequest, 'speakers'>): number | undefined =>
    speakers ?? (typeof setting === 'number' ? setting : undefined);
  const diarize = async (samples: Float32Array, signal: AbortSignal) =>
    pool.findVoices(await engines.speakerModels(signal, false), samples, signal);
  let warned = false;
  /** The metadata about speakers: that they are distinguished by voice, or why they are not. */
  const byVoice = async (
    signal: AbortSignal,
  ): Promise<{ speakers: 'by voice' } | { speakersNote: string }> => {
    if (setting === 'off')
      return { speakersNote: `Speakers are not distinguished: ${SWITCHED_OFF}` };
    try {
      await engines.speakerModels(signal, setting !== 'auto');
      return { speakers: 'by voice' };
    } catch (error) {
      signal.throwIfAborted();
      const reason =
        setting === 'auto'
          ? `the models ${SPEAKER_SEGMENTATION} and ${SPEAKER_EMBEDDING} are not installed; captioner models fetch installs each.`
          : reasonOf(error);
      if (setting !== 'auto' || !warned) log.warn('speakers_not_distinguished', { reason });
      warned = true;
      return { speakersNote: `Speakers are not distinguished: ${reason}` };
    }
  };

  /** The voice in each channel of a piece that has words, if the models are installed. */
  const channelVoices = async (
    { audio, index, signal, compute = uncounted }: RecogniseRequest,
    words: readonly TranscriptWord[],
  ): Promise<SpeakerVoice[]> => {
    const found: SpeakerVoice[] = [];
    if (!('speakers' in (await byVoice(signal)))) return found;
    for (const [speaker, channel] of [['0', 'left'] as const, ['1', 'right'] as const]) {
      const own = words.filter((word) => word.speaker === speaker);
      if (own.length === 0) continue;
      const start = own[0]!.start;
      const range = { start, end: Math.min(own.at(-1)!.end, start + MOST_OF_A_CHANNEL) };
      const samples = await compute(() => decodeChannels(audio, index, range, signal));
      try {
        const voice = mainVoiceOfClip(await diarize(samples[channel], signal));
        if (voice) found.push({ speaker, ...voice });
      } catch {
        // A transcript without the voice is better than none.
        signal.throwIfAborted();
      }
    }
    return found;
  };

  return {
    name: 'edge',
    piecesAtOnce: piecesFor(options.slots),

    async plan(audio, request, { signal, progress, compute = uncounted }) {
      const recording = randomUUID();
      const index = await indexes(recording, audio, signal, compute);
      const engine = await engines.choose(request.language, request.model, signal, progress);
      if ('note' in engine) log.warn('speech_model_replaced', { reason: engine.note });
      const apart = await hasChannelsApart(audio, index, signal, compute);
      const isOff = setting === 'off' && request.speakers === undefined;
      const speakers = isOff || apart ? {} : await byVoice(signal);
      const voices = 'speakers' in speakers;
      const planned = await planPieces(
        audio,
        index,
        request.chunkBytes,
        await voiceActivity(signal),
        signal,
        compute,
        { most: 1 },
      );
      return {
        duration: index.duration,
        engine: {
          ...describe(engine, request.keyterms),
          ...(apart && { channels: 2 }),
          ...speakers,
        },
        ...portionOf(planned, {
          engine,
          recording,
          ...(apart && { apart }),
          ...(voices && { voices }),
          ...(request.model !== undefined && { alone: true }),
        }),
      };
    },

    async planMore(audio, plan, request, { signal, compute = uncounted }) {
      const { place, ...shared } = plan.next as HostPlace;
      const planned = await planPieces(
        audio,
        await indexes(shared.recording, audio, signal, compute),
        request.chunkBytes,
        await voiceActivity(signal),
        signal,
        compute,
        // As many as exist already: those are recognised while these are planned.
        { from: place, most: plan.pieces.length },
      );
      return portionOf(planned, shared);
    },

    async transcribe(audio, piece, request, { signal, progress, heard, compute = uncounted }) {
      const { engine, recording, apart = false, voices = false, alone } = piece as HostPiece;
      const index = await indexes(recording, audio, signal, compute);
      const notes: WindowNote[] = [];
      const { keyterms: terms, pronunciations = {}, near = {} } = request;
      const use = { terms, pronunciations, near, windows: 0, failed: 0, replaced: 0 };
      const findSpeech = await voiceActivity(signal);
      const speechIsVoice = findSpeech !== loudnessVoiceActivity;
      const recogniser: Recogniser = {
        findSpeech,
        recognize: await recognizer(engine, request.language, notes, use),
        longestWindow: isAuto(request.language)
          ? WINDOW_OF_ONE_LANGUAGE
          : LONGEST_WINDOWS[engine.engine],
      };
      const range = { start: piece.start, end: piece.end };
      let dropped = 0;
      const speech: SpeechSegment[] = [];
      const asked: RecogniseRequest = {
        audio,
        index,
        range,
        signal,
        progress,
        compute,
        concluded: (count, segments) => {
          dropped += count;
          speech.push(...segments);
        },
      };
      const again = async () =>
        alone || isAuto(request.language)
          ? null
          : secondHearing(
              recognizer,
              await engines.others(engine, request.language),
              { engine, language: request.language },
              notes,
              use,
            );
      // The words of two channels are in order only once both are recognised.
      const words = apart
        ? await recogniseChannels(recogniser, asked, again)
        : await recogniseTwice(recogniser, { ...asked, heard }, again);
      const { windows, failed, replaced } = use;
      return {
        ...range,
        words,
        ...(notes.length > 0 ? { windows: notes } : {}),
        ...(dropped > 0 ? { dropped } : {}),
        // Without detection everything counts as speech, which says nothing.
        ...(options.vad ? { speech, speechIsVoice } : {}),
        ...(windows > 0 ? { keytermUse: { windows, failed, replaced } } : {}),
        ...(voices && words.length > 0 ? { voices: await findVoices(diarize, asked) } : {}),
        ...(apart && request.keepsVoices
          ? { channelVoices: await channelVoices(asked, words) }
          : {}),
      };
    },

    speaks: engines.speaks,

    async findSpeech(audio, { signal, compute = uncounted }) {
      const model = options.vad ? await engines.voiceActivityModel(signal, false) : null;
      if (model?.kind !== 'vad') return null;
      const index = await indexes(randomUUID(), audio, signal, compute);
      const found: SpeechSegment[] = [];
      const finder: Recogniser = {
        findSpeech: sileroVoiceActivity(finders, { kind: 'vad', files: model.files }),
        recognize: async () => [],
      };
      const range = { start: 0, end: index.duration };
      const concluded = (_dropped: number, speech: readonly SpeechSegment[]): void =>
        void found.push(...speech);
      await recognise(finder, {
        audio,
        index,
        range,
        signal,
        progress: () => {},
        compute,
        concluded,
      });
      return found;
    },

    merge(plan, pieces, request) {
      const count = countOf(request);
      const merged = mergePieces(plan, withSpeakers(pieces, count), request);
      const sure = withSpeakerConfidence(merged, pieces, count);
      const transcript = withTermCounts(withLanguages(sure, pieces), pieces);
      const { speakersNote } = plan.engine;
      // Whoever has asked for speakers is told that there are none; others find it with the engine.
      const isAsked = setting !== 'auto' || request.speakers !== undefined;
      if (!isAsked || speakersNote === undefined) return withSpeakerNote(transcript, pieces);
      return { ...transcript, metadata: { ...transcript.metadata, speakersNote } };
    },

    voices(plan, pieces, request) {
      const voices =
        plan.engine['speakers'] === undefined
          ? voicesOfChannels(pieces)
          : voicesOfSpeakers(pieces, countOf(request));
      return voices.length === 0 ? null : { model: VOICE_MODEL, voices };
    },

    async nameSpeakers(plan, pieces, { known, request }, { signal, compute = uncounted }) {
      if (plan.engine['speakers'] === undefined) return {};
      const model = VOICE_MODEL;
      const people: NamedVoice[] = [];
      for (const [at, { name, mp3 }] of known.entries()) {
        const clip = sourceOfBytes(mp3);
        const index = await compute(() => indexMp3(clip, signal));
        const range = { start: 0, end: index.duration };
        const samples = await compute(() => decodeRange(clip, index, range, signal));
        const voice = voiceOfClip(await diarize(samples, signal));
        if (voice) people.push({ ...voice, personId: String(at), name, model });
      }
      const voices = await compute(() => voicesOfSpeakers(pieces, countOf(request)));
      const own = voices.map((voice) => ({ ...voice, model, personId: null, refused: [] }));
      const proposals = proposeNames(own, people);
      return Object.fromEntries([...proposals].map(([speaker, { name }]) => [speaker, name]));
    },

    close() {
      pool.close();
      finders.close();
    },
  };
}

/** As much of a channel is heard in each piece to know its voice, in seconds. */
const MOST_OF_A_CHANNEL = 60;

const SWITCHED_OFF = 'whoever operates this server has switched it off (EDGE_SPEAKERS).';

/** Recognition takes at least ten times as long as finding the speech. */
const RECOGNISERS_PER_FINDER = 8;

/**
 * The number of pieces in progress at once that keeps all recogniser processes busy: a piece of 1 MiB has three windows
 * at 128 kbit/s and a dozen at 32, and while its last ones are recognised, the next piece must already be decoded.
 */
const piecesFor = (slots: number): number => Math.max(2, Math.ceil(slots / 2) + 1);

/** A portion of a plan, whose pieces contain the details shared by the run. */
const portionOf = ({ pieces, next }: { pieces: Piece[]; next?: PlanPlace }, shared: Shared) => ({
  pieces: pieces.map((piece) => ({ ...piece, ...shared })),
  ...(next && { next: { ...shared, place: next } satisfies HostPlace }),
});

/** Recognises the channels one after the other, so that no more is in memory than for one. */
async function recogniseChannels(
  recogniser: Recogniser,
  request: RecogniseRequest,
  again: FindHearAgain,
): Promise<TranscriptWord[]> {
  const half = (channel: 'left' | 'right', done: number) =>
    recogniseTwice(
      recogniser,
      { ...request, channel, progress: (fraction) => request.progress(done + fraction / 2) },
      again,
    );
  const left = await half('left', 0);
  return joinChannels(left, await half('right', 0.5));
}

/**
 * Sets the language of the transcript to that of most of its words, and adds to its metadata where each language is
 * spoken and how many words were dropped as hallucinations, by Whisper itself or because they are too fast.
 */
function withLanguages(transcript: Transcript, pieces: readonly PieceTranscript[]): Transcript {
  const notes = pieces
    .flatMap(({ windows }) => (windows as WindowNote[] | undefined) ?? [])
    .toSorted((a, b) => a.start - b.start);
  const removed = pieces.reduce((sum, { dropped: count }) => sum + ((count as number) ?? 0), 0);
  if (notes.length === 0 && removed === 0) return transcript;
  const spoken: { language: string; start: number; end: number }[] = [];
  const words = new Map<string, number>();
  for (const { language, start, end, words: count } of notes) {
    if (count === 0) continue;
    words.set(language, (words.get(language) ?? 0) + count);
    const last = spoken.at(-1);
    if (last?.language === language) last.end = Math.max(last.end, end);
    else spoken.push({ language, start, end });
  }
  // Some engines tell no language; theirs is the one that was asked for.
  const counted = [...words.values()].reduce((sum, count) => sum + count, 0);
  if (words.size > 0 && transcript.words.length > counted) {
    const asked = primarySubtag(transcript.language);
    words.set(asked, (words.get(asked) ?? 0) + transcript.words.length - counted);
  }
  const dropped = notes.reduce((sum, note) => sum + note.dropped, removed);
  const again = notes.flatMap(({ start, end, model }) => (model ? [{ start, end, model }] : []));
  const identified = notes.flatMap(({ start, end, identified: language }) =>
    language ? [{ start, end, identified: language }] : [],
  );
  const [main] = [...words].toSorted(([, a], [, b]) => b - a);
  return {
    ...transcript,
    language: sameLanguage(transcript.language, main?.[0]),
    metadata: {
      ...transcript.metadata,
      ...(spoken.length > 0 ? { languages: spoken } : {}),
      ...(dropped > 0 ? { droppedWords: dropped } : {}),
      ...(again.length > 0 ? { heardAgain: again } : {}),
    },
    ...(identified.length > 0 ? { identified } : {}),
  };
}

/** The requested language, with its region, if it equals the detected one or nothing was detected. */
const sameLanguage = (asked: string, heard: string | undefined): string =>
  heard === undefined || primarySubtag(asked) === heard ? asked : heard;

/** The entry in metadata.models. Transducers and Whisper get the key terms; with other engines, only the audit uses them. */
function describe(engine: Engine, keyterms: readonly string[]) {
  const acceptsTerms = engine.engine !== 'pocketsphinx' && engine.acceptsTerms === true;
  const common = { provider: 'edge', keytermsInjected: acceptsTerms && keyterms.length > 0 };
  if (engine.engine === 'pocketsphinx') {
    return {
      ...common,
      model: POCKETSPHINX_MODEL,
      engine: 'pocketsphinx',
      rough: true,
      note: 'An inaccurate fallback, because no speech model is available. Expect wrong words, no capitals, no punctuation.',
    };
  }
  const { engine: name, model, note } = engine;
  return { ...common, model: basename(model), engine: name, ...(note ? { note } : {}) };
}

/** Chooses the voice activity detection on this host, looking for the model on first use. */
function chooseVoiceActivity(
  { vad, engine, log }: HostSpeechOptions,
  engines: Engines,
  pool: EnginePool,
): (signal: AbortSignal) => Promise<FindSpeech> {
  let warned = false;
  return async (signal) => {
    if (!vad) return everythingAsSpeech;
    const model = await engines.voiceActivityModel(signal, engine !== 'pocketsphinx');
    if (model?.kind === 'vad') {
      return sileroVoiceActivity(pool, { kind: 'vad', files: model.files });
    }
    if (!warned) log.warn('voice_activity_by_loudness', { reason: 'the model is not available' });
    warned = true;
    return loudnessVoiceActivity;
  };
}

const SAMPLE = fileURLToPath(new URL('../../../sample/agent-registration.mp3', import.meta.url));
/** The place of the clip in the sample, in seconds. */
const RANGE = { start: 4.1, end: 9.85 };
const WORDS =
  'tonight i want to show you how an agent can sign up for a service on its own the agent reads one page'.split(
    ' ',
  );

/** Lets a recogniser hear the clip. Rejects with its error, or with the signal's reason. */
async function hearClip(
  recognize: RecognizeWindow,
  signal: AbortSignal,
): Promise<Pick<Hearing, 'words' | 'wrong' | 'timed'>> {
  const samples = await clip(signal);
  const end = samples.length / SPEECH_RATE;
  const heard = await recognize(samples, { start: 0, end }, signal);
  return { words: WORDS.length, wrong: wrongWords(heard), timed: areTimed(heard, end) };
}

async function clip(signal: AbortSignal): Promise<Float32Array> {
  const bytes = await readFile(SAMPLE, { signal });
  const audio = {
    size: bytes.length,
    async *read({ start, end } = { start: 0, end: bytes.length }) {
      yield await Promise.resolve(bytes.subarray(start, end));
    },
  };
  const index = await indexMp3(audio, signal);
  const samples = new Float32Array(Math.round((RANGE.end - RANGE.start) * SPEECH_RATE));
  let at = 0;
  for await (const block of decodeMono16k(audio, index, RANGE, signal)) {
    samples.set(block, at);
    at += block.length;
  }
  return samples;
}

/** The number of words to replace, insert or remove. Every different word becomes a letter, since letters are compared. */
function wrongWords(heard: readonly TranscriptWord[]): number {
  const letters = new Map<string, string>();
  const spelled = (words: readonly string[]): string =>
    words
      .map((word) => {
        const letter = letters.get(word) ?? String.fromCharCode(0x4e00 + letters.size);
        letters.set(word, letter);
        return letter;
      })
      .join('');
  const words = heard.map(({ text }) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
  return distance(spelled(WORDS), spelled(words.filter((word) => word !== '')));
}

/** Whether most words begin at times of their own, over at least half of the clip. */
function areTimed(heard: readonly TranscriptWord[], end: number): boolean {
  const starts = new Set(heard.map(({ start }) => start).filter(Number.isFinite));
  const span = Math.max(...starts) - Math.min(...starts);
  return starts.size > heard.length / 2 && span >= end / 2;
}
