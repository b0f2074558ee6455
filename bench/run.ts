/**
 * `bun run bench [section…]`: measures ratios to rivals, the growth of costs, and the quality of
 * captions and terms.
 */
import { loadPacks, packsFolder } from '../server/terminology/packs/packs.ts';
import { nameFigures } from './name-figures.ts';
import { evidenceFigures } from './evidence-figures.ts';
import { captionFigures } from './caption-figures.ts';
import { learningFigures } from './learning/learning-figures.ts';
import { hearingFigures } from './hearing/hearing-figures.ts';
import { header } from './machine.ts';
import { runSection, type Report, type Section } from './section.ts';
import { app } from './sections/app/app.ts';
import { captions } from './sections/captions.ts';
import { translation } from './sections/translation.ts';
import { decode } from './sections/decode.ts';
import { discovery } from './sections/discovery.ts';
import { hostile } from './sections/hostile.ts';
import { identity } from './sections/identity.ts';
import { memory } from './sections/memory.ts';
import { pipeline } from './sections/pipeline.ts';
import { runs } from './sections/runs/runs.ts';
import { terminology } from './sections/terminology.ts';
import { uploads } from './sections/uploads.ts';
import { versionOne } from './sections/version-one.ts';
import { speakerFigures } from './speaker-figures.ts';
import { spokenNames } from './spoken-names.ts';
import { table } from './table.ts';
import { terminologyFigures } from './terminology-figures.ts';
import { translationFigures } from './translation-figures.ts';

const SECTIONS: Record<string, Section> = {
  discovery,
  uploads,
  captions,
  translation,
  terminology,
  pipeline,
  decode,
  runs,
  memory,
  identity,
  app,
  hostile,
  'version-1.0': versionOne,
};

/** Sections that take minutes and run only on request. */
const LONG = new Set(['hostile', 'hearing', 'speakers', 'names', 'evidence', 'version-1.0']);

/** Sections with tables of quality instead of times, or sentences that say what cannot be measured here. */
const FIGURES: Record<string, () => Promise<(object[] | string)[]>> = {
  learning: async () => [await learningFigures()],
  'caption-figures': async () => [captionFigures()],
  'terminology-figures': async () => [terminologyFigures(await loadPacks(packsFolder))],
  'translation-figures': async () => [translationFigures()],
  names: async () => [...(await nameFigures()), await spokenNames()],
  evidence: evidenceFigures,
  hearing: hearingFigures,
  speakers: speakerFigures,
};

const names = [...Object.keys(SECTIONS), ...Object.keys(FIGURES)];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(', ')}. There are: ${names.join(', ')}`);
  process.exit(1);
}
/** Quality figures that are printed with a section of times. */
const WITH: Record<string, string> = { 'caption-figures': 'captions' };
const wanted = (name: string): boolean =>
  asked.length === 0 ? !LONG.has(name) : asked.includes(name) || asked.includes(WITH[name] ?? name);

const report: Report = { rows: [], growths: [], notes: [], failed: false };
const figures: string[] = [];
const started = performance.now();
const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(0)} s`;

for (const [name, section] of Object.entries(SECTIONS).filter(([name]) => wanted(name))) {
  console.error(`${seconds()}: ${name}`);
  await runSection(name, section, report);
}
for (const [name, make] of Object.entries(FIGURES).filter(([name]) => wanted(name))) {
  console.error(`${seconds()}: ${name}`);
  await runSection(
    name,
    async ({ note }) => {
      const made = await make();
      if (made.flat().length === 0) note('the shared test material is not here');
      for (const one of made) {
        if (typeof one === 'string') note(one);
        else figures.push(table(one));
      }
    },
    report,
  );
}
console.error(`${seconds()}: done`);

const parts = [header(), table(report.rows), table(report.growths), ...figures, ...report.notes];
console.log(parts.filter((part) => part !== '').join('\n\n'));
process.exit(report.failed ? 1 : 0);
