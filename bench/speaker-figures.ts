/**
 * Measures how speakers are told apart by voice: meetings with true turns, and talks of one to six readers that are
 * joined from their sentences, clean, by telephone, in noise and far from the microphone. Of each reader, every other
 * sentence was used to fit the grouping; the others check it. And how often names are proposed for voices that are known
 * from another recording. Models: HEARING_MODELS, otherwise MODELS_DIR.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEnginePool } from '../server/speech/host/engine-pool.ts';
import { createEngines } from '../server/speech/host/engines.ts';
import { joinVoices } from '../server/speech/host/voices.ts';
import type { DetectedVoices } from '../server/speech/host/engine-messages.ts';
import { proposeNames } from '../server/voices/propose-names.ts';
import { commonPrint } from '../server/voices/voiceprints.ts';
import { SPEECH_RATE } from '../server/mp3/resample.ts';

const SHARED = fileURLToPath(new URL('../../shared/speakers', import.meta.url));
const MOST = 6;

/** When somebody speaks, in seconds. */
interface Turn {
  start: number;
  end: number;
  speaker: string;
}

interface Talk {
  set: string;
  samples: Float32Array;
  turns: Turn[];
}

/** The filters of ffmpeg for each way of recording. */
const WAYS: Readonly<Record<string, string>> = {
  clean: 'anull',
  telephone: 'aresample=8000,highpass=f=300,lowpass=f=3400,aresample=16000',
  far: 'aecho=0.8:0.7:23|41|67:0.4|0.3|0.2,lowpass=f=5000,volume=0.3',
};

/** The tables; empty without the material, ffmpeg or the models. */
export async function speakerFigures(): Promise<object[][]> {
  const modelsDir = process.env['HEARING_MODELS'] ?? process.env['MODELS_DIR'] ?? './data/models';
  if (!existsSync(SHARED)) return [];
  const never = new AbortController().signal;
  const pool = createEnginePool(1);
  const engines = createEngines({ modelsDir, speechModel: 'auto' }, () =>
    Promise.reject(new Error('nothing is recognised')),
  );
  try {
    const model = await engines.speakerModels(never, false);
    const rows = new Map<string, ReturnType<typeof counted>[]>();
    for (const talk of talks()) {
      const began = performance.now();
      const voices = await pool.findVoices(model, talk.samples, never);
      const seconds = (performance.now() - began) / 1000;
      const end = talk.samples.length / SPEECH_RATE;
      const found = joinVoices([{ start: 0, end, ...voices }]);
      const count = counted(talk.turns, found, end);
      rows.set(talk.set, [...(rows.get(talk.set) ?? []), { ...count, seconds, duration: end }]);
    }
    const voices = await heardSentences((samples) => pool.findVoices(model, samples, never));
    return [[...rows].map(([set, counts]) => rowOf(set, counts)), proposalRows(voices)];
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return [];
  } finally {
    pool.close();
  }
}

/** The voice of a sentence, recorded in some way. */
interface Sentence {
  reader: string;
  way: string;
  at: number;
  voice: { print: readonly number[]; seconds: number };
}

const WAYS_AGAIN = [...Object.keys(WAYS), 'noise'];
/** Talks by chance for each way of recording. */
const CHANCES = 400;

async function heardSentences(
  hear: (samples: Float32Array) => Promise<DetectedVoices>,
): Promise<Sentence[]> {
  const sentences: Sentence[] = [];
  for (const folder of readerFolders()) {
    for (const [at, name] of readdirSync(folder).toSorted().entries()) {
      const samples = decoded(join(folder, name));
      for (const way of WAYS_AGAIN) {
        const { turns, prints } = await hear(
          way === 'noise' ? noisy(samples, randomFrom(at + 1)) : filtered(samples, way),
        );
        const seconds = prints.map((_, voice) =>
          turns.reduce((sum, turn) => sum + (turn.voice === voice ? turn.end - turn.start : 0), 0),
        );
        const heard = prints.flatMap((print, voice) =>
          print ? [{ print, seconds: seconds[voice]! }] : [],
        );
        sentences.push({ reader: folder, way, at, voice: togetherOf(heard) });
      }
    }
  }
  return sentences;
}

