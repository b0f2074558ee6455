/** What saves a review on the service, and what shows it: loaded once the captions are there. */
export { SaveNotice } from './save-notice.tsx';
export { saveToService } from './save-to-service.ts';
export { SavedWhere } from './saved-where.tsx';
