/** Requests as spans: of the trace that the caller names in `traceparent`, or of a new one. */
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';

/** A request is answered as before, and seen as a span until its answer begins. */
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

/** Names the span of the request under way by its route: its path holds keys of recordings. */
export const nameRequest = (name: string): void => void trace.getActiveSpan()?.updateName(name);
