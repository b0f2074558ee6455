/** The settings: the account with its keys and its data, the colours, the keyboard. */
import type { Static } from '../../server/contract/schema.ts';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { type AccountKeys, SCOPES } from '../../server/contract/registration.ts';
import type { WorkspaceErasure } from '../../server/contract/runs.ts';
import type { RememberedVoices } from '../../server/contract/voices.ts';
import { forgetPerson, listVoices, rememberVoices } from '../api/voices.ts';
import { ask, askJson } from '../api/request.ts';
import { Dialog } from '../components/dialog.tsx';
import { Check, Choice, Select, TextField } from '../components/fields.tsx';
import { Notice } from '../components/notice.tsx';
import { OnDemand, onDemand } from '../components/on-demand.tsx';
import { saveFile } from '../components/save-file.ts';
import { SignInButton } from '../components/sign-in-button.tsx';
import { forgetEverythingHere } from '../job/forget.ts';
import { usePageTitle } from '../tab/page-title.ts';
import { keepSession, isSessionKept, session, signOut } from '../tab/session.ts';
import {
  CodeBoxes,
  completeRegistration,
  startRegistration,
  useAttempts,
} from '../sign-in/sign-in.tsx';
import { type Asking, useAsking } from '../terms/use-terminology.ts';
import { text } from '../texts/shell.ts';
import type { Account as Standing, Role } from '../../server/contract/members.ts';
import { organisationText } from '../texts/organisation.ts';
import { settingsText as says } from '../texts/settings.ts';
import { signIn as signInText } from '../texts/start-parts.ts';
import { chooseLanguage, languageChoice, languageOptions } from '../tab/language.ts';
import { chooseTheme, themeChoice } from '../tab/theme.ts';

const organisation = onDemand(() => import('./organisation.tsx').then((part) => part.Organisation));
const keySheet = onDemand(() =>
  import('../review/screen/key-sheet.tsx').then((part) => part.KeySheet),
);

