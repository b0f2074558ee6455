/** The tiers of tests, and the test files in each. */

export interface Tier {
  /** The files of the tier, out of all files. */
  files(all: readonly string[]): string[];
  /** Environment of its tests. `FUZZ` multiplies the rounds of property and fuzz tests. */
  env?: Record<string, string>;
}

/**
 * Tests that start servers, browsers, other runtimes or shells, which take minutes instead of
 * seconds.
 */
const OUTSIDE = [
  'test/blackbox/',
  'test/browser/',
  'test/generated-client/',
  'test/hearing/',
  'test/hostile/',
  'test/runtime/',
  'test/scripts/',
  'test/deployment.test.ts',
  'test/documents/content-commands.test.ts',
  'test/documents/readme-commands.test.ts',
  'test/documents/recipes.test.ts',
  'test/web/media/',
];

/** Quick ones among them that guard critical behaviour: tenancy and refusals. */
const QUICK = ['test/blackbox/mcp-refusals.test.ts', 'test/blackbox/tenancy.test.ts'];

/**
 * Tests that kill and restart servers on one port, or measure memory, so nothing else may run at
 * the same time.
 */
export const ALONE = [
  'test/blackbox/chaos.test.ts',
  'test/blackbox/many-machines-outages.test.ts',
  'test/blackbox/restart.test.ts',
  'test/hostile/leaks.test.ts',
];

/** Tests whose duration grows with `FUZZ`. */
const LONG = [
  'test/blackbox/chaos.test.ts',
  'test/hostile/',
  'test/browser/app-review-journal.test.ts',
];

const under = (file: string, places: readonly string[]): boolean =>
  places.some((place) => file.startsWith(place));

/** The tiers by name. */
export const TIERS: Record<string, Tier> = {
  /** `npm test`: results in two minutes. */
  quick: { files: (all) => all.filter((file) => !under(file, OUTSIDE) || under(file, QUICK)) },
  /** `npm run test:all`: everything, as CI runs it. */
  all: { files: (all) => [...all] },
  /** `npm run test:soak`: chaos and fuzzing at full length. */
  soak: { files: (all) => all.filter((file) => under(file, LONG)), env: { FUZZ: '8' } },
};
