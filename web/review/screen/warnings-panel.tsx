/** The warnings panel: checks against the limits of the run, or a publisher's profile. */
import { DropDown } from '../../components/fields.tsx';
import { Icon } from '../../components/icon.tsx';
import { panels as panelsText } from '../../texts/desk-parts.ts';
import { number } from '../../texts/format.ts';
import { text } from '../../texts/review.ts';
import { said } from '../../texts/said.ts';
import type { RuleName } from '../../../server/captions/rules/profiles/profile.ts';
import { framesText, profiles as texts } from '../../texts/profiles-and-rebuilding.ts';
import { settings } from '../editing/settings.ts';
import type { Desk } from '../desk/desk.ts';
import { hintOf } from '../desk/keys.ts';
import { warningText } from '../model/judge.ts';
import {
  type FoundViolation,
  FRAME_RATES,
  isFixable,
  profileChoices,
  profileNamed,
  rateFor,
} from '../editing/profile-rules.ts';

/** The most warnings listed; the rest are reached one by one. */
const SHOWN = 100;

/** The choice of profile, the list and the buttons that step through it. */
export function WarningsPanel({ desk }: { desk: Desk }) {
  const { navigation, review } = desk;
  return (
    <>
      <div class="panel-head profile-choice">
        <ProfileChoice desk={desk} />
        {navigation.left.value.warning > 0 && (
          <>
            <button type="button" onClick={() => navigation.go(-1, ['warning'])}>
              {panelsText.previous} <kbd>{hintOf('previousWarning')}</kbd>
            </button>
            <button type="button" onClick={() => navigation.go(1, ['warning'])}>
              {panelsText.next} <kbd>{hintOf('nextWarning')}</kbd>
            </button>
            <FixEverything desk={desk} />
          </>
        )}
        <button type="button" class="plain" onClick={() => (desk.view.value = 'profiles')}>
          {texts.manage}
        </button>
      </div>
      {review.cues.value.length === 0 ? <p>{text.review.noneYet}</p> : <Found desk={desk} />}
    </>
  );
}

const Found = ({ desk }: { desk: Desk }) =>
  settings.profile.value === '' ? <Warnings desk={desk} /> : <ProfileViolations desk={desk} />;

/** Fixes all that needs no other words, by the limits of the run or the chosen profile. */
function FixEverything({ desk: { check, commands } }: { desk: Desk }) {
  if (settings.profile.value === '') {
    return (
      <button type="button" class="fix" onClick={() => void commands.fixAll()}>
        {panelsText.fixEverything}
      </button>
    );
  }
  const all = [...(check.violations.value?.values() ?? [])].flat().filter(isFixable);
  if (all.length === 0 || new Set(all.map(({ rule }) => rule)).size < 2) return null;
  return (
    <button type="button" class="fix" onClick={() => check.fixAll()}>
      {texts.fixEverything(all.length)}
    </button>
  );
}

function Warnings({ desk: { review, navigation } }: { desk: Desk }) {
  const cues = review.cues.value;
  const found = review.judged.value.flatMap((judged, index) => {
    const cue = cues[index]!;
    return judged.warnings.map(({ flag, severity }) => ({ cue, index, flag, severity, judged }));
  });
  if (found.length === 0) return <p>{panelsText.warningsNone}</p>;
  return (
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
  );
}

/** The most violations of one rule listed at a time. */
const SHOWN_OF_A_RULE = 25;

/** The profile and frame rate to check against. */
function ProfileChoice({ desk }: { desk: Desk }) {
  const { profile, frameRate } = settings;
  return (
    <>
      <label>
        {texts.by}{' '}
        <DropDown
          value={profile.value}
          options={[['', texts.own], ...profileChoices(desk.review.language)]}
          onChoose={(name) => (profile.value = name)}
        />
      </label>
      {profile.value !== '' && (
        <label>
          {texts.frameRate}{' '}
          <DropDown
            value={String(frameRate.value ?? '')}
            options={[
              ['', rateText(desk)],
              ...FRAME_RATES.map((rate) => [String(Number(rate)), rate] as const),
            ]}
            onChoose={(rate) => (frameRate.value = rate === '' ? null : Number(rate))}
          />
        </label>
      )}
    </>
  );
}

