/** A request body that counts how often more of it was requested. */
export function watchedBody(text: string): { body: ReadableStream<Uint8Array>; reads(): number } {
  let reads = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        reads += 1;
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, reads: () => reads };
}
