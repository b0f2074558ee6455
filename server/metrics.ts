/** What operators watch, as Prometheus reads it: counted in this process, from its start. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { RunState } from './contract/runs.ts';

/** Seconds of a stage: from the captions of a short talk to the transcription of a day. */
const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800, 7200];

export interface Metrics {
  /** A worker of this process has ended a run. */
  runFinished(state: RunState, timingsMs: Record<string, number>): void;
  /** A call to a provider failed, maybe to be made again. */
  providerFailed(provider: string, code: string): void;
  /** So many bytes of uploads came in; counted as they come. */
  received(bytes: number): void;
  /** An upload begins (1) or ends (-1). */
  uploading(change: 1 | -1): void;
  /** The text that Prometheus reads. */
  expose(): Promise<string>;
}

/** The content type of the text. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * Makes the metrics of a process.
 * @param countRuns of all processes, by state
 */
export function createMetrics(countRuns: () => Promise<Map<RunState, number>>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const finished = new Counter({
    name: 'captioner_runs_finished_total',
    help: 'Runs that this process ended, by state.',
    labelNames: ['state'],
    registers,
  });
  const stages = new Histogram({
    name: 'captioner_stage_seconds',
    help: 'How long the stages of runs took that this process ended; total is from the request to the result.',
    labelNames: ['stage'],
    buckets: BUCKETS,
    registers,
  });
  const faults = new Counter({
    name: 'captioner_provider_errors_total',
    help: 'Calls to providers that failed, also those that were made again.',
    labelNames: ['provider', 'code'],
    registers,
  });
  const bytes = new Counter({
    name: 'captioner_upload_bytes_total',
    help: 'Bytes of recordings received.',
    registers,
  });
  const uploads = new Gauge({
    name: 'captioner_uploads_active',
    help: 'Uploads under way in this process.',
    registers,
  });
  const runs = new Gauge({
    name: 'captioner_runs',
    help: 'Runs of all processes that are kept, by state.',
    labelNames: ['state'],
    registers,
  });
  const queue = new Gauge({
    name: 'captioner_queue_depth',
    help: 'Runs of all processes that wait for a worker.',
    registers,
  });
  const database = new Gauge({
    name: 'captioner_database_up',
    help: 'Whether the database answers: 1 or 0. Where it does not, runs are not counted.',
    registers,
  });
  const memory = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of this process.',
    registers,
  });

  return {
    runFinished(state, timingsMs) {
      finished.inc({ state });
      for (const [stage, ms] of Object.entries(timingsMs)) stages.observe({ stage }, ms / 1000);
    },
    providerFailed: (provider, code) => faults.inc({ provider, code }),
    received: (count) => bytes.inc(count),
    uploading: (change) => uploads.inc(change),
    async expose() {
      const counts = await countRuns().catch(() => null);
      database.set(counts ? 1 : 0);
      memory.set(process.memoryUsage().rss);
      runs.reset();
      for (const [state, count] of counts ?? []) runs.set({ state }, count);
      queue.set(counts?.get('queued') ?? (counts ? 0 : Number.NaN));
      return registry.metrics();
    },
  };
}
