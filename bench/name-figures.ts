/**
 * Measures names in real calls as four recognisers wrote them, audited with the names of the call and 150 of others:
 * the share that is wrong before and after, and the words that the audit makes wrong.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createAuditorRegistry } from '../server/language/registry.ts';
import type { TranscriptWord } from '../server/contract/results.ts';
import { compileTerminology } from '../server/terminology/packs/compile.ts';
import { correct } from '../server/terminology/decide/correct.ts';
import { GLOSSARIES } from './name-glossaries.ts';
import { loadPacks, packsFolder } from '../server/terminology/packs/packs.ts';
import { request } from '../test/terminology/support.ts';

/** The calls, with their references and the scorer, which are not part of the project. */
const SHARED = fileURLToPath(new URL('../../shared/names', import.meta.url));
const RECOGNISERS = ['google', 'microsoft', 'amazon', 'speechmatics'] as const;
const MIN_CONFIDENCE = 0.85;

/** What the scorer counts in one call. */
interface CallScore {
  words: number;
  names: number;
  missed: number;
  missedAfter: number;
  missedOffered: number;
  same: number;
  sameMended: number;
  sameOffered: number;
  near: number;
  nearMended: number;
  nearOffered: number;
  broken: number;
  brokenNames: number;
  brokenOffered: number;
  errors: number;
  errorsAfter: number;
}

interface Reference {
  tok: string[];
  name: boolean[];
  names: string[];
}

interface Sounding {
  same: number[];
  near: number[];
}

/** The functions of the scorer that are used here. */
interface Scorer {
  reference(folder: string): Reference;
  heard(folder: string, recogniser: string): TranscriptWord[];
  score(
    reference: Reference,
    before: readonly TranscriptWord[],
    after: readonly TranscriptWord[],
    offered: readonly TranscriptWord[],
    sounding?: Sounding,
  ): CallScore;
  sum(scores: readonly CallScore[]): CallScore;
}

/** The calls and their scorer. */
interface Material {
  calls: Call[];
  scorer: Scorer;
}

/** A call, with its own names and those of the others. */
interface Call {
  id: string;
  folder: string;
  reference: Reference;
  names: ReturnType<typeof namesOf>;
}

/** The calls; null if the material is not here. */
async function readCalls(): Promise<Material | null> {
  if (!existsSync(SHARED)) return null;
  const scorer: Scorer = await import(`${SHARED}/score.mjs`);
  const read = readdirSync(`${SHARED}/calls`)
    .toSorted()
    .map((id) => {
      const folder = `${SHARED}/calls/${id}`;
      return { id, folder, reference: scorer.reference(folder) };
    });
  return {
    scorer,
    calls: read.map((call, at) => ({ ...call, names: namesOf(at, read) })),
  };
}

/** The names of a call, and those of the others without them. */
function namesOf(at: number, calls: readonly { reference: Reference }[]) {
  const own = calls[at]!.reference.names;
  const known = new Set(own.map((name) => name.toLowerCase()));
  const others = [
    ...new Set(calls.flatMap(({ reference }, other) => (other === at ? [] : reference.names))),
  ].filter((name) => !known.has(name.toLowerCase()));
  return { own, others };
}

/** The words after the audit of a run, and those if every offer is accepted as well. */
async function audited(
  words: readonly TranscriptWord[],
  glossary: readonly string[],
): Promise<Record<'after' | 'offered', TranscriptWord[]>> {
  const auditor = createAuditorRegistry().auditor('edge')!;
  const { terms } = compileTerminology(await loadPacks(packsFolder), request({ glossary }));
  const { corrections } = await auditor.audit(
    { words, terms, language: 'en', minConfidence: MIN_CONFIDENCE },
    { signal: new AbortController().signal, progress: () => {} },
  );
  const shown = corrections.filter(({ decision }) => decision !== 'rejected');
  return {
    after: correct(words, corrections).words,
    offered: correct(
      words,
      shown.map((one) => ({ ...one, decision: 'accepted' as const })),
    ).words,
  };
}

const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`;

const inTwentyThousand = (part: number, words: number): string =>
  ((20_000 * part) / words).toFixed(2);

/** The score of a call as a recogniser wrote it. */
interface Scored {
  recogniser: string;
  call: string;
  score: CallScore;
}

/** The scores of all calls with the glossaries that `glossaryFor` makes for them. */
async function scored(
  { calls, scorer }: Material,
  glossaryFor: (names: Call['names']) => readonly string[],
): Promise<Scored[]> {
  const sounding = JSON.parse(readFileSync(`${SHARED}/sounding.json`, 'utf8')) as Partial<
    Record<string, Record<string, Sounding>>
  >;
  const scores: Scored[] = [];
  for (const recogniser of RECOGNISERS) {
    for (const { id, folder, reference, names } of calls) {
      if (!existsSync(`${folder}/${recogniser}.tsv`)) continue;
      const heard = scorer.heard(folder, recogniser);
      const { after, offered } = await audited(heard, glossaryFor(names));
      const alike = sounding[recogniser]?.[id];
      const score = scorer.score(reference, heard, after, offered, alike);
      scores.push({ recogniser, call: id, score });
    }
  }
  return scores;
}

/**
 * For each glossary in NAMES_GLOSSARIES, separated by semicolons (the usual one), a row for each recogniser, each call,
 * and all together; a sentence if the calls are not here.
 */
export async function nameFigures(): Promise<(Record<string, string>[] | string)[]> {
  const material = await readCalls();
  if (!material) return ['the recognised calls are not here'];
  const { sum } = material.scorer;
  const [usual] = Object.keys(GLOSSARIES);
  const asked = (process.env['NAMES_GLOSSARIES'] ?? usual!).split(';');
  const tables: Record<string, string>[][] = [];
  for (const [glossary, glossaryFor] of Object.entries(GLOSSARIES)) {
    if (!asked.includes(glossary)) continue;
    const scores = await scored(material, glossaryFor);
    for (const of of ['recogniser', 'call'] as const) {
      const groups = [...Map.groupBy(scores, (one) => one[of]), [glossary, scores] as const];
      tables.push(
        groups.map(([name, some]) => {
          const all = some.map(({ score }) => score);
          return { [of]: name, ...rowOf(all, sum(all)) };
        }),
      );
    }
  }
  return tables;
}

function rowOf(calls: readonly CallScore[], all: CallScore): Record<string, string> {
  const alike = all.same + all.near;
  return {
    'names wrong, before': share(all.missed, all.names),
    after: share(all.missedAfter, all.names),
    'with all offers': share(all.missedOffered, all.names),
    'that sound alike: mended': share(all.sameMended + all.nearMended, alike),
    'or offered': share(all.sameOffered + all.nearOffered, alike),
    'exactly alike: mended': share(all.sameMended, all.same),
    'or offered ': share(all.sameOffered, all.same),
    'made wrong, in 20,000': inTwentyThousand(all.broken, all.words),
    'of names': String(all.brokenNames),
    'with all offers ': inTwentyThousand(all.brokenOffered, all.words),
    'calls with more errors': String(calls.filter((one) => one.errorsAfter > one.errors).length),
  };
}
