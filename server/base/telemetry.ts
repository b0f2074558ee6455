/** Traces for OpenTelemetry, if its standard OTEL_ variables request them; otherwise nothing is loaded. */
import { SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import type { Tracing } from './tracing-settings.ts';
import type { Telemetry } from './tracing.ts';

/** Starts tracing in this thread. */
export async function startTelemetry(tracing: Tracing | null): Promise<Telemetry> {
  if (!tracing) return { stop: async () => {} };
  const { startTracing } = await import('./tracing.ts');
  return startTracing(tracing);
}

/**
 * Runs work as a span of the current trace. Costs almost nothing without tracing.
 * @param attributes must not contain anything from a recording, a transcript or a key
 */
export async function traced<T>(
  name: string,
  attributes: Record<string, string | number>,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const tracer = trace.getTracer('captioner');
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
