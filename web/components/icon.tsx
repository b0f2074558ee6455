/** The few pictures of the app, drawn here so that nothing is fetched. They never stand without a word. */

const PATHS = {
  check: 'M3 8.5l3.5 3.5L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  warning: 'M8 2L1.5 13.5h13L8 2zM8 6.5v3.5M8 12v.1',
  info: 'M8 14.5a6.5 6.5 0 100-13 6.5 6.5 0 000 13zM8 7v4.5M8 4.7v.1',
  error: 'M5 1.5h6L14.5 5v6L11 14.5H5L1.5 11V5L5 1.5zM8 4.5v4.5M8 11v.1',
  play: 'M4 2.5v11l9-5.5-9-5.5z',
  pause: 'M4.5 3v10M11.5 3v10',
  theme: 'M8 1.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM8 1.5v13a6.5 6.5 0 000-13z',
  more: 'M3 8h.1M8 8h.1M13 8h.1',
  upload: 'M8 11V2.5M4.5 6L8 2.5 11.5 6M2.5 13.5h11',
  down: 'M4 6l4 4 4-4',
  mute: 'M2 6v4h2.5L8 13V3L4.5 6H2zM11 6l3.5 4M14.5 6L11 10',
  sound: 'M2 6v4h2.5L8 13V3L4.5 6H2zM10.5 5.5a3.5 3.5 0 010 5M12.5 3.5a6.3 6.3 0 010 9',
  expand: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  minus: 'M3 8h10',
  plus: 'M3 8h10M8 3v10',
} as const;

export type IconName = keyof typeof PATHS;

const FILLED = new Set<IconName>(['play']);

/** A picture of 16 by 16 in the colour of the text around it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
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
