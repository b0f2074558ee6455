/** The dialog at the end of a review: saves it as finished, and asks which corrections to learn. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type {
  WorkspaceTerm,
  LearnedRule,
  LearnedRules,
} from '../../../server/contract/workspace-terms.ts';
import { readRules, readTerms } from '../../api/terminology.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';
import { hrefOf } from '../../route.ts';
import { RuleItem } from '../../terms/rule-item.tsx';
import { termsText } from '../../texts/terms.ts';
import { decideInList, useAsking } from '../../terms/use-terminology.ts';
import type { Desk } from '../desk/desk.ts';
import type { ServiceSaving } from './save-to-service.ts';

/**
 * Whether a term has been remembered already with what a rule proposes, such as while replacing it, and nobody has
 * rejected it.
 */
const isKnown = (
  { kind, surface, canonical, evidence }: LearnedRule,
  terms: readonly WorkspaceTerm[],
): boolean =>
  kind !== 'never' &&
  evidence.rejected === 0 &&
  terms.some(
    (term) =>
      term.canonical.toLowerCase() === canonical.toLowerCase() &&
      (surface === null ||
        (term.mishears ?? []).some((known) => known.toLowerCase() === surface.toLowerCase())),
  );

interface FinishDialogProps {
  desk: Desk;
  service: ServiceSaving;
  onClose(): void;
}

/** The dialog; it saves when it opens. */
export function FinishDialog({ desk: { review }, service, onClose }: FinishDialogProps) {
  const saved = useSignal<boolean | null>(null);
  const learned = useSignal<LearnedRules | null>(null);
  const asking = useAsking();
  useEffect(() => {
    const finish = async (): Promise<void> => {
      saved.value = await service.finish();
      if (!saved.value) return;
      const { runId } = review;
      learned.value = await asking.ask(async (key) => {
        const found = await readRules(key, { state: 'proposed', runId });
        if (found.rules.length === 0) return found;
        const { terms } = await readTerms(key);
        return { ...found, rules: found.rules.filter((rule) => !isKnown(rule, terms)) };
      });
    };
    void finish();
  }, []);
  const open = learned.value?.rules.filter(({ state }) => state === 'proposed').length ?? 0;
  const rules = learned.value?.rules ?? [];
  return (
    <Dialog title={termsText.finishTitle} onClose={onClose}>
      <p role="status">
        {saved.value === null
          ? termsText.saving
          : saved.value
            ? termsText.finished
            : service.conflicts.value.length > 0
              ? termsText.conflict
              : termsText.notYet}
      </p>
      {asking.problem.value !== '' && (
        <Notice kind="error">
          <p>{asking.problem}</p>
        </Notice>
      )}
      {rules.length > 0 && (
        <>
          <h3>{termsText.questions(open)}</h3>
          <p class="hint">{termsText.questionsHint}</p>
          <ul class="rules">
            {rules.map((rule) => (
              <RuleItem
                key={rule.id}
                rule={rule}
                decide={(patch) => void decideInList(learned, asking, rule, patch)}
              />
            ))}
          </ul>
        </>
      )}
      {learned.value && rules.length === 0 && <p>{termsText.noQuestions}</p>}
      <p>
        <a href={hrefOf({ screen: 'terms' })}>{termsText.all}</a>
      </p>
    </Dialog>
  );
}
