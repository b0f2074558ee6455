/** The recording of a review: the file that was opened, or the MP3 that this browser keeps; and its waveform. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { ConversionError } from '../media/conversion-error.ts';
import { isMp3 } from '../media/mp3.ts';
import type { Peaks } from '../media/peaks.ts';
import type { FoundPicture } from '../media/shots.ts';
import { localMedia, setLocalMedia } from '../run/local-media.ts';
import { stores } from '../storage/database.ts';
import { keepRecording, keptRecording } from '../storage/runs.ts';

export interface Recording {
  /** What is played; null where there is none here. */
  media: ReadonlySignal<Blob | null>;
  isVideo: ReadonlySignal<boolean>;
  /** 50 a second, 0 to 255; null while there are none. */
  peaks: ReadonlySignal<Uint8Array | null>;
  /** Frames a second of the video, where they were counted; null where not. */
  frameRate: ReadonlySignal<number | null>;
  /** Times of shot changes of the video in seconds, as far as they were found. */
  shots: ReadonlySignal<readonly number[]>;
  waveform: ReadonlySignal<'none' | 'reading' | 'ready' | 'unreadable'>;
  /** How far the search for shot changes is, 0 to 1; null while there is none. */
  findingShots: ReadonlySignal<number | null>;
  /** Looks for the shot changes of the video; false where there is no video to look at. */
  findShots(): Promise<boolean>;
  /** Takes a file that somebody opens. */
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
  const findingShots = signal<number | null>(null);

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
        const { readPeaks } = await import('../media/peaks.ts');
        const found = await readPeaks(file, {
          signal: stop,
          onPeaks: (values) => {
            peaks.value = values;
          },
        });
        peaks.value = found.values;
        await (await stores()).put('peaks', found, runId).catch(() => {});
      }
      waveform.value = 'ready';
    } catch (error) {
      if (stop.aborted) return;
      waveform.value = 'unreadable';
      if (!(error instanceof ConversionError)) throw error;
    }
  };
  const begin = async () => {
    const opened = localMedia(runId);
    const kept = await keptRecording(runId).catch(() => undefined);
    const first = opened ?? kept;
    if (first) take(first);
    // The MP3 is what the captions were made of, and the smaller of the two.
    const sound = kept ?? opened;
    if (sound) await read(sound);
  };
  void begin();

  return {
    media,
    isVideo,
    peaks,
    waveform,
    shots,
    frameRate,
    findingShots,
    async findShots() {
      const file = media.peek();
      if (!file || !isVideo.peek()) return false;
      if (findingShots.peek() !== null) return true;
      findingShots.value = 0;
      try {
        const part = await import('../media/shots.ts');
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
      // Where nobody can tell, the file is played all the same.
      if (await isMp3(file).catch(() => false)) await keepRecording(runId, file).catch(() => {});
      await read(file);
    },
  };
}

const keptPeaks = async (runId: string): Promise<Peaks | undefined> =>
  stores()
    .then((database) => database.get('peaks', runId))
    .catch(() => undefined);

/** Keeps what was found in the video beside the waveform, so that a reload need not look again. */
async function keepPicture(runId: string, { shots, frameRate }: FoundPicture): Promise<void> {
  const kept = await keptPeaks(runId);
  const known = frameRate === null ? {} : { frameRate };
  if (kept)
    await (await stores()).put('peaks', { ...kept, shots, ...known }, runId).catch(() => {});
}

const looksLikeVideo = (file: Blob): boolean =>
  file.type.startsWith('video/') ||
  (file instanceof File && /\.(mp4|mov|mkv|webm|m4v)$/i.test(file.name));
