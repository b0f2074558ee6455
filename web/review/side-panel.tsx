/** Beside the captions: the terms, the warnings and the report, one at a time. */
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import { text } from './strings.ts';
import type { Commands } from './commands.ts';
import type { Playback } from './playback.ts';
import { ReportPanel } from './report-panel.tsx';
import type { Review } from './review.ts';
import { TermsPanel } from './terms-panel.tsx';
import { WarningsPanel } from './warnings-panel.tsx';

const TABS = ['terms', 'warnings', 'report'] as const;
type Tab = (typeof TABS)[number];

export interface SidePanelProps {
  review: Review;
  commands: Commands;
  playback: Playback;
  result: CaptionerCompletedResult;
}

/** The tabs; arrows go from one to the next. */
export function SidePanel({ review, commands, playback, result }: SidePanelProps) {
  const warningCount = review.warningCount.value;
  const tab = useSignal<Tab>(
    review.corrections.length > 0 ? 'terms' : warningCount > 0 ? 'warnings' : 'report',
  );
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const labels: Record<Tab, string> = {
    terms: text.review.tabs.terms(review.corrections.length),
    warnings: text.review.tabs.warnings(warningCount),
    report: text.review.tabs.report(review.score.value),
  };
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.code];
    if (step === undefined || event.altKey) return;
    const to = TABS.at((TABS.indexOf(tab.value) + step) % TABS.length) ?? 'terms';
    tab.value = to;
    list.current?.querySelector<HTMLElement>(`[data-tab=${to}]`)?.focus();
  };
  return (
    <section class="side-panel">
      <div
        class="tabs"
        role="tablist"
        aria-label={text.review.tabs.label}
        ref={list}
        onKeyDown={walk}
      >
        {TABS.map((name) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`${id}-${name}`}
            data-tab={name}
            aria-selected={tab.value === name}
            aria-controls={`${id}-panel`}
            tabIndex={tab.value === name ? 0 : -1}
            onClick={() => {
              tab.value = name;
            }}
          >
            {labels[name]}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${tab.value}`}
        tabIndex={0}
        class="tab-panel"
      >
        {tab.value === 'terms' && <TermsPanel review={review} commands={commands} />}
        {tab.value === 'warnings' && <WarningsPanel review={review} commands={commands} />}
        {tab.value === 'report' && (
          <ReportPanel review={review} playback={playback} result={result} />
        )}
      </div>
    </section>
  );
}
