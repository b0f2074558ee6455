/** The header: the name, the main screens, the account and the theme. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from './components/dialog.tsx';
import { Icon, IconButton } from './components/icon.tsx';
import { Menu } from './components/menu.tsx';
import { guest } from './tab/guest.ts';
import { hrefOf, route } from './tab/route.ts';
import { SignInButton } from './components/sign-in-button.tsx';
import { leave, session } from './tab/session.ts';
import { keepsAnything } from './storage/runs.ts';
import { text } from './texts/shell.ts';
import { theme, toggleTheme } from './tab/theme.ts';
import { forgetEverythingHere } from './job/forget.ts';

/** The header. */
export function Header() {
  const { screen } = route.value;
  const dark = theme.value === 'dark';
  const screens = [
    ['start', text.header.start],
    ['past-runs', text.header.pastRuns],
    ['terms', text.header.terms],
  ] as const;
  const frame = useRef<HTMLElement>(null);
  useLayoutEffect(() => leaveRoom(frame.current!), []);
  return (
    <header class="site" ref={frame}>
      <a class="brand" href={hrefOf({ screen: 'start' })}>
        <img src="/favicon.svg" alt="" width="24" height="24" />
        {text.name}
      </a>
      <nav aria-label={text.name}>
        {screens.map(([to, label]) => (
          <a key={to} href={hrefOf({ screen: to })} aria-current={screen === to && 'page'}>
            {label}
          </a>
        ))}
        <a href="/guide">{text.header.guide}</a>
      </nav>
      <div class="header-end">
        <Account />
        <a
          class="icon-link"
          href={hrefOf({ screen: 'settings' })}
          aria-label={text.header.settings}
          title={text.header.settings}
          aria-current={screen === 'settings' && 'page'}
        >
          <Icon name="settings" />
        </a>
        <IconButton
          icon="theme"
          class="quiet"
          label={dark ? text.header.toLight : text.header.toDark}
          title={dark ? text.header.toLight : text.header.toDark}
          onClick={toggleTheme}
        />
      </div>
    </header>
  );
}

/**
 * Tells the desk, whose own row lies over the header, how much of it is taken at its start and at its end: names of
 * screens are longer in some languages.
 */
function leaveRoom(header: HTMLElement): () => void {
  const [brand, nav, end] = [...header.children] as [HTMLElement, HTMLElement, HTMLElement];
  const measure = (): void => {
    const isRight = getComputedStyle(header).direction === 'rtl';
    const from = (nav.offsetWidth > 0 ? nav : brand).getBoundingClientRect();
    const [to, whole] = [end.getBoundingClientRect(), header.getBoundingClientRect()];
    const room = isRight
      ? [whole.right - from.left, to.right - whole.left]
      : [from.right - whole.left, whole.right - to.left];
    const isEmpty = end.offsetWidth === 0 || to.width < 1;
    document.body.style.setProperty('--head-start', `${Math.ceil(room[0]!)}px`);
    document.body.style.setProperty('--head-end', `${isEmpty ? 0 : Math.ceil(room[1]!)}px`);
  };
  const observer = new ResizeObserver(measure);
  for (const part of [header, brand, nav, end]) observer.observe(part);
  return () => observer.disconnect();
}

function Account() {
  const asks = useSignal(false);
  const signedIn = session.value;
  // Whoever opened a link needs no account.
  if (guest.value) return null;
  if (!signedIn) {
    return <SignInButton class="quiet" />;
  }
  const email = shortened(signedIn.email);
  const askOrLeave = async (): Promise<void> => {
    if (await keepsAnything()) asks.value = true;
    else await leave();
  };
  return (
    <>
      <Menu
        label={text.header.account(email)}
        class="quiet"
        items={[
          {
            label: text.header.signOut,
            run: () => void askOrLeave(),
          },
        ]}
      >
        <span class="account-name" dir="auto">
          {email}
        </span>
        <span class="account-sign">
          <Icon name="person" />
        </span>
        <Icon name="down" />
      </Menu>
      {asks.value && (
        <Dialog
          title={text.header.signOut}
          close={text.cancel}
          onClose={() => (asks.value = false)}
          actions={[
            { label: text.header.signOutKeep, run: () => void leave() },
            {
              label: text.header.signOutForget,
              run: () => {
                void forgetEverythingHere();
                void leave();
              },
            },
          ]}
        >
          <p>{text.header.signOutAsk}</p>
          <p class="hint">{text.header.signOutHint}</p>
        </Dialog>
      )}
    </>
  );
}

/** The shortened address: a reminder of the account, not a contact. */
const shortened = (email: string): string => `${email.split('@')[0]?.slice(0, 12) ?? ''}@…`;
