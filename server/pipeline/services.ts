/** The services that stages use, provided by a worker thread or the shell command. */
import type { ContentModerationLogResult, ContentModerationSummary } from '../contract/results.ts';
import type { AuditorRegistry } from '../language/registry.ts';
import type { Moderator } from '../moderation/moderator.ts';
import type { AudioSource } from '../mp3/frames.ts';
import type { SpeechRegistry } from '../speech/registry.ts';
import type { TermPack } from '../terminology/packs/packs.ts';

export interface PipelineServices {
  /** The longest recording that is transcribed, in seconds; undefined for no limit. */
  maxDuration?: number;
  packs: readonly TermPack[];
  speech: SpeechRegistry;
  auditors: AuditorRegistry;
  moderator: Moderator;
  /** Logs that a run's transcript was moderated. Never rejects: a failure is an outcome. */
  logModeration(
    runId: string,
    summary: ContentModerationSummary,
  ): Promise<ContentModerationLogResult>;
}

/** The recording of one run. */
export interface RunAudio {
  key: string;
  /** The stored object, or null if there is none. `version` changes when another upload replaces it. */
  open(): Promise<{ source: AudioSource; version: string } | null>;
  /** Deletes the object if it still has the given version, and returns whether it did. Safe to repeat. */
  delete(version: string): Promise<boolean>;
}
