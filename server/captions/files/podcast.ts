/** Writes the JSON transcripts of podcasts (https://github.com/Podcastindex-org/podcast-namespace, `podcast:transcript`). */
import type { Caption } from '../cue.ts';
import { withoutItalics } from '../italics.ts';
import { joinWords } from '../width.ts';
import { portableSpeakers, writableText } from './portable-captions.ts';

/** Writes captions as a transcript: a segment for each run of lines of one speaker. */
export const toPodcast = (cues: readonly Caption[]): string =>
  JSON.stringify({
    version: '1.0.0',
    segments: cues.flatMap((cue) => {
      const speakers = portableSpeakers(cue);
      const parts: { speaker: string; lines: string[] }[] = [];
      for (const [at, line] of withoutItalics(cue.lines.map(writableText)).entries()) {
        const speaker = speakers[at] ?? '';
        const last = parts.at(-1);
        if (last?.speaker === speaker) last.lines.push(line);
        else parts.push({ speaker, lines: [line] });
      }
      return parts.map(({ speaker, lines }) => ({
        ...(speaker !== '' && { speaker }),
        startTime: cue.start,
        endTime: cue.end,
        body: joinWords(lines),
      }));
    }),
  });