/** The screen. */
export function SettingsScreen() {
  usePageTitle(says.title);
  const signedIn = session.value;
  return (
    <section class="card settings-page" aria-labelledby="settings-title">
      <h1 id="settings-title">{says.title}</h1>
      {signedIn ? (
        // Remount for each key, so that a late answer is not shown to the next user.
        <Account key={signedIn.key} email={signedIn.email} />
      ) : (
        <Part title={says.account}>
          <p>
            {says.signIn} <SignInButton />
          </p>
        </Part>
      )}
      <Look />
      <Keyboard />
    </section>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="settings-part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Account({ email }: { email: string }) {
  const asking = useAsking();
  const account = useSignal<AccountKeys | null>(null);
  const role = useSignal<Role | null>(null);
  const keep = useSignal(isSessionKept());
  const read = async (): Promise<void> => {
    const found = await asking.read((key) => askJson<AccountKeys>('/workspace/keys', { key }));
    account.value = found ?? account.peek();
    const standing = await asking.read((key) => askJson<Standing>('/workspace/account', { key }));
    role.value = standing?.role ?? role.peek();
  };
  useEffect(() => void read(), []);
  useEffect(() => keepSession(keep.value), [keep.value]);
  return (
    <>
      {asking.problem.value !== '' && (
        <Notice kind="error">
          <p>{asking.problem}</p>
        </Notice>
      )}
      <Part title={says.account}>
        <p>
          <strong>{email}</strong>
        </p>
        {account.value && <p class="hint">{says.workspaces[account.value.workspace]}</p>}
        {role.value && <p class="hint">{organisationText.yourRole[role.value]}</p>}
        <Check label={says.keep} hint={says.keepHint} value={keep} />
      </Part>
      <Part title={says.keys}>
        {account.value ? (
          <Keys account={account.value} asking={asking} email={email} readAgain={read} />
        ) : (
          asking.problem.value === '' && <p class="loading">{text.loading}</p>
        )}
      </Part>
      {account.value && (
        <Part title={says.voices}>
          <Voices asking={asking} />
        </Part>
      )}
      {role.value === 'owner' && (
        <Part title={organisationText.title}>
          <OnDemand of={organisation} />
        </Part>
      )}
      {account.value && role.value === 'owner' && (
        <Part title={says.data}>
          <Export asking={asking} />
          <Erase account={account.value} asking={asking} />
        </Part>
      )}
    </>
  );
}

interface KeysProps {
  account: AccountKeys;
  asking: Asking;
  email: string;
  readAgain(): Promise<void>;
}

function Keys({ account, asking, email, readAgain }: KeysProps) {
  const { keys, revocable, total, organizationId } = account;
  const asked = useSignal<AccountKeys['keys'][number] | null>(null);
  const leaving = asked.value;
  const revoke = async ({ id, current }: AccountKeys['keys'][number]): Promise<void> => {
    const path = `/workspace/keys/${encodeURIComponent(id)}`;
    if (!(await asking.ask((key) => ask(path, { method: 'DELETE', key })))) return;
    if (current) signOut();
    else await readAgain();
  };
  return (
    <>
      <p class="hint">
        {keys.length === 0 ? says.noKeys : revocable ? says.keysHint : says.keysElsewhere}
      </p>
      <ul class="runs terms account-keys">
        {keys.map((key) => (
          <li key={key.id}>
            <div>
              <code>{key.obfuscated}</code>
              <p class="hint">
                {[
                  says.made(key.createdAt),
                  ...(key.lastUsedAt === null ? [] : [says.used(key.lastUsedAt)]),
                  ...(key.current ? [says.current] : []),
                  ...(key.scopes.length === SCOPES.length
                    ? []
                    : [key.scopes.map((scope) => says.scopes[scope]).join(', ')]),
                ].join(' · ')}
              </p>
            </div>
            {revocable && (
              <button
                type="button"
                aria-label={says.revokeKey(key.obfuscated)}
                onClick={() => (asked.value = key)}
              >
                {says.revoke}
              </button>
            )}
          </li>
        ))}
      </ul>
      {total > keys.length && <p class="hint">{says.more(keys.length, total)}</p>}
      {keys.length > 0 && <NewKey {...{ email, organizationId }} onMade={() => void readAgain()} />}
      {leaving && (
        <Dialog
          title={says.revokeKey(leaving.obfuscated)}
          close={text.cancel}
          onClose={() => (asked.value = null)}
          actions={[{ label: says.revoke, danger: true, run: () => void revoke(leaving) }]}
        >
          <p>{says.revokeAsk(leaving.obfuscated)}</p>
          {leaving.current && <p>{says.revokeCurrent}</p>}
        </Dialog>
      )}
    </>
  );
}

/** Makes a key by a code, as signing in does, and shows it until it is put away. */
function NewKey({
  email,
  organizationId,
  onMade,
}: {
  email: string;
  organizationId: string;
  onMade(): void;
}) {
  const step = useSignal<'closed' | 'scopes' | 'code' | 'made'>('closed');
  const scopes = SCOPES.map((scope) => [scope, useSignal(true)] as const);
  const claimToken = useSignal('');
  /** Held only while it is shown. */
  const made = useSignal('');
  const { busy, problem, failed, attempt } = useAttempts(() => (step.value = 'scopes'));
  const send = (event: Event): void => {
    event.preventDefault();
    const wanted = scopes.filter(([, ticked]) => ticked.peek()).map(([scope]) => scope);
    if (wanted.length === 0) {
      problem.value = says.needsScope;
      return;
    }
    void attempt(async () => {
      claimToken.value = (await startRegistration(email, wanted)).claim_token;
      step.value = 'code';
    });
  };
  const claim = (code: string): void =>
    void attempt(async () => {
      made.value = (await completeRegistration(claimToken.peek(), code, organizationId)).credential;
      claimToken.value = '';
      step.value = 'made';
      onMade();
    });
  return (
    <div class="new-key">
      {step.value === 'closed' && (
        <>
          <button type="button" onClick={() => (step.value = 'scopes')}>
            {says.create}
          </button>
          <p class="hint">{says.createHint}</p>
        </>
      )}
      {step.value === 'scopes' && (
        <form onSubmit={send}>
          <fieldset class="choice">
            <legend>{says.may}</legend>
            {scopes.map(([scope, ticked]) => (
              <Check key={scope} label={says.scopes[scope]} value={ticked} />
            ))}
          </fieldset>
          <p class="rule-actions">
            <button type="submit" class="primary" aria-disabled={busy}>
              {busy.value ? signInText.sending : says.send}
            </button>
            <button type="button" onClick={() => (step.value = 'closed')}>
              {text.cancel}
            </button>
          </p>
        </form>
      )}
      {step.value === 'code' && (
        <>
          <p>{signInText.codeSent(email)}</p>
          <CodeBoxes key={failed.value} disabled={busy.value} onCode={claim} />
          <p role="status">{busy.value ? signInText.checking : ''}</p>
          <button type="button" onClick={() => (step.value = 'closed')}>
            {text.cancel}
          </button>
        </>
      )}
      {step.value === 'made' && (
        <MadeKey
          value={made}
          onDone={() => {
            made.value = '';
            step.value = 'closed';
          }}
        />
      )}
      <p role="alert">{problem}</p>
    </div>
  );
}

function MadeKey({ value, onDone }: { value: Signal<string>; onDone(): void }) {
  const isCopied = useSignal(false);
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{says.created}</label>
      <input
        id={id}
        type="text"
        readOnly
        value={value}
        onFocus={(event) => event.currentTarget.select()}
      />
      <p class="hint">{says.createdHint}</p>
      <p class="rule-actions">
        <button
          type="button"
          class="primary"
          onClick={() =>
            // Without permission, the field can still be copied by hand.
            void navigator.clipboard?.writeText(value.peek()).then(
              () => (isCopied.value = true),
              () => {},
            )
          }
        >
          {says.copy}
        </button>
        <button type="button" onClick={onDone}>
          {says.done}
        </button>
        <span role="status">{isCopied.value ? says.copied : ''}</span>
      </p>
    </div>
  );
}