/** The label of the automatic frame rate. */
function rateText({ review, videoRate, check }: Desk): string {
  const profile = profileNamed(settings.profile.value, review.language);
  const rate = profile && rateFor(profile, null, videoRate.value);
  if (rate) return texts.videoRate(rate);
  const ruled = settings.frameRate.value === null && check.grid.value;
  return ruled ? framesText.ruled(ruled.rate) : texts.itsRate;
}

/** The violations, grouped by rule. */
function ProfileViolations({ desk }: { desk: Desk }) {
  const { check } = desk;
  const found = check.violations.value;
  if (!found) return <p class="loading">{check.busy.value ? texts.checking : texts.failed}</p>;
  const all = [...found].flatMap(([id, broken]) => broken.map((each) => ({ id, ...each })));
  if (all.length === 0) return <p>{texts.none}</p>;
  const rules = Map.groupBy(all, ({ rule }) => rule);
  return (
    <>
      {[...rules].map(([rule, violations]) => (
        <RuleGroup key={rule} desk={desk} rule={rule} violations={violations} />
      ))}
    </>
  );
}

/** A violation with the id of its caption. */
type Broken = FoundViolation & { readonly id: number };

interface RuleGroupProps {
  desk: Desk;
  rule: RuleName;
  violations: readonly Broken[];
}

function RuleGroup({ desk, rule, violations }: RuleGroupProps) {
  const { check } = desk;
  const [first] = violations;
  const fixable = violations.filter(isFixable).length;
  return (
    <section class="rule" aria-label={texts.rules[rule]}>
      <div class="panel-head">
        <h2>
          {texts.rules[rule]} <span class="hint">{number(violations.length)}</span>
        </h2>
        {fixable > 1 && (
          <button type="button" class="plain fix" onClick={() => check.fixAll(rule)}>
            {texts.fixAll(fixable)}
          </button>
        )}
      </div>
      <p class="hint">
        <span lang="en" dir="auto">
          {first?.sentence}
        </span>{' '}
        <Source of={first?.source ?? ''} />
      </p>
      <ul class="warnings">
        {violations.slice(0, SHOWN_OF_A_RULE).map((violation) => (
          <Line key={violation.id} desk={desk} violation={violation} />
        ))}
      </ul>
      {violations.length > SHOWN_OF_A_RULE && (
        <p class="hint">{texts.more(violations.length - SHOWN_OF_A_RULE)}</p>
      )}
    </section>
  );
}

/** The source of a rule. */
function Source({ of }: { of: string }) {
  if (!of.startsWith('https://')) return <span>{texts.bySource(of)}</span>;
  return (
    <a href={of} target="_blank" rel="noreferrer noopener">
      {new URL(of).hostname.replace(/^www\./, '')}
    </a>
  );
}

function Line({ desk, violation }: { desk: Desk; violation: Broken }) {
  const { review, navigation, check } = desk;
  const cues = review.cues.value;
  // Captions may have been added or removed since the check.
  const isThere = cues[violation.at]?.id === violation.id;
  const at = isThere ? violation.at : cues.findIndex(({ id }) => id === violation.id);
  const cue = cues[at];
  const number = at + 1;
  if (!cue) return null;
  const why = isFixable(violation) ? '' : texts.why(violation.rule, violation.blockedBy);
  return (
    <li class="warning">
      <button type="button" class="plain" onClick={() => navigation.select(cue, null)}>
        <Icon name="warning" />
        <span title={why}>
          <b>{number}</b> {said.violation(violation.says)}
          {why !== '' && <span class="hint"> {why}</span>}
        </span>
      </button>
      {isFixable(violation) && (
        <button
          type="button"
          class="plain fix"
          aria-label={texts.fixLabel(number, violation.rule)}
          onClick={() => check.fix(cue, violation.rule)}
        >
          {text.review.fix}
        </button>
      )}
    </li>
  );
}
