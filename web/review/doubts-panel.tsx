/** The panel of doubtful words, each in its caption: play, confirm or correct them. */
import { Icon } from '../components/icon.tsx';
import { position } from '../format.ts';
import type { Desk } from './desk.ts';
import type { Doubt } from './doubts.ts';
import { hintOf } from './key-hint.ts';
import { textOf } from './model/cue.ts';
import { settings } from './settings.ts';
import { panels as panelsText } from '../texts/panels.ts';

/** The most words listed; the rest are reached one by one. */
const SHOWN = 100;
const LEVELS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

/** The list, with the buttons that step through it. */
export function DoubtsPanel({ desk }: { desk: Desk }) {
  const { doubts, navigation, review } = desk;
  const open = doubts.open.value;
  const hasConfidence = review.words.some(({ confidence }) => confidence !== undefined);
  if (!hasConfidence) return <p>{panelsText.doubtsUnknown}</p>;
  return (
    <>
      <label class="doubt-level">
        {panelsText.doubtLevel}{' '}
        <select
          value={String(settings.doubtBelow.value)}
          onChange={(event) => {
            settings.doubtBelow.value = Number(event.currentTarget.value);
          }}
        >
          {LEVELS.map((level) => (
            <option key={level} value={String(level)}>
              {panelsText.percent(level)}
            </option>
          ))}
        </select>
      </label>
      {open.length === 0 ? (
        <p>{panelsText.doubtsNone}</p>
      ) : (
        <div class="actions leading">
          <button type="button" onClick={() => navigation.go(-1, ['doubt'])}>
            {panelsText.previous} <kbd>{hintOf('previousDoubt')}</kbd>
          </button>
          <button type="button" onClick={() => navigation.go(1, ['doubt'])}>
            {panelsText.next} <kbd>{hintOf('nextDoubt')}</kbd>
          </button>
        </div>
      )}
      <ul class="terms">
        {open.slice(0, SHOWN).map((doubt) => (
          <Line key={doubt.word} desk={desk} doubt={doubt} />
        ))}
      </ul>
      {open.length > SHOWN && <p class="hint">{panelsText.doubtsMore(open.length - SHOWN)}</p>}
    </>
  );
}

function Line({ desk, doubt }: { desk: Desk; doubt: Doubt }) {
  const { review, doubts, playback, navigation } = desk;
  const cue = review.cues.peek()[doubt.index];
  const heard = review.words[doubt.word];
  if (!cue || !heard) return null;
  const words = textOf(cue);
  const word = words.slice(doubt.from, doubt.to);
  const like = doubts.like(doubt);
  return (
    <li class="term">
      <button
        type="button"
        class="plain term-sentence"
        lang={review.language}
        title={panelsText.termPlace(position(heard.start))}
        onClick={() => navigation.select(cue, [doubt.from, doubt.to])}
      >
        {words.slice(0, doubt.from).replaceAll('\n', ' ')}
        <mark class="doubt">{word}</mark>
        {words.slice(doubt.to).replaceAll('\n', ' ')}
      </button>
      <span class="term-confidence">{panelsText.confidence(doubt.confidence)}</span>
      <span class="term-actions">
        {like.length > 1 && (
          <button type="button" class="plain" onClick={() => doubts.settle(like)}>
            {panelsText.sureAll(like.length)}
          </button>
        )}
        <button
          type="button"
          aria-label={panelsText.playWords(word, position(heard.start))}
          title={panelsText.playWordsShort}
          onClick={() =>
            playback.playStretch({
              from: heard.start - 1,
              to: heard.end + 0.5,
              loop: false,
            })
          }
        >
          <Icon name="play" />
        </button>
        <button
          type="button"
          aria-label={panelsText.sureLabel(word)}
          title={panelsText.sure}
          onClick={() => doubts.settle([doubt])}
        >
          <Icon name="check" />
        </button>
      </span>
    </li>
  );
}
