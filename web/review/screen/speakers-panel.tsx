/**
 * The speakers panel: names speakers, assigns them to captions or lines, and places captions in the
 * picture.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { isRightToLeft } from '../../../server/captions/files/direction.ts';
import { listVoices } from '../../api/voices.ts';
import { Check, DropDown } from '../../components/fields.tsx';
import { withKey } from '../../tab/session.ts';
import { type Desk, mayShare } from '../desk/desk.ts';
import { type ReviewCue, speakersOf } from '../model/cue.ts';
import { renameSpeaker, speakerOf } from '../model/cue-speakers.ts';
import { colourOf } from '../editing/speakers.ts';
import { SpeakerProposals } from './speaker-proposals.tsx';
import { speakersText as texts } from '../../texts/desk-parts.ts';
import { text } from '../../texts/review.ts';
import { REVIEW } from '../../../server/contract/limits.ts';

/** The panel. */
export function SpeakersPanel({ desk }: { desk: Desk }) {
  const { review, selection, speakers } = desk;
  const chosen = selection.indices.value;
  const at = review.currentIndex.value;
  const cue = review.cues.value[at];
  const meant = speakers.meant.value;
  const [first = at] = meant;
  const target =
    chosen.length > 0
      ? texts.selected(chosen.length)
      : meant.length > 1
        ? texts.turnTarget(first + 1, meant.at(-1)! + 1)
        : texts.current(at + 1);
  const names = useNames(desk);
  const listId = useId();
  return (
    <>
      <p class="hint">{texts.hint}</p>
      {mayShare(desk) && <SpeakerProposals desk={desk} />}
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {speakers.all.value.length === 0 && <p>{texts.none}</p>}
      <ul class="speakers">
        {speakers.all.value.map(({ name, captions }, number) => (
          <li key={name}>
            <span class={`speaker-mark ${colourOf(number)}`} aria-hidden="true" />
            <input
              type="text"
              list={listId}
              aria-label={texts.name(name)}
              maxLength={REVIEW.maxSpeakerChars}
              value={name}
              onChange={(event) => speakers.rename(name, event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter') speakers.rename(name, event.currentTarget.value);
              }}
            />
            <span class="hint">{texts.captions(captions)}</span>
            <button
              type="button"
              aria-label={texts.giveLabel(name, target)}
              aria-pressed={chosen.length === 0 && cue !== undefined && speakerOf(cue) === name}
              onClick={() => speakers.give(name)}
            >
              {texts.give(target)}
            </button>
            <SpeakerMore desk={desk} name={name} />
          </li>
        ))}
      </ul>
      {speakers.all.value.length > 0 && <Check label={texts.turn} value={speakers.wholeTurn} />}
      <NewSpeaker desk={desk} listId={listId} />
      {cue && (cue.lines.length > 1 || cue.speakers) && (
        <fieldset class="speaker-lines">
          <legend>{texts.lines(at + 1)}</legend>
          {speakersOf(cue).map((name, line, names) => (
            <label key={line}>
              {texts.line(line + 1)}{' '}
              <DropDown
                value={name}
                options={[
                  ['', texts.nobody],
                  ...speakers.all.value.map(({ name }) => [name, name] as const),
                ]}
                onChoose={(chosen) => speakers.giveLines(names.with(line, chosen))}
              />
            </label>
          ))}
        </fieldset>
      )}
      {cue && <Place desk={desk} cue={cue} />}
    </>
  );
}

/** The most captions of a speaker, and the most names, that are listed. */
const MOST_LISTED = 200;

