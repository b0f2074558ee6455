/** The side panel next to the captions: terms, doubts, warnings, report, speakers and comments, in tabs. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { OnDemand, onDemand, type Part, whenIdle } from '../../components/on-demand.tsx';
import { useRoving } from '../../components/toolbar.tsx';
import { text } from '../../texts/review.ts';
import type { Desk, Tab } from '../desk/desk.ts';

/** The panel of each tab, in the order of the tabs. */
const PANELS: Readonly<Record<Tab, Part<{ desk: Desk }>>> = {
  terms: onDemand(() => import('./terms-panel.tsx').then((part) => part.TermsPanel)),
  doubts: onDemand(() => import('./doubts-panel.tsx').then((part) => part.DoubtsPanel)),
  warnings: onDemand(() => import('./warnings-panel.tsx').then((part) => part.WarningsPanel)),
  report: onDemand(() => import('./report-panel.tsx').then((part) => part.ReportPanel)),
  speakers: onDemand(() => import('./speakers-panel.tsx').then((part) => part.SpeakersPanel)),
  comments: onDemand(() => import('./comments-panel.tsx').then((part) => part.CommentsPanel)),
};
const TABS = Object.keys(PANELS) as Tab[];

/** The tabs, which arrow keys switch. The content of a tab is one Tab stop. */
export function SidePanel({ desk }: { desk: Desk }) {
  const { review, tab } = desk;
  const { term, doubt, warning } = desk.navigation.left.value;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useRoving(panel);
  useEffect(() => whenIdle(() => TABS.forEach((name) => PANELS[name].preload())), []);
  const labels: Record<Tab, string> = {
    terms: text.review.tabs.terms(term),
    doubts: text.review.tabs.doubts(doubt),
    warnings: text.review.tabs.warnings(warning),
    report: text.review.tabs.report(review.cues.value.length > 0 ? review.score.value : null),
    speakers: text.review.tabs.speakers,
    comments: text.review.tabs.comments(desk.comments.value?.open.value.length ?? 0),
  };
  const go = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.code];
    if (step === undefined || event.altKey) return;
    const to = TABS.at((TABS.indexOf(tab.value) + step) % TABS.length)!;
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
        onKeyDown={go}
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
        // A panel without buttons is focusable itself, for scrolling with keys.
        tabIndex={tab.value === 'report' ? 0 : -1}
        class="tab-panel"
        ref={panel}
      >
        <OnDemand key={tab.value} of={PANELS[tab.value]} desk={desk} />
      </div>
    </section>
  );
}
