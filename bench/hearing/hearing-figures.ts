/**
 * Measures the recognisers on this host: word errors, times, speed and memory on real speech; words
 * invented where nobody speaks; terms of the packs in sentences, before and after correction.
 * Models: HEARING_MODELS, otherwise MODELS_DIR. HEARING_MINUTES sets the length of each sound (5);
 * HEARING_TABLES chooses among speech, recordings (of HEARING_RECORDINGS), speed, inventions, seams, terms and calibration (all);
 * HEARING_FOLDER keeps the recordings made.
 * HEARING_TOLD=yes recognises the terms' sentences only with the key terms, HEARING_TOLD=no only without.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPacks, packsFolder } from '../../server/terminology/packs/packs.ts';
import { calibrationFigures } from './calibration-figures.ts';
import { carriersOf } from './carriers.ts';
import { spokenTermsOf } from './spoken-terms.ts';
import { recognisersHere, type Hearing, type RecogniserUnderTest } from './recognisers.ts';
import { normalised } from './score/normalise.ts';
import { errorRate, wordErrors, type WordErrors } from './score/word-errors.ts';
import { recordingFigures } from './recording-figures.ts';
import { seamFigures } from './seam-figures.ts';
import { speedFigures } from './speed-figures.ts';
import { soundRecordings } from './sounds.ts';
import { termFigures } from './term-figures.ts';
import { installedVoices, recordingOf } from './voices.ts';

const SHARED = join(import.meta.dir, '../../../shared/audio');
const MINUTES = Number(process.env['HEARING_MINUTES'] ?? 5);

interface Reference {
  file: string;
  text: string;
  words: { text: string; start: number; end: number }[];
}

type Row = Record<string, string>;

const percent = (part: number): string => `${(100 * part).toFixed(1)}%`;
const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;

/** The tables: speech, recordings, speed, inventions, seams, terms, calibration. */
export async function hearingFigures(): Promise<object[][]> {
  const modelsDir = process.env['HEARING_MODELS'] ?? process.env['MODELS_DIR'] ?? './data/models';
  const asked = (process.env['HEARING_ENGINES'] ?? '').split(',').filter((name) => name !== '');
  const recognisers = (await recognisersHere(modelsDir)).filter(
    ({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)),
  );
  const kept = process.env['HEARING_FOLDER'];
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'captioner-hearing-')));
  await mkdir(folder, { recursive: true });
  try {
    const tables = {
      speech: () => speechFigures(recognisers),
      recordings: () => recordingFigures(recognisers),
      speed: () => speedFigures(recognisers, folder),
      inventions: () => inventionFigures(recognisers, folder),
      seams: () => seamFigures(recognisers, folder),
      terms: () => spokenTerms(recognisers, folder),
      calibration: () => calibrated(recognisers, folder),
    };
    const wanted = (process.env['HEARING_TABLES'] ?? Object.keys(tables).join()).split(',');
    const figures: Row[][] = [];
    for (const [name, make] of Object.entries(tables)) {
      if (wanted.includes(name)) figures.push(await make());
    }
    return figures;
  } finally {
    if (!kept) await rm(folder, { recursive: true, force: true });
  }
}

/** Word errors by language, word times and memory, on speech with references. */
async function speechFigures(recognisers: readonly RecogniserUnderTest[]): Promise<Row[]> {
  const path = join(SHARED, 'speech/references.json');
  if (!existsSync(path)) return [];
  const { languages }: { languages: Record<string, Reference> } = await Bun.file(path).json();
  const rows: Row[] = [];
  for (const recogniser of recognisers) {
    const row: Row = { recogniser: recogniser.name };
    const starts: number[] = [];
    let peak = 0;
    for (const [language, reference] of Object.entries(languages)) {
      if (!recogniser.knows(language)) {
        row[language] = '–';
        continue;
      }
      const [heard] = await recogniser.hear([join(SHARED, 'speech', reference.file)], language);
      if (!heard) continue;
      const errors = errorsOf(reference, heard, language, starts);
      row[language] = percent(errorRate([errors]));
      peak = Math.max(peak, heard.peak);
    }
    starts.sort((a, b) => a - b);
    row['starts, median / 95 %'] =
      `${Math.round(quantile(starts, 0.5) * 1000)} / ${Math.round(quantile(starts, 0.95) * 1000)} ms`;
    row['memory'] = `${Math.round(peak)} MiB`;
    rows.push(row);
  }
  return rows;
}

