/** Metrics of this process since its start, in Prometheus's format. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { CALL_ERROR_CODES, FAILURE_CODES } from '../contract/failure.ts';
import { FINAL_STATES, type RunState } from '../contract/runs.ts';

/** The buckets for the seconds of a stage, from captioning a short talk to transcribing a day. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800, 7200];
/** The buckets for the seconds until a response begins, from the state of a run to a body of 100 MiB. */
const REQUEST_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

export type Metrics = ReturnType<typeof createMetrics>;

/** Values that are read whenever the metrics are, by the names of their metrics. */
type ReadGauges = Partial<Record<keyof typeof READ, () => Promise<number> | number>>;

const READ = {
  captioner_queue_age_seconds: 'The time for which the oldest queued run of all processes waits.',
  captioner_quota_used_ratio:
    'The share of its quota, of recordings or of results, that the fullest workspace uses.',
  captioner_audio_store_up: 'Whether recordings can be stored: 1 or 0.',
  captioner_disk_free_bytes: 'Free bytes on the disk of DATA_DIR.',
  captioner_disk_reserve_bytes: 'Bytes that uploads leave free: DISK_RESERVE.',
  captioner_wal_bytes: 'The size of the write-ahead logs of SQLite.',
};

/** The interval at which the answering thread notes how late it is. */
const TICK_MS = 100;

/**
 * Creates the metrics of a process.
 * @param countRuns counts the runs of all processes, by state
 * @param read values that are read whenever the metrics are
 * @param providers those whose failures are counted, from 0 on, since a series that begins at 1 shows no increase
 */
export function createMetrics(
  countRuns: () => Promise<Map<RunState, number>>,
  read: ReadGauges = {},
  providers: readonly string[] = [],
) {
  const registry = new Registry();
  const described = (name: string, help: string, ...labelNames: string[]) => ({
    name,
    help,
    labelNames,
    registers: [registry],
  });
  const finished = new Counter(
    described('captioner_runs_finished_total', 'Runs ended by this process, by state.', 'state'),
  );
  const stages = new Histogram({
    ...described(
      'captioner_stage_seconds',
      'Duration of stages of the runs that this process ended; total is from the request to the result.',
      'stage',
    ),
    buckets: BUCKETS,
  });
  const failures = new Counter(
    described(
      'captioner_run_failures_total',
      'Runs that failed in this process, by error code.',
      'code',
    ),
  );
  const faults = new Counter(
    described(
      'captioner_provider_errors_total',
      'Failed calls to providers, including retried ones.',
      'provider',
      'code',
    ),
  );
  for (const state of FINAL_STATES) finished.inc({ state }, 0);
  for (const code of FAILURE_CODES) failures.inc({ code }, 0);
  for (const provider of providers)
    for (const code of CALL_ERROR_CODES) faults.inc({ provider, code }, 0);
  /** Simple counts that are exposed on demand, because documents are served in microseconds. */
  const answers = new Map<string, number>();
  const requests = new Counter(
    described(
      'captioner_http_requests_total',
      'Requests that were answered, by method, route and status.',
      'method',
      'route',
      'status',
    ),
  );
  const durations = new Histogram({
    ...described(
      'captioner_http_request_seconds',
      'Time until responses began, by method and route, without documents.',
      'method',
      'route',
    ),
    buckets: REQUEST_BUCKETS,
  });
  const bytes = new Counter(
    described('captioner_upload_bytes_total', 'Bytes of recordings received.'),
  );
  const uploads = new Gauge(
    described('captioner_uploads_active', 'Uploads in progress in this process.'),
  );
  const runs = new Gauge(
    described('captioner_runs', 'Stored runs of all processes, by state.', 'state'),
  );
  const queue = new Gauge(
    described('captioner_queue_depth', 'Runs of all processes waiting for a worker.'),
  );
  const database = new Gauge(
    described(
      'captioner_database_up',
      'Whether the database responds: 1 or 0. If not, runs are not counted.',
    ),
  );
  const memory = new Gauge(described('process_resident_memory_bytes', 'Memory of this process.'));
  const delay = new Gauge(
    described(
      'captioner_event_loop_delay_seconds',
      'The longest time for which the answering thread was busy since the last reading.',
    ),
  );
  const gauges = Object.entries(READ).flatMap(([name, help]) => {
    const value = read[name as keyof typeof READ];
    return value ? [{ gauge: new Gauge(described(name, help)), value }] : [];
  });
  let latest = performance.now();
  let longestMs = 0;
  setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - latest - TICK_MS);
    latest = now;
  }, TICK_MS).unref();

  return {
    /** A worker of this process has ended a run. */
    runFinished(
      state: RunState,
      timingsMs: Record<string, number>,
      code: string | null = null,
    ): void {
      finished.inc({ state });
      if (code !== null) failures.inc({ code });
      for (const [stage, ms] of Object.entries(timingsMs)) stages.observe({ stage }, ms / 1000);
    },
    /** A call to a provider failed; it may be retried. */
    providerFailed: (provider: string, code: string): void => faults.inc({ provider, code }),
    /**
     * A request was answered, at least with the beginning of its response. `route` is as written in the app, never an
     * address.
     */
    answered(method: string, route: string, status: number, seconds: number): void {
      const labels = `${method} ${route} ${status}`;
      answers.set(labels, (answers.get(labels) ?? 0) + 1);
      if (seconds > 0) durations.observe({ method, route }, seconds);
    },
    /** Bytes of uploads were received. */
    received: (count: number): void => bytes.inc(count),
    /** An upload begins (1) or ends (-1). */
    uploading: (change: 1 | -1): void => uploads.inc(change),
    /** The text for Prometheus. */
    async expose(): Promise<string> {
      requests.reset();
      for (const [labels, count] of answers) {
        const [method = '', route = '', status = ''] = labels.split(' ');
        requests.inc({ method, route, status }, count);
      }
      const counts = await countRuns().catch(() => null);
      database.set(counts ? 1 : 0);
      memory.set(process.memoryUsage().rss);
      delay.set(longestMs / 1000);
      longestMs = 0;
      for (const { gauge, value } of gauges) {
        gauge.set(await Promise.resolve(value()).catch(() => Number.NaN));
      }
      runs.reset();
      for (const [state, count] of counts ?? []) runs.set({ state }, count);
      queue.set(counts?.get('queued') ?? (counts ? 0 : Number.NaN));
      return registry.metrics();
    },
  };
}
