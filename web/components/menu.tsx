/** A button that opens a menu: arrow keys move through it, Escape closes it. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

interface MenuItem {
  label: string;
  /** Whether the entry is ticked; only for entries that can be. */
  checked?: boolean;
  run(): void;
}

interface MenuProps {
  label: string;
  /** The content of the button; its label by default. */
  children?: ComponentChildren;
  items: readonly MenuItem[];
  class?: string;
}

/** The menu button. */
export function Menu({ label, children, items, class: look = '' }: MenuProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!open) return undefined;
    frame.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
    const outside = (event: PointerEvent) => {
      if (!frame.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', outside);
    return () => removeEventListener('pointerdown', outside);
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const walk = (event: KeyboardEvent) => {
    if (event.code === 'Escape') {
      event.stopPropagation();
      return close();
    }
    const entries = [...frame.current!.querySelectorAll<HTMLElement>('[role^=menuitem]')];
    const at = entries.findIndex((entry) => entry === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.code];
    if (to === undefined) return;
    event.preventDefault();
    entries.at(to % entries.length)?.focus();
  };

  return (
    <div class="menu" ref={frame}>
      <button
        type="button"
        ref={button}
        class={look}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={children === undefined ? undefined : label}
        title={children === undefined ? undefined : label}
        onClick={() => setOpen(!open)}
      >
        {children ?? label}
      </button>
      {open && (
        <div class="menu-items" role="menu" id={id} aria-label={label} onKeyDown={walk}>
          {items.map((item) => (
            <button
              type="button"
              role={item.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
              aria-checked={item.checked}
              tabIndex={-1}
              key={item.label}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.checked !== undefined && (
                <span class="menu-check">{item.checked ? '✓' : ''}</span>
              )}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
