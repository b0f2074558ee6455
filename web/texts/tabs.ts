/** The texts of a review that another tab is editing. */

/** They are loaded with its notice. */
export const tabText = {
  otherTab: 'This review is being edited in another tab. Its changes appear here.',
  editHere: 'Edit here',
  asking: {
    asked: 'Asking the other tab to hand over…',
    unanswered: 'The other tab does not respond: close it to edit here.',
    unsaved:
      'The other tab has changes that this browser could not save: download them there first.',
  },
};
