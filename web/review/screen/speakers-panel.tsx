/**
 * The speakers panel: names speakers, assigns them to captions or lines, and places captions in the
 * picture.
 */
import { useSignal } from '@preact/signals';
import { isRightToLeft } from '../../../server/captions/files/direction.ts';
import type { Desk } from '../desk/desk.ts';
import { type ReviewCue, speakersOf } from '../model/cue.ts';
import { speakerOf } from '../model/cue-speakers.ts';
import { SpeakerMark } from './cue-row.tsx';
import { speakersText as texts } from '../../texts/desk-parts.ts';
import { REVIEW } from '../../../server/contract/limits.ts';

/** The panel. */
export function SpeakersPanel({ desk }: { desk: Desk }) {
  const { review, selection, speakers } = desk;
  const chosen = selection.indices.value;
  const at = review.currentIndex.value;
  const cue = review.cues.value[at];
  const target = chosen.length > 0 ? texts.selected(chosen.length) : texts.current(at + 1);
  return (
    <>
      <p class="hint">{texts.hint}</p>
      {speakers.all.value.length === 0 && <p>{texts.none}</p>}
      <ul class="speakers">
        {speakers.all.value.map(({ name, captions }, number) => (
          <li key={name}>
            <SpeakerMark number={number} />
            <input
              type="text"
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
          </li>
        ))}
      </ul>
      <NewSpeaker desk={desk} />
      {cue && (cue.lines.length > 1 || cue.speakers) && (
        <fieldset class="speaker-lines">
          <legend>{texts.lines(at + 1)}</legend>
          {speakersOf(cue).map((name, line, names) => (
            <label key={line}>
              {texts.line(line + 1)}{' '}
              <select
                value={name}
                onChange={(event) =>
                  speakers.giveLines(names.with(line, event.currentTarget.value))
                }
              >
                <option value="">{texts.nobody}</option>
                {speakers.all.value.map((each) => (
                  <option key={each.name} value={each.name}>
                    {each.name}
                  </option>
                ))}
              </select>
            </label>
          ))}
        </fieldset>
      )}
      {cue && <Place desk={desk} cue={cue} />}
    </>
  );
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
        <select
          aria-label={texts.height}
          value={vertical}
          onChange={({ currentTarget: { value } }) =>
            speakers.place({ vertical: value === 'top' || value === 'middle' ? value : undefined })
          }
        >
          <option value="">{texts.bottom}</option>
          <option value="middle">{texts.middle}</option>
          <option value="top">{texts.top}</option>
        </select>
      </label>
      <label>
        {texts.side}{' '}
        <select
          aria-label={texts.side}
          value={align}
          onChange={({ currentTarget: { value } }) =>
            speakers.place({ align: value === 'start' || value === 'end' ? value : undefined })
          }
        >
          <option value={isLeftward ? 'end' : 'start'}>{texts.left}</option>
          <option value="">{texts.centre}</option>
          <option value={isLeftward ? 'start' : 'end'}>{texts.right}</option>
        </select>
      </label>
    </fieldset>
  );
}

function NewSpeaker({ desk: { speakers } }: { desk: Desk }) {
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
          maxLength={REVIEW.maxSpeakerChars}
          value={name}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit">{texts.addDo}</button>
    </form>
  );
}
