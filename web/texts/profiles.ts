/** The texts of the check against publishers' profiles. */
const rules: Readonly<Record<string, string>> = {
  line_length: 'Line length',
  line_count: 'Number of lines',
  reading_speed: 'Reading speed',
  min_duration: 'Minimum duration',
  max_duration: 'Maximum duration',
  gap: 'Gap between captions',
  small_gap: 'Small gaps',
  on_frames: 'Frames',
  shot_in: 'Start near a shot change',
  shot_out: 'End near a shot change',
  two_speakers: 'Two speakers',
};

/** They are loaded with the panel. */
export const profiles = {
  rules,
  by: 'Check against',
  own: 'The limits of this run',
  service: 'Captioner’s defaults',
  frameRate: 'Frames per second',
  itsRate: 'as the rules define',
  videoRate: (rate: number) => `as in the video (${Math.round(rate * 1000) / 1000})`,
  manage: 'Your own profiles…',
  checking: 'Checking…',
  failed: 'The rules could not be loaded. Choose them again.',
  none: 'Every caption follows these rules.',
  fixAll: (captions: number) => `Fix all ${captions.toLocaleString('en')}`,
  fixEverything: (captions: number) =>
    `Fix everything that can safely be fixed (${captions.toLocaleString('en')})`,
  fixLabel: (at: number, rule: string) => `Fix caption ${at}: ${rules[rule] ?? rule}`,
  more: (captions: number) => `And ${captions.toLocaleString('en')} more.`,
  bySource: (source: string) => `Source: ${source}.`,
};
