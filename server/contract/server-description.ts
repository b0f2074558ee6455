/** What the browser app is told of the server it came from. */
import type { ProviderSummary } from './providers.ts';

export interface ServerDescription {
  providers: readonly ProviderSummary[];
  packs: readonly { id: string; title: string; description: string; termCount: number }[];
  /** Codes are mailed; otherwise each mail is a file in the outbox of the data folder. */
  sendsMail: boolean;
  /** What makes an MP3 of `input.mp4`, for whoever's browser cannot. */
  ffmpegCommand: string;
}
