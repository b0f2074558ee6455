/** The side panel next to the captions: terms, doubts and what else there is to check, in tabs. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { isFromRight } from '../../components/direction.ts';
import { OnDemand, onDemand, type Part, whenIdle } from '../../components/on-demand.tsx';
import { useRoving } from '../../components/toolbar.tsx';
import { text } from '../../texts/review.ts';
import { type Desk, type Tab, TABS } from '../desk/desk.ts';

const { tabs } = text.review;

interface Panel {
  /** The text of its tab. */
  label: (desk: Desk) => string;
  part: Part<{ desk: Desk }>;
}

/** The panel of each tab. */
const PANELS: Readonly<Record<Tab, Panel>> = {
  terms: {
    label: ({ navigation }) => tabs.terms(navigation.left.value.term),
    part: onDemand(() => import('./terms-panel.tsx').then((part) => part.TermsPanel)),
  },
  doubts: {
    label: ({ navigation }) => tabs.doubts(navigation.left.value.doubt),
    part: onDemand(() => import('./doubts-panel.tsx').then((part) => part.DoubtsPanel)),
  },
  warnings: {
    label: ({ navigation }) => tabs.warnings(navigation.left.value.warning),
    part: onDemand(() => import('./warnings-panel.tsx').then((part) => part.WarningsPanel)),
  },
  report: {
    label: () => tabs.report,
    part: onDemand(() => import('./report-panel.tsx').then((part) => part.ReportPanel)),
  },
  speakers: {
    label: () => tabs.speakers,
    part: onDemand(() => import('./speakers-panel.tsx').then((part) => part.SpeakersPanel)),
  },
  comments: {
    label: ({ comments }) => tabs.comments(comments.value?.open.value.length ?? 0),
    part: onDemand(() => import('./comments-panel.tsx').then((part) => part.CommentsPanel)),
  },
};

/** The tabs, which arrow keys switch. The content of a tab is one Tab stop. */
export function SidePanel({ desk }: { desk: Desk }) {
  const { tab } = desk;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useRoving(panel);
  useEffect(() => whenIdle(() => TABS.forEach((name) => PANELS[name].part.preload())), []);
  const go = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.code];
    if (step === undefined || event.altKey || !list.current) return;
    const onward = isFromRight(list.current) ? -step : step;
    const to = TABS.at((TABS.indexOf(tab.value) + onward) % TABS.length)!;
    tab.value = to;
    list.current.querySelector<HTMLElement>(`[data-tab=${to}]`)?.focus();
  };
  return (
    <section class="side-panel">
      <div class="tabs" role="tablist" aria-label={tabs.label} ref={list} onKeyDown={go}>
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
            {PANELS[name].label(desk)}
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
        <OnDemand key={tab.value} of={PANELS[tab.value].part} desk={desk} />
      </div>
    </section>
  );
}
