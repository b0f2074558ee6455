/** The fields for a person and a day: to whom a review is assigned, and until when. */
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { reviewWork as texts } from '../texts/review-work.ts';

interface PersonAndDayProps {
  assignee: Signal<string>;
  /** Such as 2026-12-01; empty for none. */
  due: Signal<string>;
  /** Those who are offered. */
  people?: readonly string[];
}

/** Both fields. */
export function PersonAndDay({ assignee, due, people = [] }: PersonAndDayProps) {
  const id = useId();
  return (
    <>
      <div class="field">
        <label for={`${id}-who`}>{texts.assignee}</label>
        <input
          id={`${id}-who`}
          type="text"
          maxLength={254}
          list={`${id}-people`}
          aria-describedby={`${id}-hint`}
          value={assignee}
          onInput={({ currentTarget }) => (assignee.value = currentTarget.value)}
        />
        <datalist id={`${id}-people`}>
          {people.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <p class="hint" id={`${id}-hint`}>
          {texts.assigneeHint}
        </p>
      </div>
      <div class="field">
        <label for={`${id}-due`}>{texts.due}</label>
        <input
          id={`${id}-due`}
          type="date"
          value={due}
          onInput={({ currentTarget }) => (due.value = currentTarget.value)}
        />
      </div>
    </>
  );
}
