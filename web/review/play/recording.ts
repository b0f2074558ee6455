/** The recording of a review, from a file, from this browser or as it stays with the run, with its waveform. */
import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { RunMedia } from '../../../server/contract/run-media.ts';
import { ApiProblem, retrying } from '../../api/request.ts';
import { hearSound, readMedia } from '../../api/run-media.ts';
import { bearerHere, guest } from '../../tab/guest.ts';
import { session } from '../../tab/session.ts';
import { ConversionError } from '../../media/conversion-error.ts';
import { isMp3 } from '../../media/mp3.ts';
import type { Peaks } from '../../media/peaks.ts';
import type { FoundPicture } from '../../media/shots.ts';
import { comingMedia, localMedia, setLocalMedia } from '../../job/local-media.ts';
import type { TimeView } from '../model/time-view.ts';
import { covers, type FinePeaks } from './draw-time-line.ts';
import { isVideo as looksLikeVideo } from '../../media/video.ts';
import {
  isOwnRun,
  keepRecording,
  keepVideo,
  keptRecording,
  keptVideo,
} from '../../storage/runs.ts';
import { stores } from '../../storage/stores.ts';

/** What a player plays: a file, or an address on the service. */
export type Playable = Blob | { readonly address: string };

export interface Recording {
  /** The media to play; null if there is none here. */
  media: ReadonlySignal<Playable | null>;
  /** What stays with the run, as far as it was asked; null before that, and for captions from a file. */
  stays: ReadonlySignal<RunMedia | null>;
  /** Asks again what stays with the run, and plays it if nothing else is there. */
  askAgain(): Promise<void>;
  isVideo: ReadonlySignal<boolean>;
  /** The address of the first picture of a video that is still being loaded; null if none is. */
  picture: ReadonlySignal<string | null>;
  /** 50 values a second, from 0 to 255; null until there are any. */
  peaks: ReadonlySignal<Uint8Array | null>;
  /** The frame rate of the video; null if it was not measured. */
  frameRate: ReadonlySignal<number | null>;
  /** The times of the video's shot changes found so far, in seconds. */
  shots: ReadonlySignal<readonly number[]>;
  /** Peaks of the part that was looked at closely; null until there are any. */
  fine: ReadonlySignal<FinePeaks | null>;
  /** Reads finer peaks around a view, unless they are there. */
  refine(view: TimeView): Promise<void>;
  waveform: ReadonlySignal<'none' | 'reading' | 'ready' | 'unreadable'>;
  /** The progress of the search for shot changes, from 0 to 1; null if there is none. */
  findingShots: ReadonlySignal<number | null>;
  /** Searches the video for shot changes; false if there is no video. */
  findShots(): Promise<boolean>;
  /** Whether it is not known yet if the recording is here. */
  isSought: ReadonlySignal<boolean>;
  /** How much of the sound that stays with the run has arrived, from 0 to 1; null if none is loading. */
  arriving: ReadonlySignal<number | null>;
  /** The recording or, if it is there, the MP3 that was made from it; undefined if there is none here. */
  smallest(): Blob | undefined;
  /** The video as it was chosen; undefined if it is not here. */
  video(): Blob | undefined;
  /** Notes that the media does not play: its address may have ended, so another is asked for. */
  failedToPlay(): void;
  /** Opens a file chosen by the user. */
  open(file: File): Promise<void>;
}

/** Within this time of the last one, another address would fail for the same reason. */
const ASKED_AGAIN_MS = 60_000;

