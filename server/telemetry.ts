/** Traces for OpenTelemetry: where the usual OTEL_ variables ask for them; otherwise nothing is loaded. */
import { SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import type { Tracing } from './config/telemetry.ts';
import type { Telemetry } from './tracing.ts';

/** Starts the tracing of this thread. */
export async function startTelemetry(tracing: Tracing | null): Promise<Telemetry> {
  if (!tracing) return { stop: async () => {} };
  const { startTracing } = await import('./tracing.ts');
  return startTracing(tracing);
}

/**
 * Does work as a span of the trace that is under way. Costs next to nothing where nobody traces.
 * @param attributes nothing of a recording, a transcript or a key
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
