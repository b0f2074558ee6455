/** The texts of the overview above the timeline. */

/** Texts of the overview. */
export const overviewText = {
  label: 'The whole talk. Ticks, from top to bottom: open terms, doubtful words, warnings.',
};