/** Finds the recording of a run. */
export function findRecording(runId: string, stop: AbortSignal): Recording {
  const media = signal<Playable | null>(null);
  const stays = signal<RunMedia | null>(null);
  const isVideo = signal(false);
  const picture = signal<string | null>(null);
  const peaks = signal<Uint8Array | null>(null);
  const waveform = signal<'none' | 'reading' | 'ready' | 'unreadable'>('none');
  const shots = signal<readonly number[]>([]);
  const frameRate = signal<number | null>(null);
  const fine = signal<Recording['fine']['value']>(null);
  let sound: Blob | undefined;
  let closer: AbortController | null = null;
  const findingShots = signal<number | null>(null);
  const arriving = signal<number | null>(null);
  const isSought = signal(true);

  const localVideo = (): Blob | undefined => {
    const file = media.peek();
    return file instanceof Blob && isVideo.peek() ? file : undefined;
  };
  const take = (file: Playable) => {
    isVideo.value = !(file instanceof Blob) || looksLikeVideo(file);
    media.value = file;
  };
  const read = async (file: Blob) => {
    if (waveform.peek() === 'ready' || waveform.peek() === 'reading') return;
    waveform.value = 'reading';
    try {
      const kept = await keptPeaks(runId);
      if (kept) {
        peaks.value = kept.values;
        shots.value = kept.shots ?? [];
        frameRate.value = kept.frameRate ?? null;
      } else {
        const { readPeaks } = await import('../../media/peaks.ts');
        const found = await readPeaks(file, {
          signal: stop,
          onPeaks: (values) => {
            peaks.value = values;
          },
        });
        peaks.value = found.values;
        // What a guest hears leaves nothing behind.
        if (!guest.peek()) await (await stores()).put('peaks', found, runId).catch(() => {});
      }
      waveform.value = 'ready';
    } catch (error) {
      if (stop.aborted) return;
      waveform.value = 'unreadable';
      if (!(error instanceof ConversionError)) throw error;
    }
  };
  /** By the video's frame rate, times land on frames before anything is played. */
  const readRate = async () => {
    const file = localVideo();
    if (!file || frameRate.peek() !== null) return;
    const found = await import('../../media/shots.ts')
      .then(({ readFrameRate }) => readFrameRate(file))
      .catch(() => null);
    if (localVideo() === file) frameRate.value ??= found;
  };
  const bearer = bearerHere();
  let askedAt = 0;
  /** What stays with the run, for the key or the link of this page. */
  const ask = async (key: string): Promise<void> => {
    askedAt = Date.now();
    try {
      stays.value = await retrying(stop, () =>
        readMedia(key, runId, stop).catch((error: unknown) => {
          // Without a connection, a file can be opened meanwhile.
          isSought.value = false;
          throw error;
        }),
      );
    } catch (error) {
      if (!stop.aborted && !(error instanceof ApiProblem)) throw error;
    }
  };
  /** The sound that stays with the run; it is not stored in this browser. */
  const hear = async (key: string, bytes: number): Promise<Blob | undefined> => {
    arriving.value = 0;
    const onProgress = (fraction: number) => {
      arriving.value = fraction;
    };
    try {
      return await hearSound(key, runId, bytes, { signal: stop, onProgress });
    } catch (error) {
      if (stop.aborted || error instanceof ApiProblem) return undefined;
      throw error;
    } finally {
      arriving.value = null;
    }
  };
  /** Plays what stays with the run, where this browser does not have it. */
  const takeWhatStays = async (key: string): Promise<void> => {
    const { sound: heard, video } = stays.peek() ?? {};
    if (video && !localVideo()) take({ address: video.play });
    if (sound || !heard) return;
    const found = await hear(key, heard.bytes);
    // A file that was opened meanwhile stays.
    if (!found || sound) return;
    sound = found;
    if (!media.peek()) take(found);
    await read(found);
  };
  const askAgain = async (): Promise<void> => {
    const key = bearer.key();
    if (key === null || isOwnRun(runId)) return;
    await ask(key);
    await takeWhatStays(key);
  };
  const begin = async () => {
    const coming = comingMedia(runId);
    if (coming) {
      picture.value = coming.picture;
      isVideo.value = true;
      await coming.load();
    }
    const local = localMedia(runId);
    // At once, so that nothing moves when the picture comes.
    if (local) take(local);
    const video = local ?? (await keptVideo(runId).catch(() => undefined));
    const kept = await keptRecording(runId).catch(() => undefined);
    const first = video ?? kept;
    // Prefer the MP3 for the waveform: the captions were made from it, and it is smaller.
    sound = kept ?? first ?? sound;
    if (first) {
      isSought.value = false;
      take(first);
    }
    await Promise.all([sound && read(sound), askAgain()]);
    isSought.value = false;
    void readRate();
    // Somebody may sign in later.
    const end = effect(() => {
      if (session.value !== null && stays.peek() === null) void askAgain();
    });
    stop.addEventListener('abort', end);
  };
  void begin();

  return {
    media,
    isVideo,
    picture,
    peaks,
    waveform,
    fine,
    async refine(view) {
      if (!sound || (fine.peek() && covers(fine.peek()!, view))) return;
      closer?.abort();
      closer = new AbortController();
      const { signal: isOld } = closer;
      const { readFinePeaks } = await import('../../media/peaks.ts');
      const either = AbortSignal.any([stop, isOld]);
      const around = { from: Math.max(0, view.left - view.span), to: view.left + 2 * view.span };
      const found = await readFinePeaks(sound, around, either).catch((error: unknown) => {
        if (either.aborted || error instanceof ConversionError) return null;
        throw error;
      });
      if (found) fine.value = found;
    },
    shots,
    frameRate,
    findingShots,
    isSought,
    arriving,
    smallest: () => sound,
    video: localVideo,
    stays,
    askAgain,
    failedToPlay() {
      if (media.peek() instanceof Blob || Date.now() - askedAt < ASKED_AGAIN_MS) return;
      void askAgain();
    },
    async findShots() {
      const file = localVideo();
      if (!file) return false;
      if (findingShots.peek() !== null) return true;
      findingShots.value = 0;
      try {
        const part = await import('../../media/shots.ts');
        const found = await part.findShots(file, {
          signal: stop,
          onShots(some, fraction) {
            shots.value = some;
            findingShots.value = fraction;
          },
        });
        shots.value = found?.shots ?? [];
        frameRate.value = found?.frameRate ?? frameRate.peek();
        if (found) await keepPicture(runId, found);
        return found !== null;
      } catch (error) {
        stop.throwIfAborted();
        throw error;
      } finally {
        findingShots.value = null;
      }
    },
    async open(file) {
      setLocalMedia(runId, file);
      take(file);
      if (isVideo.peek()) void keepVideo(runId, file).catch(() => {});
      // The file is played even if it cannot be checked.
      if (await isMp3(file).catch(() => false)) await keepRecording(runId, file).catch(() => {});
      sound ??= file;
      await read(file);
      await readRate();
    },
  };
}

const keptPeaks = async (runId: string): Promise<Peaks | undefined> =>
  stores()
    .then((database) => database.get('peaks', runId))
    .catch(() => undefined);

/** Stores the shots and frame rate with the waveform, so that a reload does not search again. */
async function keepPicture(runId: string, { shots, frameRate }: FoundPicture): Promise<void> {
  const kept = await keptPeaks(runId);
  const known = frameRate === null ? {} : { frameRate };
  if (kept)
    await (await stores()).put('peaks', { ...kept, shots, ...known }, runId).catch(() => {});
}
