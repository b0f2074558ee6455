/** The turns whose speaker is uncertain by the voice: each can be played, given to somebody else, or confirmed. */
import { Icon } from '../../components/icon.tsx';
import type { Stretch } from '../../../server/contract/unheard.ts';
import { panels as panelsText } from '../../texts/desk-parts.ts';
import type { Desk } from '../desk/desk.ts';
import { turnDecision } from '../model/history.ts';
import { PlayStretch } from './play-stretch.tsx';

/** The most that are listed at once. */
const SHOWN = 100;

/** The list; nothing if there are none. */
export function UncertainSpeakers({ desk }: { desk: Desk }) {
  const { review, navigation, clock } = desk;
  const { position } = clock.value;
  const decisions = review.decisions.value;
  const turns = uncertainTurns(desk.result.transcript.metadata?.['doubtfulTurns']).filter(
    ({ start }) => decisions.get(turnDecision(start)) !== 'accepted',
  );
  if (turns.length === 0) return null;
  return (
    <section class="unheard" aria-label={panelsText.uncertain(turns.length)}>
      <h3>{panelsText.uncertain(turns.length)}</h3>
      <p class="hint">{panelsText.uncertainHint}</p>
      <ul class="terms">
        {turns.slice(0, SHOWN).map(({ start, end }) => {
          const at = panelsText.stretch(position(start), position(end));
          const cue = review.cues.value.find((each) => each.end > start && each.start < end);
          const id = turnDecision(start);
          return (
            <li class="term" key={start}>
              <button
                type="button"
                class="plain term-sentence"
                disabled={cue === undefined}
                onClick={() => cue && navigation.select(cue, null)}
              >
                {at} {cue?.speakers?.filter(Boolean).join(', ')}
              </button>
              <span class="term-actions">
                <PlayStretch desk={desk} stretch={{ start, end }} at={at} />
                <button
                  type="button"
                  aria-label={panelsText.speakerRightLabel(at)}
                  title={panelsText.speakerRight}
                  onClick={() =>
                    review.edit('sure', [], {
                      decisions: [{ id, before: 'open', after: 'accepted' }],
                    })
                  }
                >
                  <Icon name="check" />
                </button>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A pause between two pieces of one turn, in seconds. */
const BETWEEN = 0.2;

/** The turns of a transcript's metadata, those that follow each other as one. */
function uncertainTurns(listed: unknown): Stretch[] {
  const turns: Stretch[] = [];
  for (const { start, end } of Array.isArray(listed) ? (listed as Partial<Stretch>[]) : []) {
    if (typeof start !== 'number' || typeof end !== 'number') continue;
    const last = turns.at(-1);
    if (last && start - last.end <= BETWEEN) last.end = Math.max(last.end, end);
    else turns.push({ start, end });
  }
  return turns;
}
