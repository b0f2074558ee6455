/** What only narrow screens show; loaded when the desk is there. */
export { PhoneBar } from './phone-bar.tsx';
export { PinnedCaption } from './pinned-caption.tsx';
