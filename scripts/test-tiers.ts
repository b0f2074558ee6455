/** Which test files run in which tier, and with what. */

export interface Tier {
  /** The tier's files, of all there are. */
  files(all: readonly string[]): string[];
  /** Environment of its tests. `FUZZ` multiplies the seeds of property and fuzz tests. */
  env: Record<string, string>;
  /** What then runs once more, with another environment. */
  again: readonly { env: Record<string, string>; files: readonly string[] }[];
}

/** Tests that start servers, browsers, other runtimes or shells of their own: minutes, not seconds. */
const OUTSIDE = [
  'test/blackbox/',
  'test/browser/',
  'test/generated-client/',
  'test/hostile/',
  'test/runtime/',
  'test/deployment.test.ts',
  'test/documents/content-commands.test.ts',
  'test/documents/readme-commands.test.ts',
  'test/documents/recipes.test.ts',
  'test/web/media/',
];

/** Those of them that are quick, and guard what must never break: the main job, tenancy, refusals. */
const QUICK = [
  'test/blackbox/job.test.ts',
  'test/blackbox/mcp-refusals.test.ts',
  'test/blackbox/tenancy.test.ts',
];

const under = (file: string, places: readonly string[]): boolean =>
  places.some((place) => file.startsWith(place));

export const SOAK = {
  /** Tests that kill processes, or count memory: nothing else may run beside them. */
  alone: [
    'test/blackbox/chaos.test.ts',
    'test/blackbox/many-machines-outages.test.ts',
    'test/blackbox/restart.test.ts',
    'test/hostile/leaks.test.ts',
  ],
  /** Tests whose length grows with `FUZZ`. */
  long: ['test/blackbox/chaos.test.ts', 'test/hostile/'],
};

/** The tiers by name. */
export const TIERS: Record<string, Tier> = {
  /** `npm test`: the answer in two minutes. */
  quick: {
    files: (all) => all.filter((file) => !under(file, OUTSIDE) || under(file, QUICK)),
    env: {},
    again: [],
  },
  /** `npm run test:all`: everything, as CI runs it. */
  all: {
    files: (all) => [...all],
    env: {},
    again: [],
  },
  /** `npm run test:soak`: chaos and fuzzing at full length. */
  soak: {
    files: (all) => all.filter((file) => under(file, SOAK.long)),
    env: { FUZZ: '20' },
    again: [],
  },
};
