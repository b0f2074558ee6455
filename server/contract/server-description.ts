/** The server's settings that the browser app needs. */
import type { ProviderSummary } from './providers.ts';

export interface ServerDescription {
  providers: readonly ProviderSummary[];
  packs: readonly { id: string; title: string; description: string; termCount: number }[];
  /** Whether codes are sent by email; otherwise each email is a file in the outbox of the data folder. */
  sendsMail: boolean;
  /** The command that makes an MP3 from `input.mp4`, for browsers that cannot. */
  ffmpegCommand: string;
}
