/** The fields for a person and a day: to whom a review is assigned, and until when. */
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { TextField } from './fields.tsx';
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
      <TextField
        label={texts.assignee}
        hint={texts.assigneeHint}
        value={assignee}
        maxLength={254}
        list={id}
      />
      <datalist id={id}>
        {people.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <TextField label={texts.due} value={due} type="date" />
    </>
  );
}