/** What else can be done with a speaker: hear and read everything they say, join them with another, or divide them. */
function SpeakerMore({ desk, name }: { desk: Desk; name: string }) {
  const { review, speakers, navigation } = desk;
  const isOpen = useSignal(false);
  const others = speakers.all.value.filter((each) => each.name !== name);
  const said = isOpen.value
    ? review.cues.value.filter((cue) => cue.speakers?.includes(name) === true)
    : [];
  const at = review.currentIndex.value;
  const isSplit = review.cues.value.some(
    ({ speakers: named }, index) => index < at && named?.includes(name) === true,
  );
  const split = (): void => {
    const taken = new Set(speakers.all.peek().map((each) => each.name));
    let number = taken.size + 1;
    while (taken.has(text.review.unnamedSpeaker(number))) number += 1;
    const other = text.review.unnamedSpeaker(number);
    review.edit('speaker', renameSpeaker(review.cues.peek(), name, other, at));
  };
  return (
    <div class="speaker-more">
      {isSplit && (
        <button type="button" onClick={split}>
          {texts.splitHere(name)}
        </button>
      )}
      {others.length > 0 && (
        <DropDown
          label={texts.same(name)}
          value=""
          options={[
            ['', texts.same(name)],
            ...others.map((each) => [each.name, each.name] as const),
          ]}
          onChoose={(other) => speakers.rename(name, other)}
        />
      )}
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>{texts.says(name)}</summary>
        <ol class="speaker-says">
          {said.slice(0, MOST_LISTED).map((cue) => (
            <li key={cue.id}>
              <button type="button" onClick={() => navigation.select(cue, null)}>
                {desk.clock.value.position(cue.start)} {cue.lines.join(' ')}
              </button>
            </li>
          ))}
        </ol>
        {said.length > MOST_LISTED && (
          <p class="hint">{texts.saysMore(said.length - MOST_LISTED)}</p>
        )}
      </details>
    </div>
  );
}

/** Names to choose from: those given for the talk, and the people whom the workspace knows. */
function useNames(desk: Desk): string[] {
  const known = useSignal<readonly string[]>([]);
  useEffect(() => {
    if (!mayShare(desk)) return;
    const read = async (): Promise<void> => {
      const voices = await withKey(listVoices).catch(() => null);
      known.value = voices?.people.map(({ name }) => name) ?? [];
    };
    void read();
  }, []);
  const given = desk.result.input['glossary'];
  const names = Array.isArray(given) ? given.filter((each) => typeof each === 'string') : [];
  return [...new Set([...known.value, ...names])].slice(0, MOST_LISTED);
}

/** The place of the captions in the picture. */
function Place({ desk: { review, speakers }, cue }: { desk: Desk; cue: ReviewCue }) {
  const { vertical = '', align = '' } = cue.placement ?? {};
  const isLeftward = isRightToLeft(review.language);
  return (
    <fieldset class="caption-place">
      <legend>{texts.place}</legend>
      <label>
        {texts.height}{' '}
        <DropDown
          label={texts.height}
          value={vertical}
          options={[
            ['', texts.bottom],
            ['middle', texts.middle],
            ['top', texts.top],
          ]}
          onChoose={(value) =>
            speakers.place({ vertical: value === 'top' || value === 'middle' ? value : undefined })
          }
        />
      </label>
      <label>
        {texts.side}{' '}
        <DropDown
          label={texts.side}
          value={align}
          options={[
            [isLeftward ? 'end' : 'start', texts.left],
            ['', texts.centre],
            [isLeftward ? 'start' : 'end', texts.right],
          ]}
          onChoose={(value) =>
            speakers.place({ align: value === 'start' || value === 'end' ? value : undefined })
          }
        />
      </label>
    </fieldset>
  );
}

function NewSpeaker({ desk: { speakers }, listId }: { desk: Desk; listId: string }) {
  const name = useSignal('');
  return (
    <form
      class="new-speaker"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.peek().trim() === '') return;
        speakers.give(name.peek());
        name.value = '';
      }}
    >
      <label>
        {texts.add}{' '}
        <input
          type="text"
          list={listId}
          maxLength={REVIEW.maxSpeakerChars}
          value={name}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">{texts.addDo}</button>
    </form>
  );
}