/** The confidences of English in silence and in noise, against what was said. */
async function calibrated(
  recognisers: readonly RecogniserUnderTest[],
  folder: string,
): Promise<Row[]> {
  const path = join(SHARED, 'speech/references.json');
  if (!existsSync(path)) return [];
  const { languages }: { languages: Record<string, Reference> } = await Bun.file(path).json();
  const speech = (file: string): string => join(SHARED, 'speech', file);
  const others = Object.entries(languages).flatMap(([language, { file }]) =>
    ['de', 'es', 'fr', 'it', 'pt'].includes(language) ? [speech(file)] : [],
  );
  const { text, file } = languages['en']!;
  const own: unknown[] = process.env['HEARING_RECORDINGS']
    ? await Bun.file(process.env['HEARING_RECORDINGS']).json()
    : [];
  const recordings = (own as { language: string; file: string; text: string }[]).filter(
    ({ language }) => language === 'en',
  );
  return calibrationFigures(
    recognisers,
    [
      { file: speech(file), text },
      { file: join(SHARED, 'jfk.mp3'), text: JFK },
      ...['a', 'b'].map((one) => ({ file: speech(`three-speakers-${one}.mp3`), text: THREE })),
      ...recordings,
    ],
    others,
    folder,
  );
}

const JFK =
  'And so, my fellow Americans: ask not what your country can do for you, ask what you can do for your country.';
const THREE =
  "And so it begins. This is what a crocodile sounds like. It's like meditating in the water and it's like. Ladies and gentlemen, please fasten your seatbelts, we are expecting some turbulence. Thank you.";

/** The errors of one recording; adds the differences of word starts to `starts`. */
function errorsOf(
  reference: Reference,
  heard: Hearing,
  language: string,
  starts: number[],
): WordErrors {
  const text = heard.words.map((word) => word.text).join(' ');
  const errors = wordErrors(normalised(reference.text, language), normalised(text, language));
  const one = (word: { text: string }): string => normalised(word.text, language).join('');
  const aligned = wordErrors(reference.words.map(one), heard.words.map(one));
  for (const [was, is] of aligned.agreed) {
    const [said, given] = [reference.words[was], heard.words[is]];
    if (said && given && one(said) !== '') starts.push(Math.abs(said.start - given.start));
  }
  return errors;
}

/** Words per hour in sounds without speech, with and without voice activity detection. */
async function inventionFigures(
  recognisers: readonly RecogniserUnderTest[],
  folder: string,
): Promise<Row[]> {
  if (!Bun.which('ffmpeg') || MINUTES === 0) return [];
  const sounds = soundRecordings(folder, MINUTES);
  const paths = sounds.map(({ path }) => path);
  const rows: Row[] = [];
  for (const recogniser of recognisers.filter(({ name }) => !name.endsWith('beam 5'))) {
    for (const vad of recogniser.ours ? [true, false] : [false]) {
      const heard = await recogniser.hear(paths, 'en', { vad });
      const row: Row = {
        'words an hour where nobody speaks': recogniser.name,
        'voice activity': vad ? 'by loudness or Silero' : 'off',
      };
      for (const [at, { name }] of sounds.entries()) {
        const words = heard[at]?.words ?? [];
        row[name] = String(Math.round((words.length * 60) / MINUTES));
        if (words.length > 0 && recogniser.ours && !recogniser.name.startsWith('pocket')) {
          const said = words.map(({ text, start }) => `${text}@${start.toFixed(1)}`).join(' ');
          console.error(`${recogniser.name} in ${name}: ${said.slice(0, 300)}`);
        }
      }
      rows.push(row);
    }
  }
  return rows;
}

/** Whether to recognise the terms' sentences with or without the key terms. */
function isAsked({ acceptsTerms }: RecogniserUnderTest, told: boolean): boolean {
  const only = process.env['HEARING_TOLD'];
  return (acceptsTerms || !told) && (only === undefined || (only === 'yes') === told);
}

/** Terms in sentences of several voices; rivals are left out, because they correct nothing. */
async function spokenTerms(
  recognisers: readonly RecogniserUnderTest[],
  folder: string,
): Promise<Row[]> {
  const packs = await loadPacks(packsFolder);
  const carriers = carriersOf(packs);
  const rows: Row[] = [];
  const spoken = [];
  for (const voice of installedVoices()) {
    const texts = carriers.map((carrier) => carrier.spoken);
    spoken.push({ voice, ...(await recordingOf(voice, texts, folder)) });
  }
  const terms = join(folder, 'terms.json');
  await Bun.write(terms, JSON.stringify(spokenTermsOf(packs)));
  for (const recogniser of recognisers.filter(({ ours }) => ours)) {
    for (const { voice, path, sentences } of spoken) {
      for (const told of [false, true].filter((each) => isAsked(recogniser, each))) {
        const from = `${recogniser.name}-${voice.name.replaceAll(' ', '-')}${told ? '-told' : ''}`;
        const file = join(folder, `heard-${from}.json`);
        if (!existsSync(file)) {
          const [heard] = await recogniser.hear([path], 'en', told ? { terms } : {});
          await Bun.write(file, JSON.stringify(heard));
        }
        const { words }: Hearing = await Bun.file(file).json();
        rows.push(
          termFigures(packs, carriers, sentences, words, {
            recogniser: recogniser.name,
            voice: `${voice.name}${voice.held ? ' (held out)' : ''}`,
            'told the terms': told ? 'yes' : 'no',
          }),
        );
      }
    }
  }
  return rows;
}
