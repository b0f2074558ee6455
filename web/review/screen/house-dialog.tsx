/**
 * The dialog for house profiles: derive one from a publisher's, edit it, and save or open it as a
 * file.
 */
import { type Signal, signal, useSignal } from '@preact/signals';
import {
  type HouseChanges,
  type HouseProfile,
  HouseProfileError,
  HOUSE_BOUNDS,
  HOUSE_PROFILE_FORMAT,
  houseRules,
  readHouseProfile,
  writeHouseProfile,
} from '../../../server/captions/rules/profiles/house-profile.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FileButton } from '../../components/file-button.tsx';
import {
  Check,
  Choice,
  DropDown,
  NumberField,
  Select,
  TextField,
} from '../../components/fields.tsx';
import { saveFile } from '../../components/save-file.ts';
import { house as texts } from '../../texts/profiles-and-rebuilding.ts';
import { said } from '../../texts/said.ts';
import { isProfileName, profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import type { Profile } from '../../../server/captions/rules/profiles/profile.ts';
import type { Desk } from '../desk/desk.ts';
import {
  choiceOf,
  dropHouseProfile,
  FRAME_RATES,
  houseProfiles,
  keepHouseProfile,
  publishedChoices,
} from '../editing/profile-rules.ts';
import { settings } from '../editing/settings.ts';

/** The largest profile file, in bytes; real ones have a few hundred. */
const MAX_BYTES = 64 * 1024;

/** The dialog. It opens with the house profile in use, if there is one. */
export function HouseDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const { language } = desk.review;
  const kept = houseProfiles();
  const now = kept.find((each) => choiceOf(each) === settings.profile.peek());
  const which = useSignal(now?.name ?? '');
  const draft = useSignal(draftOf(now ?? settings.profile.peek(), language));
  const notices = useSignal<readonly string[]>([]);
  const choose = (name: string): void => {
    which.value = name;
    const found = houseProfiles().find((each) => each.name === name);
    draft.value = draftOf(found ?? draft.peek().base.peek(), language);
    notices.value = [];
  };
  const save = (): HouseProfile | null => {
    const made = profileOfDraft(draft.peek(), language);
    const fault = faultOf(made, which.peek(), draft.peek());
    notices.value = [fault ?? texts.saved(made.name)];
    if (fault !== null) return null;
    keepHouseProfile(made, which.peek() === '' ? undefined : which.peek());
    which.value = made.name;
    return made;
  };
  const remove = (): void => {
    const gone = houseProfiles().find(({ name }) => name === which.peek());
    if (!gone) return;
    dropHouseProfile(gone);
    choose('');
    notices.value = [texts.removed(gone.name)];
  };
  const open = async (file: File): Promise<void> => {
    try {
      if (file.size > MAX_BYTES) throw new HouseProfileError([{ field: '', says: texts.tooLarge }]);
      const read = readHouseProfile(await file.text());
      keepHouseProfile(read);
      choose(read.name);
      notices.value = [texts.opened(read.name)];
    } catch (error) {
      if (!(error instanceof HouseProfileError)) throw error;
      notices.value = [texts.wrong, ...error.message.split('\n').map(said.sentence)];
    }
  };
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <p class="hint">{texts.hint}</p>
      <div class="field">
        <label for="house-which">{texts.which}</label>
        <DropDown
          id="house-which"
          value={which.value}
          options={[['', texts.fresh], ...kept.map(({ name }) => [name, name] as const)]}
          onChoose={choose}
        />
      </div>
      <Fields draft={draft.value} language={language} />
      <div class="actions leading">
        <button type="button" class="primary" onClick={save}>
          {texts.save}
        </button>
        <button
          type="button"
          onClick={() => {
            const made = save();
            if (made) saveFile(writeHouseProfile(made), fileNameOf(made), 'application/json');
          }}
        >
          {texts.download}
        </button>
        <FileButton
          label={texts.open}
          accept=".json,application/json"
          onFiles={([file]) => void open(file)}
        />
        {which.value !== '' && (
          <button type="button" onClick={remove}>
            {texts.remove}
          </button>
        )}
      </div>
      <div role="status">
        {notices.value.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
    </Dialog>
  );
}

/**
 * The reason why a profile cannot be saved; null if it can.
 * @param before the previous name of the profile
 */
function faultOf(made: HouseProfile, before: string, draft: HouseDraft): string | null {
  if (made.name === '') return texts.nameFirst;
  const isTaken = houseProfiles().some(({ name }) => name === made.name && name !== before);
  if (isTaken) return texts.taken(made.name);
  return draft.minDuration.peek() > draft.maxDuration.peek() ? texts.order : null;
}

const fileNameOf = ({ name }: HouseProfile): string =>
  `${name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'profile'}.json`;

const NUMBERS = ['minDuration', 'maxDuration', 'gapFrames', 'closedGap'] as const;

