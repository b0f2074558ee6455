/** Parts of the app that are loaded when they are first shown. */
import { signal, type Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { text } from '../strings.ts';
import { Notice } from './notice.tsx';

/** A part, before and after it was loaded. */
export interface Part<Props> {
  loaded: Signal<ComponentType<Props> | null>;
  failed: Signal<boolean>;
  load(): Promise<void>;
}

/** Names a part by how it is loaded; a load that failed is tried again when it is next shown. */
export function onDemand<Props>(load: () => Promise<ComponentType<Props>>): Part<Props> {
  const loaded = signal<ComponentType<Props> | null>(null);
  const failed = signal(false);
  return {
    loaded,
    failed,
    async load() {
      failed.value = false;
      loaded.value = await load().catch(() => null);
      failed.value = loaded.value === null;
    },
  };
}

/** Shows a part, once it is there. */
export function OnDemand<Props extends object>({
  of,
  ...props
}: { of: Part<Props> } & Omit<Props, 'of'>) {
  useEffect(() => {
    if (!of.loaded.peek()) void of.load();
  }, [of]);
  const Component = of.loaded.value;
  if (Component) return <Component {...(props as unknown as Props)} />;
  if (!of.failed.value) return <p class="loading">{text.pastRuns.loading}</p>;
  return (
    <Notice kind="error">
      <p>{text.offline}</p>
      <button type="button" onClick={() => void of.load()}>
        {text.reload}
      </button>
    </Notice>
  );
}
