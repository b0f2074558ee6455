/** The texts of files dropped on the review. */

/** Texts about files that cannot be opened. */
export const droppedText = {
  notMedia: (name: string) => `${name} is neither a recording nor captions.`,
};
