/** Decoding MP3 for the recogniser on this host, against ffmpeg and real time. */
import { join } from 'node:path';
import { storedAudio } from '../../server/runs/threads/run-execution.ts';
import { decodeMono16k } from '../../server/mp3/decode.ts';
import { indexMp3, type AudioSource } from '../../server/mp3/frames.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { sample } from '../../test/support/sample.ts';
import { ffmpeg } from '../ffmpeg.ts';
import { bySize, growth } from '../growth.ts';
import { inTurn, row, timed } from '../measure.ts';
import { MEBIBYTE, recordingOfBytes, repeatedFor } from '../recording.ts';
import type { Bench } from '../section.ts';
import { folderOf } from '../service.ts';

const SECONDS = 3600;
const ROUNDS = 2;
const ENCODINGS = {
  '16 kHz mono': '-ac 1 -ar 16000 -b:a 32k',
  '44.1 kHz stereo': '-ac 2 -ar 44100 -b:a 128k',
};
/** No data before or after the frames, so that the files can be concatenated. */
const BARE_FRAMES = '-map_metadata -1 -write_xing 0 -id3v2_version 0 -y'.split(' ');

/** Measures decoding; without ffmpeg, only the indexing of an MP3. */
export async function decode(bench: Bench): Promise<void> {
  const folder = await folderOf(bench);
  const indexed = (size: number) => {
    const stored = store(folder, `${size}.mp3`, recordingOfBytes(size * MEBIBYTE));
    return timed(async () => indexMp3(await stored));
  };
  bench.growths(
    growth(
      'MP3 index of a recording',
      '1 / 10 / 100 MiB',
      'ms',
      await bySize(3, [1, 10, 100], indexed),
    ),
  );
  if (!Bun.which('ffmpeg')) {
    bench.note('decoding is not measured: there is no ffmpeg here');
    return;
  }
  for (const [encoding, how] of Object.entries(ENCODINGS)) {
    const [once, whole] = [join(folder, 'once.mp3'), join(folder, 'whole.mp3')];
    ffmpeg('-i', sample, ...how.split(' '), ...BARE_FRAMES, once);
    const bytes = repeatedFor(await Bun.file(once).bytes(), SECONDS);
    await Bun.write(whole, bytes);
    const audio = await store(folder, 'whole.mp3', bytes);
    const { ours, theirs } = await inTurn(ROUNDS, {
      ours: timed(() => decoded(audio)),
      theirs: timed(() =>
        ffmpeg('-threads', '1', '-i', whole, ...'-ac 1 -ar 16000 -f s16le -y /dev/null'.split(' ')),
      ),
    });
    const what = `1 h of MP3 (${encoding}) to 16 kHz mono PCM`;
    bench.rows(
      row(what, 'ffmpeg -threads 1', 'ms', ours, theirs),
      row(what, 'real time', 'ms', ours, [SECONDS * 1000]),
      row(`${what}, by ffmpeg -threads 1`, 'real time', 'ms', theirs, [SECONDS * 1000]),
    );
  }
}

/** Stores a recording on disk, as a run finds it. */
async function store(folder: string, key: string, bytes: Uint8Array): Promise<AudioSource> {
  const audio = createDiskAudioStore(join(folder, 'audio'));
  await audio.put(
    'bench',
    key,
    (async function* () {
      yield bytes;
    })(),
  );
  const found = await storedAudio(audio, 'bench', key).open();
  if (!found) throw new Error(`${key} was not stored`);
  return found.source;
}

/** Indexes and decodes a whole recording; the samples are discarded. */
async function decoded(audio: AudioSource): Promise<void> {
  const index = await indexMp3(audio);
  const blocks = decodeMono16k(audio, index, { start: 0, end: index.duration });
  let samples = 0;
  for await (const block of blocks) samples += block.length;
  if (samples < SECONDS * 16_000) throw new Error(`only ${samples} samples came out`);
}
