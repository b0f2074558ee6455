/** The profiles of the BBC, the DCMP and YouTube. */
import { dialogueStyleOf } from '../../dialogue.ts';
import type { Profile } from './profile.ts';

const BBC = 'https://www.bbc.co.uk/accessibility/forproducts/guides/subtitles/';
const DCMP = 'https://dcmp.org/learn/5-captioning-guidelines-for-the-dcmp';
const YOUTUBE = 'https://support.google.com/youtube/answer/2734698';

/**
 * The BBC's Subtitle Guidelines, version 1.2.3 of June 2024. Broadcast lines have 37 characters in a monospaced font
 * (online, 68% of the picture). The target minimum is about 0.3 seconds a word (4.1). A subtitle may begin up to 1.5
 * seconds before its speech and stay 1.5 seconds after it (5.2). A gap lasts at least a second (4.5). Subtitles begin
 * and end with shots (6.1), at no prescribed distance. The shortest and longest durations are the service's own.
 */
export const bbc = (name: string, language: string): Profile => ({
  name,
  title: 'BBC',
  language,
  maxLines: 2,
  maxLineChars: 37,
  narrow: 1,
  speed: { unit: 'words', perMinute: 200 },
  minDuration: 0.8,
  maxDuration: 7,
  gapFrames: 0,
  closedGap: 1,
  linger: 1.5,
  leadFrames: 5,
  lateFrames: 3,
  frameRate: 25,
  shots: { before: 0 },
  dialogue: dialogueStyleOf(language),
  rules: {
    line_length: { sentence: 'A line has at most 37 characters.', source: `${BBC}#Line-length` },
    line_count: {
      sentence: 'A subtitle has at most two lines.',
      source: `${BBC}#Avoid-3-lines-or-more`,
    },
    reading_speed: {
      sentence: 'A subtitle is shown for at least 0.3 seconds a word, which is 200 words a minute.',
      source: `${BBC}#Target-minimum-timing`,
    },
    gap: { sentence: 'One subtitle ends before the next begins.', source: `${BBC}#Gaps` },
    small_gap: {
      sentence: 'A gap between subtitles lasts at least one second; a shorter one is closed.',
      source: `${BBC}#Gaps`,
    },
    on_frames: {
      sentence: 'Subtitles begin and end on frames.',
      source: `${BBC}#Match-subtitles-to-shot`,
    },
    shot_in: {
      sentence: 'A subtitle that begins near a shot change begins on the first frame of the shot.',
      source: `${BBC}#Match-subtitles-to-shot`,
    },
    shot_out: {
      sentence: 'A subtitle that ends near a shot change ends with the last frame of the shot.',
      source: `${BBC}#Match-subtitles-to-shot`,
    },
    two_speakers: {
      sentence: 'Two speakers in one subtitle have a line each, preceded by a dash.',
      source: `${BBC}#Use-dashes`,
    },
  },
});

/**
 * The Described and Captioned Media Program's Captioning Guidelines: near verbatim for adults, 150 words a minute
 * for children.
 * @example
 * dcmp('ours', 'en', 'children').speed; // => { unit: 'words', perMinute: 150 }
 */
export const dcmp = (name: string, language: string, audience: 'adult' | 'children'): Profile => {
  const perMinute = audience === 'adult' ? 225 : 150;
  return {
    name,
    title: `DCMP, for ${audience === 'adult' ? 'adults' : 'children'}`,
    language,
    maxLines: 2,
    maxLineChars: 32,
    narrow: 1,
    speed: { unit: 'words', perMinute },
    minDuration: 2,
    maxDuration: 8,
    gapFrames: 0,
    closedGap: 0.5,
    linger: 1.5,
    leadFrames: 6,
    lateFrames: 6,
    frameRate: null,
    shots: null,
    dialogue: dialogueStyleOf(language),
    rules: {
      line_length: { sentence: 'A line has at most 32 characters.', source: DCMP },
      reading_speed: {
        sentence: `Captions for ${audience === 'adult' ? 'adults' : 'children'} read at up to ${perMinute} words a minute.`,
        source: DCMP,
      },
      gap: { sentence: 'One caption ends before the next begins.', source: DCMP },
      min_duration: { sentence: 'A caption is shown for at least 2 seconds.', source: DCMP },
    },
  };
};

/** YouTube. Its only rule is that captions in a file may not overlap; everything else is the service's own. */
export const youtube = (name: string, language: string): Profile => ({
  name,
  title: 'YouTube',
  language,
  maxLines: 2,
  maxLineChars: 42,
  narrow: /^(?:ja|ko|zh)\b/i.test(language) ? 0.5 : 1,
  speed: { unit: 'characters', perSecond: 20 },
  minDuration: 0.8,
  maxDuration: 7,
  gapFrames: 0,
  closedGap: 0.5,
  linger: 1,
  leadFrames: 5,
  lateFrames: 0,
  frameRate: null,
  shots: null,
  dialogue: dialogueStyleOf(language),
  rules: {
    gap: { sentence: 'Captions of one track do not overlap.', source: YOUTUBE },
  },
});
