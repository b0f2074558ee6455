/** The tiers of tests, and the test files in each. */

export interface Tier {
  /** The files of the tier, out of all files. */
  files(all: readonly string[]): string[];
  /** Environment of its tests. `FUZZ` multiplies the rounds of property and fuzz tests. */
  env?: Record<string, string>;
}

const BLACK_BOX = 'test/blackbox/';

/** Whether a file tests the service from outside; in CI such tests also run with servers on Deno. */
export const isBlackBox = (file: string): boolean => file.startsWith(BLACK_BOX);

/** The folder of tests that mount the app in a page, whose window replaces the global object. */
export const IN_PAGE = 'test/web/app/';

/**
 * Tests that start servers, browsers, other runtimes or shells, which take minutes instead of
 * seconds.
 */
const OUTSIDE = [
  BLACK_BOX,
  'test/browser/',
  'test/conformance/',
  'test/generated-client/',
  'test/hearing/',
  'test/hostile/',
  'test/runtime/',
  'test/scripts/caption.test.ts',
  'test/scripts/captioner.test.ts',
  'test/scripts/commands.test.ts',
  'test/scripts/package.test.ts',
  'test/scripts/test-runner.test.ts',
  'test/deployment.test.ts',
  'test/documents/content-commands.test.ts',
  'test/documents/readme-commands.test.ts',
  'test/documents/recipes.test.ts',
  'test/web/media/',
];

/** Quick tests among them that guard critical behaviour: tenancy and refusals. */
const QUICK = ['test/blackbox/mcp-refusals.test.ts', 'test/blackbox/tenancy.test.ts'];

/**
 * Tests that kill and restart many servers, or measure memory. They run last, so that few others
 * compete with them.
 */
export const UNCROWDED = [
  'test/blackbox/chaos.test.ts',
  'test/blackbox/many-machines-outages.test.ts',
  'test/hostile/leaks.test.ts',
];

/**
 * The approximate duration of the slow files, in milliseconds. They start first, so that none is
 * left to run alone at the end.
 */
export const SLOWEST: Record<string, number> = {
  // Recognisers have a low priority, so these two take long while other tests run.
  'test/hearing/whisper.test.ts': 380_000,
  'test/blackbox/restart.test.ts': 300_000,
  'test/blackbox/many-machines.test.ts': 300_000,
  'test/browser/app-review-media.test.ts': 160_000,
  'test/web/media/convert.test.ts': 150_000,
  'test/browser/app-review-look.test.ts': 140_000,
  'test/browser/app-look.test.ts': 140_000,
  'test/browser/documents.test.ts': 130_000,
  'test/browser/app-desk-tasks.test.ts': 110_000,
  'test/scripts/caption.test.ts': 110_000,
  'test/hostile/mp3-upload.test.ts': 110_000,
  'test/hostile/poison-run.test.ts': 110_000,
  'test/hostile/result-readers.test.ts': 50_000,
  // It builds a generator.
  'test/generated-client/go.test.ts': 100_000,
  'test/hostile/slow-uploads.test.ts': 90_000,
  'test/browser/app-review-journal.test.ts': 80_000,
  'test/documents/recipes.test.ts': 60_000,
  'test/blackbox/one-machine-limits.test.ts': 60_000,
  'test/blackbox/one-machine-stopping.test.ts': 50_000,
  'test/hostile/quotas.test.ts': 40_000,
  'test/blackbox/job.test.ts': 40_000,
  'test/generated-client/python.test.ts': 40_000,
  'test/scripts/package.test.ts': 40_000,
  'test/hostile/injection-in-answers.test.ts': 40_000,
  'test/blackbox/identity.test.ts': 30_000,
  'test/blackbox/journey.test.ts': 30_000,
  'test/blackbox/review-restart.test.ts': 30_000,
  'test/conformance/mcp-suite.test.ts': 25_000,
  'test/speech/host/host.test.ts': 20_000,
  'test/blackbox/upgrade.test.ts': 16_000,
  'test/http/response-headers.test.ts': 16_000,
  'test/runs/queue.test.ts': 15_000,
  'test/blackbox/tenancy.test.ts': 15_000,
  'test/blackbox/mcp-refusals.test.ts': 14_000,
  'test/captions/profiles.test.ts': 12_000,
  'test/pipeline/provider-failures.test.ts': 12_000,
  'test/contract/openapi-validators.test.ts': 10_000,
  'test/captions/round-trips.test.ts': 10_000,
  'test/mp3/decode.test.ts': 10_000,
  'test/web/review/history.test.ts': 9000,
  'test/identity/postgres.test.ts': 8000,
  'test/http/audio.test.ts': 8000,
  'test/storage/postgres.test.ts': 8000,
  'test/storage/s3-audio.test.ts': 8000,
};

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
