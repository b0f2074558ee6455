/** Which test files run in which tier. */

export interface Tier {
  /** The tier's files, of all there are. */
  files(all: readonly string[]): string[];
  /** Environment of its tests. `FUZZ` multiplies the rounds of property and fuzz tests. */
  env?: Record<string, string>;
}

/** Tests that start servers, browsers, other runtimes or shells of their own: minutes, not seconds. */
const OUTSIDE = [
  'test/blackbox/',
  'test/browser/',
  'test/generated-client/',
  'test/hostile/',
  'test/runtime/',
  'test/scripts/',
  'test/deployment.test.ts',
  'test/documents/content-commands.test.ts',
  'test/documents/readme-commands.test.ts',
  'test/documents/recipes.test.ts',
  'test/web/media/',
];

/** Those of them that are quick, and guard what must never break: tenancy and refusals. */
const QUICK = ['test/blackbox/mcp-refusals.test.ts', 'test/blackbox/tenancy.test.ts'];

/** Tests that kill and restart servers on one port, or measure memory: nothing runs beside them. */
export const ALONE = [
  'test/blackbox/chaos.test.ts',
  'test/blackbox/many-machines-outages.test.ts',
  'test/blackbox/restart.test.ts',
  'test/hostile/leaks.test.ts',
];

/** Tests whose length grows with `FUZZ`. */
const LONG = [
  'test/blackbox/chaos.test.ts',
  'test/hostile/',
  'test/browser/app-review-journal.test.ts',
];

const under = (file: string, places: readonly string[]): boolean =>
  places.some((place) => file.startsWith(place));

/** The tiers by name. */
export const TIERS: Record<string, Tier> = {
  /** `npm test`: the answer in two minutes. */
  quick: { files: (all) => all.filter((file) => !under(file, OUTSIDE) || under(file, QUICK)) },
  /** `npm run test:all`: everything, as CI runs it. */
  all: { files: (all) => [...all] },
  /** `npm run test:soak`: chaos and fuzzing at full length. */
  soak: { files: (all) => all.filter((file) => under(file, LONG)), env: { FUZZ: '8' } },
};
