/** The texts about saving a review on the service. */
import { count } from './format.ts';
import { inLanguage } from './language.ts';

const captions = (number: number): string => count(number, 'caption', 'captions');

/** They are loaded with the saving code. */
export const saveText = inLanguage('saveText', {
  saved: 'Saved',
  saving: 'Saving…',
  here: 'Saved here',
  hereHint: 'In this browser',
  notStored: 'This browser cannot save changes. Download the captions before you leave.',
  alone: 'Saved here. Sign in to share.',
  choose: 'Not saved: choose a version',
  refused: (message: string) => `Saved in this browser only. ${message}`,
  conflict: (number: number) =>
    `A colleague has changed ${captions(number)} that you have changed too. Nothing is lost: choose which version to keep.`,
  compare: 'Choose',
  news: (number: number) =>
    `A colleague has changed ${captions(number)}. The changes are in your review now.`,
  show: 'Show',
  dismiss: 'OK',
  dialogTitle: 'Changes by a colleague',
  conflictHint: 'Choose a version of each of these captions. Then your review is saved.',
  newsHint: 'These are in your review now. You can edit or undo them.',
  keepMine: 'Keep mine',
  takeTheirs: 'Take theirs',
  keepLabel: (time: string) => `Keep mine, at ${time}`,
  takeLabel: (time: string) => `Take theirs, at ${time}`,
  mine: 'Yours',
  theirs: 'Theirs',
  noCaption: 'no caption',
  nothingLeft: 'Nothing is left to choose.',
  otherTab: 'This review is being edited in another tab. Its changes appear here.',
  editHere: 'Edit here',
  asking: {
    asked: 'Asking the other tab to hand over…',
    unanswered: 'The other tab does not respond: close it to edit here.',
    unsaved:
      'The other tab has changes that this browser could not save: download them there first.',
  },
});
