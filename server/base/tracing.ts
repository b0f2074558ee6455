/**
 * Configures the OpenTelemetry SDK, which sends spans in batches to a collector and reads
 * OTEL_EXPORTER_OTLP_*, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES itself.
 */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Tracing } from './tracing-settings.ts';

export interface Telemetry {
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

/** Starts the SDK in this thread. */
export function startTracing(tracing: Tracing): Telemetry {
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'captioner' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(tracing),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: tracing.delayMs,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return { stop: () => provider.shutdown() };
}

function samplerOf({ sampler, ratio }: Tracing): Sampler {
  const root = sampler.replace('parentbased_', '');
  const made =
    root === 'always_off'
      ? new AlwaysOffSampler()
      : root === 'traceidratio'
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return sampler === root ? made : new ParentBasedSampler({ root: made });
}
