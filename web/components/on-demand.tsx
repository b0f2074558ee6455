/** Parts of the app that are loaded when they are first shown, or while the page is idle. */
import { signal, type Signal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { loadPart } from '../api/load-part.ts';
import { speakWholly } from '../texts/languages/languages.ts';
import { text } from '../texts/shell.ts';
import { ReloadNotice } from './notice.tsx';

/** A part of the app that is loaded on demand. */
export interface Part<Props> {
  loaded: Signal<ComponentType<Props> | null>;
  failed: Signal<boolean>;
  load(): Promise<void>;
  /** Loads it ahead of time if possible; a failure is ignored. */
  preload(): void;
}

/**
 * Defines a part by the function that loads it; a failed load is retried when it is next shown.
 * @param texts loads the texts that it shows, in the language of the app
 */
export function onDemand<Props>(
  part: () => Promise<ComponentType<Props>>,
  texts: () => Promise<void> = speakWholly,
): Part<Props> {
  const load = async () => (await Promise.all([part(), texts()]))[0];
  const loaded = signal<ComponentType<Props> | null>(null);
  const failed = signal(false);
  return {
    loaded,
    failed,
    preload() {
      if (loaded.peek()) return;
      load().then(
        (found) => (loaded.value = found),
        () => {},
      );
    },
    async load() {
      failed.value = false;
      loaded.value = await loadPart(load).catch(() => null);
      failed.value = loaded.value === null;
    },
  };
}

/**
 * Shows a part once it is loaded.
 * @param meanwhile is shown until then, by default a note
 */
export function OnDemand<Props extends object>({
  of,
  meanwhile = <p class="loading">{text.loading}</p>,
  ...props
}: { of: Part<Props>; meanwhile?: ComponentChildren } & Omit<Props, 'of' | 'meanwhile'>) {
  useEffect(() => {
    if (!of.loaded.peek()) void of.load();
  }, [of]);
  const Component = of.loaded.value;
  if (Component) return <Component {...(props as unknown as Props)} />;
  return of.failed.value ? <ReloadNotice /> : <>{meanwhile}</>;
}

/**
 * Runs work when the page is idle.
 * @returns a function that cancels it
 */
export function whenIdle(work: () => void): () => void {
  // Safari has no requestIdleCallback.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(work, 1000);
    return () => clearTimeout(timer);
  }
  const id = requestIdleCallback(work);
  return () => cancelIdleCallback(id);
}
