/** The texts of the form that shifts captions. */

/** They are loaded with the form. */
export const shift = {
  badShift: 'Enter seconds as 0.5 or -0.5.',
  shiftAsk: 'Shift this and all following captions by (seconds)',
  shiftSelected: (captions: number) => `Shift the ${captions} selected captions by (seconds)`,
  shiftDo: 'Shift',
};
