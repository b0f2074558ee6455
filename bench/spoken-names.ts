/**
 * Invented names that synthetic voices speak, through the caption command with its own choice of recogniser: how many
 * are written as they were given, without and with a glossary of them, of names that sound like them, and of others.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CaptionerCompletedResult } from '../server/contract/results.ts';
import { recognisersHere } from './hearing/recognisers.ts';
import { normalised } from './hearing/score/normalise.ts';
import { wordErrors } from './hearing/score/word-errors.ts';
import { installedVoices, recordingOf } from './hearing/voices.ts';

/** Twenty names, each with one that sounds like it: the first are spoken in one recording, the second in another. */
const PAIRS =
  `Velmora/Belmora Trexilon/Drexilon Kovandia/Govandia Pellistar/Pellastor Ondrivane/Andrivane
  Zubrelle/Subrelle Halcotron/Halgotron Lumidor/Rumidor Castigrid/Castrigrid Northvell/Northfell Brightquill/Brightwill
  Fenbury_Labs/Fernbury_Labs Marit_Oskval/Marek_Oskvol Devin_Talbrecht/Kevin_Talbreck Ilsa_Prenwick/Elsa_Brenwick
  Joran_Pemsky/Goran_Pemski Thessia_Maldane/Tessia_Maldine Ruben_Askelund/Robin_Askalund Corwin_Bashdale/Corvin_Vashdale
  Noreen_Quimbal/Maureen_Kimball`
    .split(/\s+/)
    .map((pair) => pair.replaceAll('_', ' ').split('/') as [string, string]);
const OTHERS =
  'Yarrowin,Stenmark Capital,Oxtalis,Gravonne,Wickstead,Plimora,Jessup Dray,Anika Torvo,Umberlin,Haddix'.split(
    ',',
  );
/** Sentences for a name. */
const FRAMES = [
  'The next talk is about %, and how we have used it since last year.',
  'Thank you very much, %, that was a wonderful introduction.',
  'I first heard of % when we were looking for a new office.',
  'Most of what you see on this slide comes from %.',
  'People ask me whether % will be there in the autumn.',
];
const ORDINARY = [
  'We started this work in a small room with two chairs and a table.',
  'The weather was so bad that nobody wanted to leave the house.',
  'If you have a question, please raise your hand and wait for the microphone.',
  'Half of the people here have never written a line of code.',
  'It took us three months to find out what the problem was.',
  'Let me show you a picture of the first machine that we built.',
  'There will be coffee and sandwiches in the hall after this talk.',
  'My grandmother used to say that patience is a kind of courage.',
  'The results were better than anything we had expected.',
  'You can find all of the numbers in the report on our website.',
];

/** A sentence with the words around its name, if it has one. */
interface Said {
  before: string;
  name: string;
  after: string;
}

/** The sentences of a recording: two with a name, then one without. */
const saidWith = (names: readonly string[]): Said[] =>
  names.flatMap((name, at) => {
    const [before = '', after = ''] = FRAMES[at % FRAMES.length]!.split('%');
    const ordinary = at % 2 === 0 ? [] : [ORDINARY[(at - 1) / 2]!];
    return [
      { before, name, after },
      ...ordinary.map((text) => ({ before: text, name: '', after: '' })),
    ];
  });

/** What the caption command hears in a recording. */
function captioned(
  path: string,
  glossary: readonly string[],
  modelsDir: string,
): CaptionerCompletedResult {
  const command = fileURLToPath(new URL('../scripts/caption.ts', import.meta.url));
  const given = glossary.length === 0 ? [] : ['--glossary', glossary.join(', ')];
  const ran = spawnSync(process.execPath, [command, path, '--format', 'json', ...given], {
    env: { ...process.env, MODELS_DIR: modelsDir },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (ran.status !== 0) throw new Error(ran.stderr.slice(-500));
  return JSON.parse(ran.stdout) as CaptionerCompletedResult;
}

/** The names that a result has as they are given, those that an edit wrote, and the other words that it lacks. */
function counted(said: readonly Said[], { transcript, audit }: CaptionerCompletedResult) {
  const text = transcript.words.map((word) => word.text).join(' ');
  const isIn = (one: string, name: string) =>
    new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, 'u').test(one);
  const names = said.flatMap(({ name }) => (name !== '' && isIn(text, name) ? [name] : []));
  const edits = audit.corrections.filter(({ decision }) => decision === 'accepted');
  const words = said.flatMap(({ before, name, after }) =>
    [before, name, after].flatMap((part) =>
      normalised(part, 'en').map((word) => ({ word, isName: part === name })),
    ),
  );
  const heard = normalised(text, 'en');
  const { agreed } = wordErrors(
    words.map(({ word }) => word),
    heard,
  );
  const right = new Set(agreed.map(([reference]) => reference));
  if (process.env['HEARING_SHOW']) {
    const missed = said.filter(({ name }) => name !== '' && !names.includes(name));
    console.error(missed.map(({ name }) => name).join(', '), '|', text);
  }
  return {
    names: names.length,
    edited: names.filter((name) => edits.some(({ after }) => isIn(after, name))).length,
    wrong: words.filter(({ isName }, at) => !isName && !right.has(at)).length,
    words: words.filter(({ isName }) => !isName).length,
  };
}

/** A row for each voice and recording; a sentence that says what is missing, if it cannot be measured here. */
export async function spokenNames(): Promise<Record<string, string>[] | string> {
  const modelsDir = process.env['HEARING_MODELS'] ?? process.env['MODELS_DIR'] ?? './data/models';
  const installed = await recognisersHere(modelsDir);
  if (!installed.some(({ ours, acceptsTerms }) => ours && acceptsTerms)) {
    return 'no model that takes key terms is in HEARING_MODELS or MODELS_DIR, so no spoken names were measured';
  }
  const voices = installedVoices();
  if (voices.length === 0) return 'flite and espeak-ng, which speak the names, are not installed';
  const glossary = [...PAIRS.flat(), ...OTHERS];
  const rows: Record<string, string>[] = [];
  for (const set of [0, 1] as const) {
    const said = saidWith(PAIRS.map((pair) => pair[set]));
    const folder = await mkdtemp(join(tmpdir(), 'captioner-names-'));
    try {
      for (const voice of voices) {
        const texts = said.map(({ before, name, after }) => before + name + after);
        const { path } = await recordingOf(voice, texts, folder);
        const without = counted(said, captioned(path, [], modelsDir));
        const result = captioned(path, glossary, modelsDir);
        const given = counted(said, result);
        rows.push({
          'twenty invented names': `${set === 0 ? 'first' : 'second'} set`,
          voice: voice.name,
          recogniser: String(result.transcript.metadata.model),
          'right without a glossary': String(without.names),
          'right with it': String(given.names),
          'of these by an edit': String(given.edited),
          'other words wrong, without': `${without.wrong} of ${without.words}`,
          'with it': String(given.wrong),
        });
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return rows;
}
