/** The parts that save a review on the service and show its state, loaded after the captions. */
export { FinishButton, SaveNotice } from './save-notice.tsx';
export { saveToService } from '../save/save-to-service.ts';
export { SavedWhere } from './save-notice.tsx';
export { CueComments, GuestState, ShareButton, WorkState } from './sharing.tsx';
export { followWork } from '../save/review-work.ts';
export { followComments } from '../save/comments.ts';
export { ownComments } from '../save/own-comments.ts';
