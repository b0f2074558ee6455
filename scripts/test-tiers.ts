/** The tiers of tests, and the test files in each. */

export interface Tier {
  /** The files of the tier, out of all files. */
  files(all: readonly string[]): string[];
  /** Environment of its tests. `FUZZ` multiplies the rounds of property and fuzz tests. */
  env?: Record<string, string>;
}

const BLACK_BOX = 'test/slow/blackbox/';

/** Whether a file tests the service from outside; in CI such tests also run with servers on Deno. */
export const isBlackBox = (file: string): boolean =>
  file.startsWith(BLACK_BOX) || file.startsWith('test/blackbox/');

/** The folder of tests that mount the app in a page, whose window replaces the global object. */
export const IN_PAGE = 'test/web/app/';

/**
 * Tests that start servers, browsers, other runtimes or shells, which take minutes instead of
 * seconds.
 */
const OUTSIDE = ['test/slow/'];

/**
 * Tests that kill and restart many servers, or measure memory. They run last, so that few others
 * compete with them.
 */
export const UNCROWDED = [
  'test/slow/blackbox/chaos.test.ts',
  'test/slow/blackbox/many-machines-outages.test.ts',
  'test/slow/hostile/leaks.test.ts',
];

/**
 * The approximate duration of the slow files, in milliseconds. They start first, so that none is
 * left to run alone at the end.
 */
export const SLOWEST: Record<string, number> = {
  // Recognisers have a low priority, so these two take long while other tests run.
  'test/slow/hearing/whisper.test.ts': 380_000,
  'test/slow/blackbox/restart.test.ts': 300_000,
  'test/slow/blackbox/many-machines.test.ts': 300_000,
  'test/slow/browser/app-review-media.test.ts': 160_000,
  'test/slow/media/convert.test.ts': 150_000,
  'test/slow/browser/app-review-look.test.ts': 140_000,
  'test/slow/browser/app-look.test.ts': 140_000,
  'test/slow/browser/documents.test.ts': 130_000,
  'test/slow/browser/app-desk-tasks.test.ts': 110_000,
  'test/slow/scripts/caption.test.ts': 110_000,
  'test/slow/hostile/mp3-upload.test.ts': 110_000,
  'test/slow/hostile/poison-run.test.ts': 110_000,
  'test/slow/hostile/result-readers.test.ts': 50_000,
  // It builds a generator.
  'test/slow/generated-client/go.test.ts': 100_000,
  'test/slow/hostile/slow-uploads.test.ts': 90_000,
  'test/slow/browser/app-review-journal.test.ts': 80_000,
  'test/slow/documents/recipes.test.ts': 60_000,
  'test/slow/blackbox/one-machine-limits.test.ts': 60_000,
  'test/slow/blackbox/one-machine-stopping.test.ts': 50_000,
  'test/slow/hostile/quotas.test.ts': 40_000,
  'test/slow/blackbox/job.test.ts': 40_000,
  'test/slow/generated-client/python.test.ts': 40_000,
  'test/slow/scripts/package.test.ts': 40_000,
  'test/slow/hostile/injection-in-answers.test.ts': 40_000,
  'test/slow/blackbox/identity.test.ts': 30_000,
  'test/slow/blackbox/journey.test.ts': 30_000,
  'test/slow/blackbox/review-restart.test.ts': 30_000,
  'test/slow/conformance/mcp-suite.test.ts': 25_000,
  'test/speech/host/host.test.ts': 20_000,
  'test/slow/blackbox/upgrade.test.ts': 16_000,
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
  'test/slow/blackbox/chaos.test.ts',
  'test/slow/hostile/',
  'test/slow/browser/app-review-journal.test.ts',
];

const under = (file: string, places: readonly string[]): boolean =>
  places.some((place) => file.startsWith(place));

/** The tiers by name. */
export const TIERS: Record<string, Tier> = {
  /** `npm test`: results in two minutes. */
  quick: { files: (all) => all.filter((file) => !under(file, OUTSIDE)) },
  /** `npm run test:all`: everything, as CI runs it. */
  all: { files: (all) => [...all] },
  /** `npm run test:soak`: chaos and fuzzing at full length. */
  soak: { files: (all) => all.filter((file) => under(file, LONG)), env: { FUZZ: '8' } },
};
