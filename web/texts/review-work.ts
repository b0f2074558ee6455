/** The texts for the versions of a review, for assigning and for approving it. */
import type { ReviewState } from '../../server/contract/review-versions.ts';
import { day } from './format.ts';
import { inLanguage } from './language.ts';

/** They are loaded when they are first needed. */
export const reviewWork = inLanguage('reviewWork', {
  /** The state of a review in a few words; '' if there is nothing to say. */
  state: ({ state, approval, assignee, due }: ReviewState): string => {
    if (approval?.changedSince) return `Changed since ${approval.name} approved it`;
    if (approval) return `Approved by ${approval.name}`;
    const whose = assignee === null ? '' : `For ${assignee}`;
    const until = due === null ? '' : `due ${day(due)}`;
    const where = state === 'in_review' ? 'In review' : '';
    return [where, whose, until].filter((words) => words !== '').join(' · ');
  },
  title: 'Versions and approval',
  assignTitle: 'Who works on it',
  assignee: 'Assigned to',
  assigneeHint: 'An address or a name; empty for nobody. Everyone in your workspace sees it.',
  due: 'Due',
  inReview: 'In review',
  assign: 'Save',
  approveTitle: 'Approval',
  approver: 'Your name',
  approve: 'Approve this version',
  approved: (name: string, when: string) => `Approved by ${name} on ${when}.`,
  changedSince:
    'The captions have been changed since. Compare them with the approved version below.',
  withdraw: 'Withdraw the approval',
  notSaved: 'Not all changes are saved on the service yet. Approve once they are.',
  versionsTitle: 'Versions',
  versionsHint:
    'One for each session of work: it ends after half an hour’s pause, or when somebody else saves. The oldest go; a version with a name stays.',
  none: 'Nothing has been saved yet.',
  now: 'Now',
  guest: 'A guest',
  unknown: 'Somebody',
  byGuest: (link: string) => `${link} (guest)`,
  compare: 'Compare',
  compareLabel: (when: string) => `Compare with the version of ${when}`,
  bringBack: 'Bring back',
  bringBackLabel: (when: string) => `Bring back the version of ${when}`,
  name: 'Name',
  nameLabel: (when: string) => `Name the version of ${when}`,
  keepName: 'Save name',
  comparedTitle: (when: string) => `Compared with the version of ${when}`,
  broughtBack: (when: string) => `The version of ${when} is back. Undo takes it away again.`,
  sameAsNow: 'That version is the same as the captions now.',
});
