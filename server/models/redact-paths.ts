/** Makes messages of the system and of libraries fit for clients by removing the folders of this host. */

/** Longer messages are cut. */
const LONGEST = 300;

/** The text with absolute paths reduced to their last part; web addresses stay. */
export const redactPaths = (text: string): string =>
  text
    .slice(0, 10 * LONGEST)
    .replace(/(?<![\w:/.-])(?:[a-z]:)?(?:[/\\][^\s/\\'"`]+)*[/\\](?=[^\s/\\'"`])/gi, '')
    .slice(0, LONGEST);

/** The message of an error, in the same form. */
export const reasonOf = (error: unknown): string =>
  redactPaths(error instanceof Error ? error.message : String(error));
