/** What a viewer would stumble over, caption by caption. */
import { Icon } from '../components/icon.tsx';
import { text } from './strings.ts';
import type { Commands } from './commands.ts';
import type { Review } from './review.ts';
import { warningText } from './warning-text.ts';

/** More are reached one after the other; a list of thousands helps nobody. */
const SHOWN = 100;

/** The list, and the way through it. */
export function WarningsPanel({ review, commands }: { review: Review; commands: Commands }) {
  const cues = review.cues.value;
  const found = review.judged.value.flatMap(({ warnings, quality }, index) => {
    const cue = cues[index];
    return cue
      ? warnings.map(({ flag, severity }) => ({ cue, index, flag, severity, quality }))
      : [];
  });
  if (found.length === 0) return <p>{text.review.warningsNone}</p>;
  return (
    <>
      <div class="actions start">
        <button type="button" onClick={commands.previousWarning}>
          {text.review.previous} <kbd>Shift+F8</kbd>
        </button>
        <button type="button" onClick={commands.nextWarning}>
          {text.review.next} <kbd>F8</kbd>
        </button>
      </div>
      <ul class="warnings">
        {found.slice(0, SHOWN).map(({ cue, index, flag, severity, quality }) => (
          <li key={`${cue.id} ${flag}`} class={severity}>
            <button type="button" class="plain" onClick={() => commands.select(cue, null)}>
              <Icon name={severity === 'warning' ? 'warning' : 'info'} />
              <span>
                <b>{index + 1}</b> {warningText(flag, cue, quality, review.settings)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
