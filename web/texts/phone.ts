/** The texts of the parts that only narrow screens have. */

/** They are loaded with these parts. */
export const phone = {
  editCaption: (at: number) => `Caption ${at}: edit its text`,
  parts: { captions: 'Captions', check: 'Check', sound: 'Sound', tools: 'Tools' },
  phoneBar: 'Parts of the review',
};