const togetherOf = (voices: readonly Sentence['voice'][]): Sentence['voice'] => ({
  print: commonPrint(voices),
  seconds: voices.reduce((sum, { seconds }) => sum + seconds, 0),
});

/**
 * How often names are proposed, and wrong: of three readers, two are known by two to four of their even sentences, in
 * some way of recording, and all three say one to four of their odd ones in another. The first three readers were
 * used to choose how similar voices must be, the others check it.
 */
function proposalRows(sentences: readonly Sentence[]): object[] {
  const readers = [...new Set(sentences.map(({ reader }) => reader))];
  return [readers.slice(0, 3), readers.slice(3)].flatMap((half, at) =>
    WAYS_AGAIN.map((way, seed) => {
      const random = randomFrom(100 + seed);
      const some = (reader: string, how: string, odd: number, count: number) => {
        const own = sentences.filter(
          (each) => each.reader === reader && each.way === how && each.at % 2 === odd,
        );
        const chosen = own.map((each) => ({ each, order: random() }));
        return togetherOf(
          chosen
            .toSorted((a, b) => a.order - b.order)
            .slice(0, count)
            .map(({ each }) => each.voice),
        );
      };
      let [asked, right, wrong, strangers] = [0, 0, 0, 0];
      for (let turn = 0; turn < CHANCES; turn += 1) {
        for (const stranger of half) {
          const how = WAYS_AGAIN.filter((each) => each !== 'telephone')[Math.floor(3 * random())]!;
          const known = half
            .filter((reader) => reader !== stranger)
            .map((reader) => ({
              ...some(reader, how, 0, 2 + Math.floor(3 * random())),
              personId: reader,
              name: reader,
              model: 'one',
            }));
          const own = half.map((reader) => ({
            ...some(reader, way, 1, 1 + Math.floor(4 * random())),
            speaker: reader,
            model: 'one',
            personId: null,
            refused: [],
          }));
          const proposals = proposeNames(own, known);
          strangers += 1;
          asked += known.length;
          for (const [speaker, { personId }] of proposals) {
            if (speaker === personId) right += 1;
            else wrong += 1;
          }
        }
      }
      return {
        readers: at === 0 ? 'chosen on' : 'to check',
        'second recording': way,
        'known voices proposed': percent(right, asked),
        'wrong names': `${wrong} of ${right + wrong}`,
        strangers,
      };
    }),
  );
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)}%`;

function rowOf(set: string, counts: readonly ReturnType<typeof counted>[]) {
  const sum = (of: (count: ReturnType<typeof counted>) => number): number =>
    counts.reduce((total, count) => total + of(count), 0);
  const spoken = sum((count) => count.spoken);
  return {
    talks: set,
    'number right': `${counts.filter(({ found, true: known }) => found === known).length} of ${counts.length}`,
    'wrong speaker': percent(
      sum((count) => count.wrong),
      spoken,
    ),
    missed: percent(
      sum((count) => count.missed),
      spoken,
    ),
    'nobody speaks': percent(
      sum((count) => count.invented),
      spoken,
    ),
    'error (DER)': percent(
      sum((count) => count.wrong + count.missed + count.invented),
      spoken,
    ),
    '× real time': (sum((count) => count.duration) / sum((count) => count.seconds)).toFixed(0),
  };
}

/** The seconds of each kind of error, without a collar, and with overlaps. */
function counted(truth: readonly Turn[], found: readonly Turn[], duration: number) {
  const frames = Math.round(duration * 100);
  const [own, heard] = [truth, found].map((turns) => tracksOf(turns, frames));
  const shared = own!.map((track) =>
    heard!.map((other) => track.reduce((sum, on, at) => sum + (on & other[at]!), 0)),
  );
  const matched = matches(shared);
  let [spoken, missed, invented, wrong] = [0, 0, 0, 0];
  for (let at = 0; at < frames; at += 1) {
    const speaking = own!.reduce((sum, track) => sum + track[at]!, 0);
    const hearing = heard!.reduce((sum, track) => sum + track[at]!, 0);
    const right = own!.reduce((sum, track, who) => {
      const other = matched[who];
      return sum + (other === undefined ? 0 : track[at]! & heard![other]![at]!);
    }, 0);
    spoken += speaking / 100;
    missed += Math.max(0, speaking - hearing) / 100;
    invented += Math.max(0, hearing - speaking) / 100;
    wrong += (Math.min(speaking, hearing) - right) / 100;
  }
  const base = { spoken, missed, invented, wrong, seconds: 0, duration };
  return { ...base, true: own!.length, found: heard!.length };
}

function tracksOf(turns: readonly Turn[], frames: number): Uint8Array[] {
  const tracks = new Map<string, Uint8Array>();
  for (const { start, end, speaker } of turns) {
    const track = tracks.get(speaker) ?? new Uint8Array(frames);
    tracks.set(speaker, track.fill(1, Math.round(start * 100), Math.round(end * 100)));
  }
  return [...tracks.values()];
}

/** The found speaker of each true one, so that as much as possible is right: the best of all ways for few speakers. */
function matches(shared: readonly (readonly number[])[]): (number | undefined)[] {
  const columns = shared[0]?.length ?? 0;
  const best = (
    row: number,
    free: ReadonlySet<number>,
  ): { sum: number; of: (number | undefined)[] } => {
    if (row === shared.length) return { sum: 0, of: [] };
    const without = best(row + 1, free);
    let most = { sum: without.sum, of: [undefined, ...without.of] as (number | undefined)[] };
    for (const column of free) {
      if (shared[row]![column] === 0) continue;
      const rest = best(row + 1, new Set([...free].filter((each) => each !== column)));
      const sum = rest.sum + shared[row]![column]!;
      if (sum > most.sum) most = { sum, of: [column, ...rest.of] };
    }
    return most;
  };
  // Those with the most in common with somebody come first; the others can hardly matter.
  const columnsBySum = Array.from({ length: columns }, (_, at) => at)
    .toSorted(
      (a, b) =>
        Math.max(...shared.map((row) => row[b]!)) - Math.max(...shared.map((row) => row[a]!)),
    )
    .slice(0, MOST + 2);
  return best(0, new Set(columnsBySum)).of;
}

/** Pseudo-random numbers, the same every time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

function* talks(): Generator<Talk> {
  const meetings = join(SHARED, 'meetings');
  for (const file of readdirSync(meetings)
    .filter((name) => name.endsWith('.rttm'))
    .toSorted()) {
    const turns = readFileSync(join(meetings, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/))
      .map((cells) => ({
        start: Number(cells[3]),
        end: Number(cells[3]) + Number(cells[4]),
        speaker: cells[7]!,
      }));
    const samples = decoded(join(meetings, file.replace('.rttm', '.flac')));
    yield { set: 'meetings of 30 s', samples, turns };
  }
  const readers = readerFolders();
  for (const half of [0, 1]) {
    const sentences = readers.map((folder) =>
      readdirSync(folder)
        .toSorted()
        .filter((_, at) => at % 2 === half)
        .map((name) => decoded(join(folder, name))),
    );
    const of = half === 0 ? 'fitted on' : 'to check';
    for (const way of [...Object.keys(WAYS), 'noise']) {
      for (let count = 1; count <= MOST; count += 1) {
        const random = randomFrom(1000 * half + 10 * count + way.length);
        const people = sentences.map((own, at) => ({ own, at, order: random() }));
        const who = people.toSorted((a, b) => a.order - b.order).slice(0, count);
        const talk = joined(
          who.map(({ own, at }) => ({ name: readers[at]!, sentences: own })),
          count === 1 ? 45 : 40 + 15 * count,
          random,
        );
        const samples = way === 'noise' ? noisy(talk.samples, random) : filtered(talk.samples, way);
        const set = count === 1 ? 'one reader' : 'two to six readers';
        yield { set: `${set}, ${of}`, samples, turns: talk.turns };
      }
    }
  }
}

const readerFolders = (): string[] =>
  readdirSync(join(SHARED, 'readers'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(SHARED, 'readers', name))
    .toSorted();

/** Turns of .7 to 8 s, one in four of them shorter than 1.7 s, with pauses between them. */
function joined(
  people: readonly { name: string; sentences: readonly Float32Array[] }[],
  seconds: number,
  random: () => number,
): Omit<Talk, 'set'> {
  const samples = new Float32Array((seconds + 10) * SPEECH_RATE);
  const turns: Turn[] = [];
  const places = people.map(() => ({ sentence: 0, at: 0 }));
  let [end, before] = [0, -1];
  while (end < seconds * SPEECH_RATE) {
    let who = Math.floor(random() * people.length);
    if (who === before) who = (who + 1) % people.length;
    before = who;
    const { name, sentences } = people[who]!;
    const place = places[who]!;
    const sentence = sentences[place.sentence % sentences.length]!;
    const length = (random() < 0.25 ? 0.7 + random() : 1.6 + 6.4 * random()) * SPEECH_RATE;
    const part = sentence.subarray(place.at, place.at + Math.round(length));
    place.at += part.length;
    if (place.at > sentence.length - SPEECH_RATE / 2)
      Object.assign(place, { sentence: place.sentence + 1, at: 0 });
    if (part.length < SPEECH_RATE / 2) continue;
    samples.set(part, end);
    for (const spoken of spokenIn(part)) {
      turns.push({
        start: end / SPEECH_RATE + spoken.start,
        end: end / SPEECH_RATE + spoken.end,
        speaker: name,
      });
    }
    end += part.length + Math.round((0.1 + 0.6 * random()) * SPEECH_RATE);
  }
  return { samples: samples.subarray(0, end), turns };
}

/** Where a reader speaks: the frames of at least 3% of the loudest level, over pauses of less than .3 s. */
function spokenIn(samples: Float32Array): { start: number; end: number }[] {
  const frame = SPEECH_RATE / 50;
  const levels = Array.from({ length: Math.floor(samples.length / frame) }, (_, at) =>
    Math.hypot(...samples.subarray(at * frame, (at + 1) * frame)),
  );
  const loud = levels.toSorted((a, b) => b - a)[Math.floor(levels.length / 20)] ?? 0;
  const parts: { start: number; end: number }[] = [];
  for (const [at, level] of levels.entries()) {
    if (level < 0.03 * loud) continue;
    const last = parts.at(-1);
    if (last && at / 50 - last.end < 0.3) last.end = (at + 1) / 50;
    else parts.push({ start: at / 50, end: (at + 1) / 50 });
  }
  return parts.filter(({ start, end }) => end - start > 0.1);
}

/** Low-passed noise, 12 dB below the speech. */
function noisy(samples: Float32Array, random: () => number): Float32Array {
  const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length;
  const level = Math.sqrt(3 * power) * 10 ** (-12 / 20);
  let noise = 0;
  return samples.map((value) => {
    noise = 0.7 * noise + 0.7 * (2 * random() - 1);
    return value + noise * level;
  });
}

const decoded = (path: string): Float32Array => converted(['-i', path], undefined, 'anull');

const RAW = ['-f', 'f32le', '-ar', String(SPEECH_RATE), '-ac', '1'];

const filtered = (samples: Float32Array, way: string): Float32Array =>
  converted([...RAW, '-i', '-'], samples, WAYS[way]!);

function converted(
  from: readonly string[],
  input: Float32Array | undefined,
  filter: string,
): Float32Array {
  const { status, stdout, stderr } = spawnSync(
    'ffmpeg',
    ['-loglevel', 'error', ...from, '-af', filter, ...RAW, '-'],
    {
      maxBuffer: 1 << 28,
      ...(input && { input: new Uint8Array(input.buffer, input.byteOffset, input.byteLength) }),
    },
  );
  if (status !== 0) throw new Error(`ffmpeg failed: ${stderr.toString()}`);
  return new Float32Array(new Uint8Array(stdout).buffer);
}
