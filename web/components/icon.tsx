/**
 * The icons of the app, inline so that nothing is fetched. Each has a text label where it is used.
 */
import type { ComponentProps } from 'preact';

const PATHS = {
  check: 'M3 8.5l3.5 3.5L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2L1.5 13.5h13L8 2zM8 6.5v3.5M8 12v.1',
  info: 'M8 14.5a6.5 6.5 0 100-13 6.5 6.5 0 000 13zM8 7v4.5M8 4.7v.1',
  error: 'M5 1.5h6L14.5 5v6L11 14.5H5L1.5 11V5L5 1.5zM8 4.5v4.5M8 11v.1',
  play: 'M4 2.5v11l9-5.5-9-5.5z',
  pause: 'M4.5 3v10M11.5 3v10',
  theme: 'M8 1.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM8 1.5v13a6.5 6.5 0 000-13z',
  person: 'M8 8a3 3 0 100-6 3 3 0 000 6zM2.5 14a5.5 5.5 0 0111 0',
  settings: 'M2 4.5h6M12 4.5h2M8 2.5h4v4H8zM2 11.5h2M8 11.5h6M4 9.5h4v4H4z',
  more: 'M3 8h.1M8 8h.1M13 8h.1',
  upload: 'M8 11V2.5M4.5 6L8 2.5 11.5 6M2.5 13.5h11',
  download: 'M8 2.5V11M4.5 7.5L8 11l3.5-3.5M2.5 13.5h11',
  pencil: 'M3 13l.6-3 7-7L13 5.4l-7 7L3 13z',
  down: 'M4 6l4 4 4-4',
  mute: 'M2 6v4h2.5L8 13V3L4.5 6H2zM11 6l3.5 4M14.5 6L11 10',
  sound: 'M2 6v4h2.5L8 13V3L4.5 6H2zM10.5 5.5a3.5 3.5 0 010 5M12.5 3.5a6.3 6.3 0 010 9',
  expand: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  split: 'M8 2v12M2 5.5h3M11 5.5h3M2 10.5h3M11 10.5h3',
  merge: 'M2.5 4h11v8h-11zM5.5 8h5M8.5 6l2 2-2 2',
  insert: 'M2 3.5h12M2 12.5h12M8 5.8v4.4M5.8 8h4.4',
  bin: 'M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.5 9h6l.5-9',
  start: 'M3 3v10M13 8H6M8.5 5.5L6 8l2.5 2.5',
  end: 'M13 3v10M3 8h7M7.5 5.5L10 8l-2.5 2.5',
  earlier: 'M13 8H3M6.5 4.5L3 8l3.5 3.5',
  later: 'M3 8h10M9.5 4.5L13 8l-3.5 3.5',
  mode: 'M2.5 5.5h6v5h-6zM8.5 5.5h5v5h-5zM8.5 3v10',
  magnet: 'M3.5 3v5a4.5 4.5 0 009 0V3M3.5 6h2.5M10 6h2.5M6 3v5a2 2 0 004 0V3',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6h7a4 4 0 010 8H6',
  redo: 'M10.5 3l3 3-3 3M13.5 6h-7a4 4 0 000 8H10',
  compare: 'M2.5 3h4.5v10H2.5zM9 3h4.5v10H9z',
  find: 'M7 12A5 5 0 107 2a5 5 0 000 10zM10.5 10.5L14 14',
  keys: 'M1.5 4h13v8h-13zM4 6.5h.1M6.7 6.5h.1M9.3 6.5h.1M12 6.5h.1M4.5 9.5h7',
  lines: 'M2.5 3.5h11M2.5 6.5h11M2.5 9.5h11M2.5 12.5h6',
  translate:
    'M1.5 3.5h8M5.5 2v1.5M8 3.5C7 7 4.5 9 2 10M3.5 6c1 2 2.5 3 4.5 4M8 14l3-7.5 3 7.5M9 11.5h4',
  list: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  back: 'M10 3L5 8l5 5',
  on: 'M6 3l5 5-5 5',
  replay: 'M3 8a5 5 0 105-5H4.5M7 .8L4.5 3 7 5.2',
  loop: 'M4 5h7a2.5 2.5 0 010 5M12 11H5a2.5 2.5 0 010-5M9.5 3L11.5 5l-2 2M6.5 9l-2 2 2 2',
  backBy: 'M8 3v10L2 8l6-5zM14 3v10L8 8',
  onBy: 'M8 3v10l6-5-6-5zM2 3v10l6-5',
  wave: 'M2 7v2M5 4v8M8 2v12M11 5v6M14 7v2',
  patient: 'M4 2.5h8M4 13.5h8M5 2.5c0 3 6 4 6 5.5s-6 2.5-6 5.5M11 2.5c0 3-6 4-6 5.5s6 2.5 6 5.5',
  minus: 'M3 8h10',
  plus: 'M3 8h10M8 3v10',
  share:
    'M5.8 7l4.4-2.5M5.8 9l4.4 2.5M4 10a2 2 0 100-4 2 2 0 000 4zM12 5.5a2 2 0 100-4 2 2 0 000 4zM12 14.5a2 2 0 100-4 2 2 0 000 4z',
  comment: 'M2 2.5h12v8.5H7.5L4.5 14v-3H2z',
} as const;

export type IconName = keyof typeof PATHS;

const FILLED = new Set<IconName>(['play']);

/**
 * Those that show the direction of reading, and turn round where text runs from right to left. Arrows that show time
 * do not: it runs from left to right in every language.
 */
const MIRRORED = new Set<IconName>(['undo', 'redo', 'list', 'lines', 'comment']);

/** A 16 by 16 icon in the colour of the surrounding text. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg
    class={MIRRORED.has(name) ? 'icon mirrored' : 'icon'}
    viewBox="0 0 16 16"
    width="16"
    height="16"
    aria-hidden="true"
  >
    <path
      d={PATHS[name]}
      fill={FILLED.has(name) ? 'currentColor' : 'none'}
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
);

/** A button that shows only an icon; its label is what screen readers say. */
export const IconButton = ({
  icon,
  label,
  ...rest
}: ComponentProps<'button'> & { icon: IconName; label: string }) => (
  <button type="button" aria-label={label} {...rest}>
    <Icon name={icon} />
  </button>
);
