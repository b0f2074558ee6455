/** The lines and speakers of captions that are joined or split. */
import { breakLines } from '../../../server/captions/divide/break-lines.ts';
import { dialogueStyleOf, withDashes } from '../../../server/captions/dialogue.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { isDialogue, speakerOf, speakersOf, withoutDashes, withSpeaker } from './cue-speakers.ts';

/**
 * Joins captions into one, from the start of the first to the end of the last. Two speakers get a
 * line each, with dashes; if there are more speakers, or their words fill more lines, speakers are
 * left out.
 * @param language BCP 47
 */
export function joinCues(
  cues: readonly [ReviewCue, ...ReviewCue[]],
  settings: CaptionSettings,
  language: string,
): ReviewCue {
  const [first] = cues;
  const end = cues.at(-1)!.end;
  const broken = (part: readonly ReviewCue[]): string[] =>
    breakLines(part.map((cue) => textOf(withoutDashes(cue))).join('\n'), settings, language);
  const turn = cues.findIndex((cue) => speakerOf(cue) !== speakerOf(first));
  if (!cues.some(isDialogue) && turn < 0) return { ...first, end, lines: broken(cues) };
  const whole = withSpeaker({ ...first, end, lines: broken(cues) }, '');
  const [before, after] = [cues.slice(0, turn), cues.slice(turn)];
  const second = speakerOf(after[0]!);
  const isTwo =
    turn > 0 && !cues.some(isDialogue) && after.every((cue) => speakerOf(cue) === second);
  const lines = [...broken(before), ...broken(after)];
  if (!isTwo || lines.length !== 2 || speakerOf(first) === '' || second === '') return whole;
  const dashed = withDashes(lines, dialogueStyleOf(language));
  return { ...whole, lines: dashed, speakers: [speakerOf(first), second] };
}

/**
 * The two parts of a caption with the speakers of their lines; `at` is the line in which the second
 * part begins.
 */
export function splitLines(
  cue: ReviewCue,
  at: number,
  [left, right]: readonly [readonly string[], readonly string[]],
): [left: ReviewCue, right: ReviewCue] {
  if (!isDialogue(cue))
    return [
      { ...cue, lines: left },
      { ...cue, lines: right },
    ];
  const names = speakersOf(cue);
  const part = (lines: readonly string[], speakers: readonly string[]): ReviewCue => {
    const whole = { ...cue, lines, speakers };
    const [only = ''] = speakers;
    // A part with only one speaker has no dash.
    return new Set(speakers).size > 1 ? whole : withSpeaker({ ...whole, speakers: names }, only);
  };
  const [dash = ''] = /^[-–—]\s*/.exec(cue.lines[at]!) ?? [];
  const [first = '', ...others] = right;
  // The rest of a divided line belongs to the same speaker.
  const rest = first.startsWith(dash) ? right : [dash + first, ...others];
  return [part(left, names.slice(0, left.length)), part(rest, names.slice(at))];
}
