/** The button in a list that plays a stretch of the recording once. */
import type { Stretch } from '../../../server/contract/unheard.ts';
import { IconButton } from '../../components/icon.tsx';
import { panels as panelsText } from '../../texts/desk-parts.ts';
import type { Desk } from '../desk/desk.ts';

/** The button. @param at what the stretch is called */
export const PlayStretch = ({
  desk,
  stretch: { start, end },
  at,
}: {
  desk: Desk;
  stretch: Stretch;
  at: string;
}) => (
  <IconButton
    icon="play"
    label={panelsText.playStretch(at)}
    title={panelsText.playWordsShort}
    onClick={() => desk.playback.playStretch({ from: start, to: end, loop: false })}
  />
);
