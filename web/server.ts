/** What the server told of itself with the page: its providers, its packs, how it mails. */
import type { ServerDescription } from '../server/contract/server-description.ts';

/** Read once from the page's head. */
export const server: ServerDescription = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name=server]')?.content ??
    '{"providers":[],"packs":[],"sendsMail":true,"ffmpegCommand":""}',
);
