// Parts of the jobs that concern no client.

/** Asks until it is done, for a minute at most. */
export async function until<T>(ask: () => Promise<T>, done: (answer: T) => boolean): Promise<T> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const answer = await ask();
    if (done(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the time is over');
}

/** A review of the captions: the same times, other words. */
export const reviewOf = (cues: readonly { start: number; end: number }[]) => ({
  cues: cues.map(({ start, end }) => ({ start, end, text: 'Hello from a client' })),
  finished: true,
});

/** Whether a run has ended. */
export const hasEnded = ({ state }: { state: string }): boolean =>
  state !== 'queued' && state !== 'running';
