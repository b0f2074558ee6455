/** The turns whose speaker is uncertain by the voice: each can be played, given to somebody else, or confirmed. */
import { IconButton } from '../../components/icon.tsx';
import { panels as panelsText } from '../../texts/desk-parts.ts';
import type { Desk } from '../desk/desk.ts';
import { PlayStretch } from './play-stretch.tsx';

/** The list; nothing if there are none. */
export function UncertainSpeakers({ desk }: { desk: Desk }) {
  const { review, doubts, navigation, clock } = desk;
  const { position } = clock.value;
  const turns = doubts.uncertain.value;
  if (turns.length === 0) return null;
  return (
    <section class="unheard" aria-label={panelsText.uncertain(turns.length)}>
      <h3>{panelsText.uncertain(turns.length)}</h3>
      <p class="hint">{panelsText.uncertainHint}</p>
      <ul class="terms">
        {turns.map((turn) => {
          const { start, end, index } = turn;
          const at = panelsText.stretch(position(start), position(end));
          const cue = review.cues.value[index];
          return (
            <li class="term" key={start}>
              <button
                type="button"
                class="plain term-sentence"
                onClick={() => navigation.select(cue, null)}
              >
                {at} {cue?.speakers?.filter(Boolean).join(', ')}
              </button>
              <span class="term-actions">
                <PlayStretch desk={desk} stretch={{ start, end }} at={at} />
                <IconButton
                  icon="check"
                  label={panelsText.speakerRightLabel(at)}
                  title={panelsText.speakerRight}
                  onClick={() => doubts.settleSpeaker(turn)}
                />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