function Fields({ draft, language }: { draft: HouseDraft; language: string }) {
  const number = (field: keyof typeof HOUSE_BOUNDS & keyof HouseDraft) => (
    <NumberField
      key={field}
      label={texts[field as 'before']}
      value={draft[field] as Signal<number>}
      {...HOUSE_BOUNDS[field]}
    />
  );
  return (
    <>
      <TextField label={texts.name} value={draft.name} />
      <div class="field">
        <label for="house-base">{texts.base}</label>
        <DropDown
          id="house-base"
          value={draft.base.value}
          options={publishedChoices(language)}
          onChoose={(base) => rebase(draft, base, language)}
        />
      </div>
      {number('maxLines')}
      {number('maxLineChars')}
      <Choice
        label={texts.unit}
        value={draft.unit}
        options={[
          ['characters', texts.characters],
          ['words', texts.words],
        ]}
      />
      {number(draft.unit.value === 'words' ? 'perMinute' : 'perSecond')}
      {NUMBERS.map(number)}
      <Select
        label={texts.frames}
        value={draft.frameRate}
        options={[
          ['', texts.noFrames],
          ...FRAME_RATES.map((rate) => [String(Number(rate)), rate] as const),
        ]}
      />
      <Check label={texts.shots} value={draft.shots} />
      {draft.shots.value && number('before')}
      <Select
        label={texts.dialogue}
        value={draft.dialogue}
        options={Object.entries(texts.dialogues)}
      />
    </>
  );
}

/** The fields of the form; units as in Profile. */
interface HouseDraft {
  name: Signal<string>;
  base: Signal<string>;
  maxLines: Signal<number>;
  maxLineChars: Signal<number>;
  unit: Signal<string>;
  perSecond: Signal<number>;
  perMinute: Signal<number>;
  minDuration: Signal<number>;
  maxDuration: Signal<number>;
  gapFrames: Signal<number>;
  closedGap: Signal<number>;
  /** Empty for none. */
  frameRate: Signal<string>;
  shots: Signal<boolean>;
  before: Signal<number>;
  /** The lines that get a dash, and the dash: `both -`. */
  dialogue: Signal<string>;
}

/** Converts a speed from one unit to the other, approximately. */
const LETTERS_A_WORD = 6;

/** Rounds a number for display: 5/6 s is shown as 0.83. */
const shown = (value: number): number => Math.round(value * 100) / 100;

const speedOf = ({ speed }: Profile): { perSecond: number; perMinute: number } =>
  speed.unit === 'words'
    ? { perMinute: speed.perMinute, perSecond: Math.round((speed.perMinute / 60) * LETTERS_A_WORD) }
    : {
        perSecond: speed.perSecond,
        perMinute: Math.round((speed.perSecond * 60) / LETTERS_A_WORD),
      };

const valuesOf = (profile: Profile) => ({
  maxLines: profile.maxLines,
  maxLineChars: profile.maxLineChars,
  unit: profile.speed.unit as string,
  ...speedOf(profile),
  minDuration: shown(profile.minDuration),
  maxDuration: profile.maxDuration,
  gapFrames: profile.gapFrames,
  closedGap: profile.closedGap,
  frameRate: String(profile.frameRate ?? ''),
  shots: profile.shots !== null,
  before: profile.shots?.before ?? 2,
  dialogue: `${profile.dialogue.lines} ${profile.dialogue.dash}`,
});

/**
 * A draft of a profile, or of a new one with that base.
 * @param language BCP 47
 */
function draftOf(from: HouseProfile | string, language: string): HouseDraft {
  const profile =
    typeof from === 'object' ? houseRules(from, language) : profileOf(baseOf(from), language);
  const values = valuesOf(profile);
  const fields = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, signal(value)]),
  );
  return {
    ...(fields as unknown as Omit<HouseDraft, 'name' | 'base'>),
    name: signal(typeof from === 'object' ? from.name : ''),
    base: signal(typeof from === 'object' ? from.base : baseOf(from)),
  };
}

const baseOf = (name: string) => (isProfileName(name) ? name : 'default');

/**
 * Resets all values to those of another base, except the name.
 * @param language BCP 47
 */
function rebase(draft: HouseDraft, base: string, language: string): void {
  const { name: _, ...fields } = draftOf(base, language);
  for (const [key, field] of Object.entries(fields)) {
    (draft[key as keyof HouseDraft] as Signal<unknown>).value = field.peek();
  }
}

/**
 * The profile of a draft; values equal to the base's are left out.
 * @param language BCP 47
 */
function profileOfDraft(draft: HouseDraft, language: string): HouseProfile {
  const base = baseOf(draft.base.value);
  const theirs = valuesOf(profileOf(base, language));
  const [lines, dash] = [
    draft.dialogue.value.split(' ', 1)[0],
    draft.dialogue.value.replace(/^\w+ /, ''),
  ];
  const changes: HouseChanges = {};
  for (const key of [
    'maxLines',
    'maxLineChars',
    'minDuration',
    'maxDuration',
    'gapFrames',
    'closedGap',
  ] as const) {
    if (draft[key].value !== theirs[key]) changes[key] = draft[key].value;
  }
  const { unit, perSecond, perMinute } = draft;
  if (unit.value === 'words') {
    if (theirs.unit !== 'words' || theirs.perMinute !== perMinute.value)
      changes.speed = { unit: 'words', perMinute: perMinute.value };
  } else if (theirs.unit !== 'characters' || theirs.perSecond !== perSecond.value)
    changes.speed = { unit: 'characters', perSecond: perSecond.value };
  if (draft.frameRate.value !== theirs.frameRate)
    changes.frameRate = draft.frameRate.value === '' ? null : Number(draft.frameRate.value);
  if (
    draft.shots.value !== theirs.shots ||
    (draft.shots.value && draft.before.value !== theirs.before)
  )
    changes.shots = draft.shots.value ? { before: draft.before.value } : null;
  if (draft.dialogue.value !== theirs.dialogue)
    changes.dialogue = {
      lines: lines === 'second' ? 'second' : 'both',
      dash: dash === '-' ? '-' : '- ',
    };
  return { format: HOUSE_PROFILE_FORMAT, name: draft.name.value.trim(), base, ...changes };
}
