/** Caption files for the tests of the app. */

/** Lines as SRT, each shown for two seconds, one second apart. */
export const srtOf = (...texts: string[]): string =>
  texts
    .map((text, at) => `${at + 1}\n${clock(at * 3)} --> ${clock(at * 3 + 2)}\n${text}\n`)
    .join('\n');

const clock = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(11, 23).replace('.', ',');
