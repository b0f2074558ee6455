/**
 * The server's description of itself in the page: its providers, its packs, whether it sends mail.
 */
import type { ServerDescription } from '../../server/contract/discovery.ts';

/** The description, read once from the page's head. */
export const server: ServerDescription = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name=server]')?.content ??
    '{"providers":[],"packs":[],"sendsMail":true,"signOnName":null,"ffmpegCommand":""}',
);
