/** The warnings panel: checks against the limits of the run, or a publisher's profile. */
import { Icon } from '../../components/icon.tsx';
import { settings } from './settings.ts';
import { ProfileChoice, ProfileViolations } from './profile-panel.tsx';
import type { Desk } from './desk.ts';
import { hintOf } from './key-hint.ts';
import { warningText } from './warning-text.ts';
import { panels as panelsText } from '../../texts/panels.ts';
import { text } from '../../texts/review.ts';

/** The most warnings listed; the rest are reached one by one. */
const SHOWN = 100;

/** The choice of profile, the list and the buttons that step through it. */
export function WarningsPanel({ desk }: { desk: Desk }) {
  const { navigation, review } = desk;
  return (
    <>
      <ProfileChoice desk={desk} />
      {navigation.left.value.warning > 0 && (
        <div class="actions leading">
          <button type="button" onClick={() => navigation.go(-1, ['warning'])}>
            {panelsText.previous} <kbd>{hintOf('previousWarning')}</kbd>
          </button>
          <button type="button" onClick={() => navigation.go(1, ['warning'])}>
            {panelsText.next} <kbd>{hintOf('nextWarning')}</kbd>
          </button>
        </div>
      )}
      {review.cues.value.length === 0 ? <p>{text.review.noneYet}</p> : <Found desk={desk} />}
    </>
  );
}

const Found = ({ desk }: { desk: Desk }) =>
  settings.profile.value === '' ? <Warnings desk={desk} /> : <ProfileViolations desk={desk} />;

function Warnings({ desk: { review, navigation, commands } }: { desk: Desk }) {
  const cues = review.cues.value;
  const found = review.judged.value.flatMap((judged, index) => {
    const cue = cues[index]!;
    return judged.warnings.map(({ flag, severity }) => ({ cue, index, flag, severity, judged }));
  });
  if (found.length === 0) return <p>{panelsText.warningsNone}</p>;
  return (
    <>
      <p class="actions leading">
        <button type="button" onClick={() => void commands.fixAll()}>
          {panelsText.fixEverything}
        </button>
      </p>
      <ul class="warnings">
        {found.slice(0, SHOWN).map(({ cue, index, flag, severity, judged }) => (
          <li key={`${cue.id} ${flag}`} class={severity}>
            <button type="button" class="plain" onClick={() => navigation.select(cue, null)}>
              <Icon name={severity} />
              <span>
                <b>{index + 1}</b> {warningText(flag, cue, judged, review.settings)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
