/** Messages of the system and of libraries, fit for a client: no folder of this host is named in them. */

/** Longer messages are cut. */
const LONGEST = 300;

/** The text with absolute paths cut down to their last part; addresses of the web stay. */
export const withoutFolders = (text: string): string =>
  text
    .slice(0, 10 * LONGEST)
    .replace(/(?<![\w:/.-])(?:[a-z]:)?(?:[/\\][^\s/\\'"`]+)*[/\\](?=[^\s/\\'"`])/gi, '')
    .slice(0, LONGEST);

/** What an error says of itself, likewise. */
export const reasonOf = (error: unknown): string =>
  withoutFolders(error instanceof Error ? error.message : String(error));