/** Whether voices are remembered, and whose. */
function Voices({ asking }: { asking: Asking }) {
  const found = useSignal<RememberedVoices | null>(null);
  const isOn = useSignal(false);
  const show = (voices: RememberedVoices | null): void => {
    if (voices) found.value = voices;
    isOn.value = found.peek()?.remember ?? false;
  };
  useEffect(() => void asking.read(listVoices).then(show), []);
  useEffect(() => {
    const before = found.peek();
    if (!before || before.remember === isOn.value) return;
    const remember = isOn.value;
    void asking.ask((key) => rememberVoices(key, remember)).then(show);
  }, [isOn.value]);
  const forget = (personId: string): void =>
    void asking.ask((key) => forgetPerson(key, personId)).then(show);
  if (!found.value) return null;
  const { remember, people } = found.value;
  return (
    <>
      <Check label={says.remember} hint={says.rememberHint} value={isOn} />
      {remember && <p class="hint">{says.rememberOff}</p>}
      {remember && people.length === 0 && <p class="hint">{says.nobody}</p>}
      <ul class="runs terms">
        {people.map(({ personId, name, runs }) => (
          <li key={personId}>
            <div>
              <strong>{name}</strong> <span class="hint">{says.heardIn(runs)}</span>
            </div>
            <button
              type="button"
              aria-label={says.forgetPerson(name)}
              onClick={() => forget(personId)}
            >
              {says.forget}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Export({ asking }: { asking: Asking }) {
  const state = useSignal<'idle' | 'busy' | 'done'>('idle');
  const save = async (): Promise<void> => {
    if (state.peek() === 'busy') return;
    state.value = 'busy';
    const archive = await asking.ask(async (key) =>
      (await ask('/workspace/export', { key, headers: { accept: '*/*' } })).blob(),
    );
    if (archive) saveFile(archive, 'captioner-export.tar.gz', 'application/gzip');
    state.value = archive ? 'done' : 'idle';
  };
  return (
    <div>
      <button type="button" aria-disabled={state.value === 'busy'} onClick={() => void save()}>
        {says.export}
      </button>
      <p class="hint">{says.exportHint}</p>
      <p role="status">
        {state.value === 'busy' ? says.exporting : state.value === 'done' ? says.exported : ''}
      </p>
    </div>
  );
}

function Erase({ account, asking }: { account: AccountKeys; asking: Asking }) {
  const asks = useSignal(false);
  const typed = useSignal('');
  const message = useSignal('');
  const isErased = useSignal(false);
  const erase = async (): Promise<void> => {
    message.value = '';
    if (typed.peek().trim().toLowerCase() !== says.eraseWord) {
      message.value = says.eraseNot;
      return;
    }
    const query = new URLSearchParams({ confirm: account.organizationId });
    const done = await asking.ask((key) =>
      askJson<Static<typeof WorkspaceErasure>>(`/workspace/data?${query}`, {
        method: 'DELETE',
        key,
      }),
    );
    if (!done) return;
    const { runs, recordings, webhooks } = done.erased;
    message.value = says.erased(runs, recordings, webhooks);
    isErased.value = true;
  };
  return (
    <div>
      <button
        type="button"
        class="danger"
        onClick={() => {
          typed.value = '';
          asks.value = true;
        }}
      >
        {says.erase}
      </button>
      <p class="hint">{says.eraseHint}</p>
      <p role="status">{message}</p>
      {isErased.value && (
        <button type="button" onClick={() => void forgetEverythingHere()}>
          {says.eraseHere}
        </button>
      )}
      {asks.value && (
        <Dialog
          title={says.erase}
          close={text.cancel}
          onClose={() => (asks.value = false)}
          actions={[{ label: says.erase, danger: true, run: () => void erase() }]}
        >
          <p>{says.eraseAsk}</p>
          {account.workspace === 'team' && <p>{says.eraseTeam}</p>}
          <TextField label={says.eraseType(says.eraseWord)} value={typed} />
        </Dialog>
      )}
    </div>
  );
}

function Look() {
  const choice = useSignal<string>(themeChoice.value);
  useEffect(() => chooseTheme(choice.value as typeof themeChoice.value), [choice.value]);
  // The button in the header changes it, too.
  useEffect(() => void (choice.value = themeChoice.value), [themeChoice.value]);
  return (
    <Part title={says.look}>
      <Choice label={says.theme} value={choice} options={Object.entries(says.themes)} />
      <Language />
    </Part>
  );
}

function Language() {
  const before = languageChoice();
  const choice = useSignal(before);
  useEffect(() => {
    if (choice.value !== before) chooseLanguage(choice.value);
  }, [choice.value]);
  return (
    <Select
      label={says.language}
      value={choice}
      options={[['system', says.languageOfBrowser], ...languageOptions()]}
    />
  );
}

function Keyboard() {
  const isOpen = useSignal(false);
  return (
    <Part title={says.keyboard}>
      <div>
        <button type="button" onClick={() => (isOpen.value = true)}>
          {says.shortcuts}
        </button>
        <p class="hint">{says.keyboardHint}</p>
      </div>
      {isOpen.value && <OnDemand of={keySheet} onClose={() => (isOpen.value = false)} />}
    </Part>
  );
}
