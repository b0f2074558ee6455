/** Traces requests as spans of the trace in the caller's `traceparent`, or of a new one. */
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';

/** Handles a request within a span that lasts until its response begins. */
export function traceRequests(
  answer: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  const tracer = trace.getTracer('captioner');
  return async (request) => {
    const caller = propagation.extract(context.active(), Object.fromEntries(request.headers));
    const options = {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': request.method },
    };
    return tracer.startActiveSpan(request.method, options, caller, async (span) => {
      try {
        const response = await answer(request);
        span.setAttribute('http.response.status_code', response.status);
        return response;
      } finally {
        span.end();
      }
    });
  };
}

/** Names the span of the current request by its route, because its path may contain keys of recordings. */
export const nameRequest = (name: string): void => void trace.getActiveSpan()?.updateName(name);
