/**
 * The dialog that divides, times and breaks captions again by other settings or a publisher's
 * profile.
 */
import { useSignal, useSignalEffect, type Signal } from '@preact/signals';
import { Dialog } from '../../components/dialog.tsx';
import { Choice, NumberField, Select } from '../../components/fields.tsx';
import { text } from '../../texts/shell.ts';
import type { Desk } from '../desk/desk.ts';
import { rebreakMany } from '../model/edit-cues.ts';
import { rebuild, type BuildRules } from '../model/rebuild.ts';
import { pictureOf, profileChoices, profileNamed, rateFor } from '../editing/profile-rules.ts';
import type { Splice } from '../model/splice.ts';
import { settings as deskSettings } from '../editing/settings.ts';
import { editAll } from '../desk/edit-all.ts';
import { rebuildText as texts } from '../../texts/profiles-and-rebuilding.ts';
import { OPTION } from '../../../server/contract/limits.ts';

/** The time without changes after which the result is computed, in milliseconds. */
const QUIET_MS = 120;

/** The dialog, for the selected captions or for all. */
export function RebuildDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const { review, selection } = desk;
  const chosen = selection.indices.peek();
  const what = useSignal('anew');
  const which = useSignal(chosen.length > 0 ? 'selected' : 'all');
  const profile = useSignal(deskSettings.profile.peek());
  const own = {
    maxLineChars: useSignal<number>(review.settings.maxLineChars),
    maxLines: useSignal<number>(review.settings.maxLines),
    maxDuration: useSignal<number>(review.settings.maxDuration),
    minDuration: useSignal<number>(review.settings.minDuration),
  };
  const made = useSignal<readonly Splice[] | null>(null);
  const work = (): readonly Splice[] | null => {
    const cues = review.cues.peek();
    const indices = which.value === 'selected' ? chosen : cues.map((_, at) => at);
    const settings = {
      maxLineChars: own.maxLineChars.value,
      maxLines: own.maxLines.value,
      maxDuration: own.maxDuration.value,
      minDuration: own.minDuration.value,
    };
    const rules = rulesOf(desk, profile.value, settings);
    if (what.value === 'lines') {
      const measure =
        'profile' in rules
          ? {
              ...settings,
              maxLineChars: rules.profile.maxLineChars / rules.profile.narrow,
              maxLines: rules.profile.maxLines,
            }
          : settings;
      return rebreakMany(cues, indices, measure, review.language);
    }
    const { words, language } = review;
    const { nextId } = review.state.peek();
    const length = desk.playback.length.peek();
    return rebuild(cues, indices, { rules, language, words, nextId, length });
  };
  useSignalEffect(() => {
    const timer = setTimeout(() => (made.value = work()), QUIET_MS);
    // Read every choice here, so that each change restarts the timer.
    void [what, which, profile, ...Object.values(own)].map(({ value }) => value);
    return () => clearTimeout(timer);
  });
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      close={text.cancel}
      actions={[
        {
          label: texts.run,
          run: () => editAll(desk, 'rebuild', work() ?? [], texts.done),
        },
      ]}
    >
      <Choice
        label={texts.what}
        value={what}
        options={[
          ['anew', texts.anew],
          ['lines', texts.linesOnly],
        ]}
      />
      {chosen.length > 0 && (
        <Choice
          label={texts.which}
          value={which}
          options={[
            ['selected', texts.selected(chosen.length)],
            ['all', texts.all(review.cues.peek().length)],
          ]}
        />
      )}
      <Rules desk={desk} profile={profile} />
      {profile.value === '' && (
        <>
          <NumberField
            label={text.format.maxLineChars}
            value={own.maxLineChars}
            {...OPTION.maxLineChars}
            step={1}
          />
          <NumberField
            label={text.format.maxLines}
            value={own.maxLines}
            {...OPTION.maxLines}
            step={1}
          />
        </>
      )}
      {profile.value === '' && what.value === 'anew' && (
        <>
          <NumberField
            label={text.format.maxDuration}
            value={own.maxDuration}
            {...OPTION.maxDuration}
            step={0.5}
          />
          <NumberField
            label={text.format.minDuration}
            value={own.minDuration}
            {...OPTION.minDuration}
            step={0.1}
          />
        </>
      )}
      <p class="hint">{texts.hint}</p>
      <p role="status">{outcome(made.value)}</p>
    </Dialog>
  );
}

const Rules = ({ desk, profile }: { desk: Desk; profile: Signal<string> }) => (
  <Select
    label={texts.rules}
    value={profile}
    options={[['', texts.own], ...profileChoices(desk.review.language)]}
  />
);

function rulesOf(
  { review, recording, videoRate }: Desk,
  name: string,
  settings: Extract<BuildRules, { settings: unknown }>['settings'],
): BuildRules {
  const profile = profileNamed(name, review.language);
  if (!profile) return { settings };
  const rate = rateFor(profile, deskSettings.frameRate.peek(), videoRate.peek());
  const picture = pictureOf(rate, recording.shots.peek());
  return { profile, picture };
}

/** The number of captions before and after. */
function outcome(splices: readonly Splice[] | null): string {
  if (!splices) return '';
  if (splices.length === 0) return texts.noChange;
  const before = splices.reduce((sum, { removed }) => sum + removed.length, 0);
  const after = splices.reduce((sum, { inserted }) => sum + inserted.length, 0);
  return texts.become(before, after);
}
