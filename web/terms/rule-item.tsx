/** A learned rule: its text, its evidence, the captions it changed, and its buttons. */
import { useSignal, type Signal } from '@preact/signals';
import type { LearnedRule, RulePatch } from '../../server/contract/workspace-terms.ts';
import { TextField } from '../components/fields.tsx';
import { position } from '../texts/format.ts';
import { hrefOf } from '../tab/route.ts';
import { listOf } from './use-terminology.ts';
import { termsText } from '../texts/terms.ts';

/** The text of a rule. */
function ruleText({ kind, surface, canonical }: LearnedRule): string {
  if (surface === null) return termsText.newTerm(canonical);
  if (kind === 'never') return termsText.never(surface, canonical);
  return termsText.change(surface, canonical);
}

interface RuleItemProps {
  rule: LearnedRule;
  decide(patch: RulePatch): void;
}

/** A list item for a rule. */
export function RuleItem({ rule, decide }: RuleItemProps) {
  const editing = useSignal(false);
  const { state, near, evidence, automatic, changed } = rule;
  const says = ruleText(rule);
  const button = (label: string, run: () => void) => (
    <button type="button" aria-label={termsText.ruleLabel(label, says)} onClick={run}>
      {label}
    </button>
  );
  const isOpen = state === 'proposed';
  return (
    <li class="rule">
      <p>
        <strong>{says}</strong>{' '}
        <span class="hint">
          {termsText.states[state]}
          {automatic && `, ${termsText.automatic}`}
        </span>
      </p>
      <p class="hint">
        {evidence.text}
        {near.length > 0 && `. ${termsText.near(near)}`}
      </p>
      {changed.length > 0 && (
        <details>
          <summary>{termsText.changed(changed.length)}</summary>
          <ul>
            {changed.map(({ runId, correctionId, start, before, after }) => (
              <li key={`${runId} ${correctionId}`}>
                <a href={hrefOf({ screen: 'run', runId })}>{position(start)}</a>{' '}
                {termsText.change(before, after)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {editing.value ? (
        <RuleForm rule={rule} decide={decide} editing={editing} />
      ) : (
        <p class="rule-actions">
          {state !== 'applied' && button(termsText.yes, () => decide({ state: 'applied' }))}
          {isOpen && button(termsText.no, () => decide({ state: 'dismissed' }))}
          {state === 'applied' && button(termsText.undo, () => decide({ state: 'undone' }))}
          {(isOpen || state === 'applied') &&
            button(termsText.editRule, () => {
              editing.value = true;
            })}
        </p>
      )}
    </li>
  );
}

function RuleForm({ rule, decide, editing }: RuleItemProps & { editing: Signal<boolean> }) {
  const surface = useSignal(rule.surface ?? '');
  const canonical = useSignal(rule.canonical);
  const near = useSignal(rule.near.join(', '));
  const send = (event: Event) => {
    event.preventDefault();
    editing.value = false;
    decide({
      state: 'applied',
      canonical: canonical.value.trim(),
      ...(rule.surface === null ? {} : { surface: surface.value.trim(), near: listOf(near.value) }),
    });
  };
  return (
    <form onSubmit={send}>
      {rule.surface !== null && <TextField label={termsText.surface} value={surface} />}
      <TextField label={termsText.meant} value={canonical} />
      {rule.surface !== null && (
        <TextField label={termsText.nearLabel} hint={termsText.nearHint} value={near} />
      )}
      <p class="rule-actions">
        <button type="submit">{termsText.yes}</button>
        <button type="button" onClick={() => (editing.value = false)}>
          {termsText.cancel}
        </button>
      </p>
    </form>
  );
}
