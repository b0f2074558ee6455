/** Releases what a request holds once its response is sent or abandoned. */

/** The same response; `release` is called once it is sent or abandoned. */
export function releasedAtEnd(response: Response, release: () => void): Response {
  if (!response.body) {
    release();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read().catch((error: unknown) => {
        release();
        throw error;
      });
      if (!next.done) return controller.enqueue(next.value);
      release();
      controller.close();
    },
    cancel(reason) {
      release();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
