/** The recording of a review, opened from a file or stored in this browser, with its waveform. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { ApiProblem } from '../../api/request.ts';
import { guest } from '../../tab/guest.ts';
import { ConversionError } from '../../media/conversion-error.ts';
import { isMp3 } from '../../media/mp3.ts';
import type { Peaks } from '../../media/peaks.ts';
import type { FoundPicture } from '../../media/shots.ts';
import { localMedia, setLocalMedia } from '../../job/local-media.ts';
import type { TimeView } from '../model/time-view.ts';
import { covers, type FinePeaks } from './draw-time-line.ts';
import { keepRecording, keptRecording } from '../../storage/runs.ts';
import { stores } from '../../storage/stores.ts';

export interface Recording {
  /** The media to play; null if there is none here. */
  media: ReadonlySignal<Blob | null>;
  isVideo: ReadonlySignal<boolean>;
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
  /** How much of the recording of a link has arrived, from 0 to 1; null if none is loading. */
  arriving: ReadonlySignal<number | null>;
  /** The recording or, if it is there, the MP3 that was made from it; undefined if there is none here. */
  smallest(): Blob | undefined;
  /** Opens a file chosen by the user. */
  open(file: File): Promise<void>;
}

/** Finds the recording of a run. */
export function findRecording(runId: string, stop: AbortSignal): Recording {
  const media = signal<Blob | null>(null);
  const isVideo = signal(false);
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

  const take = (file: Blob) => {
    isVideo.value = looksLikeVideo(file);
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
  /** The recording of the link by which the page was opened; it is not stored in this browser. */
  const hear = async (): Promise<Blob | undefined> => {
    const from = guest.peek()?.hear;
    if (!from) return undefined;
    arriving.value = 0;
    const onProgress = (fraction: number) => {
      arriving.value = fraction;
    };
    try {
      const heard = await from({ signal: stop, onProgress });
      // A file that was opened meanwhile stays.
      return media.peek() ? undefined : heard;
    } catch (error) {
      if (stop.aborted || error instanceof ApiProblem) return undefined;
      throw error;
    } finally {
      arriving.value = null;
    }
  };
  const begin = async () => {
    const opened = localMedia(runId);
    const kept = await keptRecording(runId).catch(() => undefined);
    isSought.value = false;
    const first = opened ?? kept ?? (await hear());
    if (first) take(first);
    // Prefer the MP3 for the waveform: the captions were made from it, and it is smaller.
    sound = kept ?? opened ?? first ?? sound;
    if (sound) await read(sound);
  };
  void begin();

  return {
    media,
    isVideo,
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
    async findShots() {
      const file = media.peek();
      if (!file || !isVideo.peek()) return false;
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
        frameRate.value = found?.frameRate ?? null;
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
      // The file is played even if it cannot be checked.
      if (await isMp3(file).catch(() => false)) await keepRecording(runId, file).catch(() => {});
      sound ??= file;
      await read(file);
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

const looksLikeVideo = (file: Blob): boolean =>
  file.type.startsWith('video/') ||
  (file instanceof File && /\.(mp4|mov|mkv|webm|m4v)$/i.test(file.name));
