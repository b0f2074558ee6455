/** Parts shown only on narrow screens, loaded after the review. */
export { PhoneBar } from './phone-bar.tsx';
export { PinnedCaption } from './pinned-caption.tsx';
