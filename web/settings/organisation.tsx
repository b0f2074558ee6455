/** The organisation, for its owners: people, invitations, keys, use, retention, webhooks and the record. */
import type { Static } from '../../server/contract/schema.ts';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import {
  type AuditList,
  type InvitationList,
  type Member,
  type MemberKeyList,
  type MemberList,
  type QuotasAnswer,
  type RetentionAnswer,
  type Role,
  ROLES,
  type Usage,
} from '../../server/contract/members.ts';
import type { WebhookList } from '../../server/contract/webhooks.ts';
import { ask, askJson } from '../api/request.ts';
import { Dialog } from '../components/dialog.tsx';
import { Check, Select, TextField } from '../components/fields.tsx';
import { Notice } from '../components/notice.tsx';
import { saveFile } from '../components/save-file.ts';
import { type Asking, useAsking } from '../terms/use-terminology.ts';
import { dateTime } from '../texts/format.ts';
import { organisationText as says } from '../texts/organisation.ts';
import { text } from '../texts/shell.ts';

/** The part of the settings. */
export function Organisation() {
  const asking = useAsking();
  return (
    <>
      {asking.problem.value !== '' && (
        <Notice kind="error">
          <p>{asking.problem}</p>
        </Notice>
      )}
      <People asking={asking} />
      <Invitations asking={asking} />
      <Keys asking={asking} />
      <Use asking={asking} />
      <Keeping asking={asking} />
      <Webhooks asking={asking} />
      <Record asking={asking} />
    </>
  );
}

interface PartProps {
  asking: Asking;
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  );
}

/** What an address answers, read at once and again when asked to; null until it is there. */
function useAnswer<T>(path: string, asking: Asking): [Signal<T | null>, () => Promise<void>] {
  const found = useSignal<T | null>(null);
  const read = async (): Promise<void> => {
    found.value = (await asking.read((key) => askJson<T>(path, { key }))) ?? found.peek();
  };
  useEffect(() => void read(), [path]);
  return [found, read];
}

/** The bytes of a megabyte, as they are shown. */
const MB = 1e6;

const roleNames = () => ROLES.map((role) => [role, says.roles[role]] as const);
const memberPath = ({ id }: Member) => `/workspace/members/${encodeURIComponent(id)}`;

function People({ asking }: PartProps) {
  const [first, read] = useAnswer<Static<typeof MemberList>>('/workspace/members', asking);
  const more = useSignal<Member[]>([]);
  const cursor = useSignal<string | null>(null);
  useEffect(() => {
    more.value = [];
    cursor.value = first.value?.nextCursor ?? null;
  }, [first.value]);
  const readMore = async (): Promise<void> => {
    const query = new URLSearchParams({ cursor: cursor.peek() ?? '' });
    const page = await asking.read((key) =>
      askJson<Static<typeof MemberList>>(`/workspace/members?${query}`, { key }),
    );
    if (!page) return;
    more.value = [...more.peek(), ...page.members];
    cursor.value = page.nextCursor;
  };
  const members = [...(first.value?.members ?? []), ...more.value];
  return (
    <Section title={says.people}>
      <p class="hint">{says.rolesHint}</p>
      <ul class="runs terms organisation-list">
        {members.map((member) => (
          <Person key={`${member.id} ${member.role}`} {...{ member, asking, read }} />
        ))}
      </ul>
      {cursor.value !== null && (
        <button type="button" onClick={() => void readMore()}>
          {says.morePeople}
        </button>
      )}
    </Section>
  );
}

interface PersonProps extends PartProps {
  member: Member;
  read(): Promise<void>;
}

function Person({ member, asking, read }: PersonProps) {
  const { email, state, role } = member;
  const named = useId();
  const chosen = useSignal<string>(role);
  const leaving = useSignal<'disable' | 'remove' | null>(null);
  const erases = useSignal(false);
  const change = async (body: { role?: Role; state?: Member['state'] }): Promise<void> => {
    const done = await asking.ask((key) =>
      askJson<Member>(memberPath(member), { method: 'PATCH', key, body }),
    );
    if (done) await read();
    else chosen.value = role;
  };
  useEffect(() => {
    if (chosen.value !== role) void change({ role: chosen.value as Role });
  }, [chosen.value]);
  const remove = async (): Promise<void> => {
    const query = erases.peek() ? '?data=erase' : '';
    const path = `${memberPath(member)}${query}`;
    if (await asking.ask((key) => ask(path, { method: 'DELETE', key }))) await read();
  };
  const save = async (): Promise<void> => {
    const data = await asking.ask(async (key) =>
      (await ask(`${memberPath(member)}/data`, { key })).text(),
    );
    if (data !== null) saveFile(new Blob([data]), `${email}.json`, 'application/json');
  };
  return (
    <li>
      <div>
        <strong id={named}>{email}</strong>
        <p class="hint">
          {[
            ...(member.current ? [says.you] : []),
            ...(state === 'disabled' ? [says.disabled] : []),
            says.joined(member.joinedAt),
            says.keys(member.keys),
          ].join(' · ')}
        </p>
        <Select label={says.roleOf(email)} value={chosen} options={roleNames()} />
      </div>
      <p class="rule-actions">
        <button type="button" aria-describedby={named} onClick={() => void save()}>
          {says.data}
        </button>
        {!member.current && state === 'active' && (
          <button
            type="button"
            aria-label={says.disablePerson(email)}
            onClick={() => (leaving.value = 'disable')}
          >
            {says.disable}
          </button>
        )}
        {state === 'disabled' && (
          <button
            type="button"
            aria-label={says.enablePerson(email)}
            onClick={() => void change({ state: 'active' })}
          >
            {says.enable}
          </button>
        )}
        {!member.current && (
          <button
            type="button"
            class="danger"
            aria-label={says.removePerson(email)}
            onClick={() => (leaving.value = 'remove')}
          >
            {says.remove}
          </button>
        )}
      </p>
      {leaving.value === 'disable' && (
        <Dialog
          title={says.disablePerson(email)}
          close={text.cancel}
          onClose={() => (leaving.value = null)}
          actions={[
            { label: says.disable, danger: true, run: () => void change({ state: 'disabled' }) },
          ]}
        >
          <p>{says.disableAsk(email)}</p>
        </Dialog>
      )}
      {leaving.value === 'remove' && (
        <Dialog
          title={says.removePerson(email)}
          close={text.cancel}
          onClose={() => (leaving.value = null)}
          actions={[{ label: says.remove, danger: true, run: () => void remove() }]}
        >
          <p>{says.removeAsk(email)}</p>
          <Check label={says.removeErase} value={erases} />
        </Dialog>
      )}
    </li>
  );
}

function Invitations({ asking }: PartProps) {
  const [found, read] = useAnswer<Static<typeof InvitationList>>('/workspace/invitations', asking);
  const email = useSignal('');
  const role = useSignal<string>('editor');
  const sentTo = useSignal('');
  const invite = async (event: Event): Promise<void> => {
    event.preventDefault();
    const body = { email: email.peek().trim(), role: role.peek() };
    const made = await asking.ask((key) =>
      askJson('/workspace/invitations', { method: 'POST', key, body }),
    );
    sentTo.value = made ? body.email : '';
    if (!made) return;
    email.value = '';
    await read();
  };
  const takeBack = async (id: string): Promise<void> => {
    const path = `/workspace/invitations/${encodeURIComponent(id)}`;
    if (await asking.ask((key) => ask(path, { method: 'DELETE', key }))) await read();
  };
  const open = found.value?.invitations ?? [];
  return (
    <Section title={says.inviteTitle}>
      <form noValidate onSubmit={(event) => void invite(event)}>
        <TextField label={says.email} value={email} inputMode="email" />
        <Select label={says.role} value={role} options={roleNames()} />
        <button type="submit" class="primary">
          {says.invite}
        </button>
        <p role="status">{sentTo.value === '' ? '' : says.invited(sentTo.value)}</p>
      </form>
      {open.length > 0 && (
        <>
          <h4>{says.open}</h4>
          <ul class="runs terms organisation-list">
            {open.map((each) => (
              <li key={each.id}>
                <div>
                  <strong>{each.email}</strong>
                  <p class="hint">{says.openUntil(says.roles[each.role], each.expiresAt)}</p>
                </div>
                <button
                  type="button"
                  aria-label={says.takeBackFrom(each.email)}
                  onClick={() => void takeBack(each.id)}
                >
                  {says.takeBack}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Keys({ asking }: PartProps) {
  const [found, read] = useAnswer<Static<typeof MemberKeyList>>('/workspace/member-keys', asking);
  const revoke = async (id: string): Promise<void> => {
    const path = `/workspace/member-keys/${encodeURIComponent(id)}`;
    if (await asking.ask((key) => ask(path, { method: 'DELETE', key }))) await read();
  };
  const { keys = [], revocable = false } = found.value ?? {};
  return (
    <Section title={says.allKeys}>
      <ul class="runs terms organisation-list">
        {keys.map(({ id, obfuscated, email, lastUsedAt, createdAt, current }) => (
          <li key={id}>
            <div>
              <code>{obfuscated}</code>
              <p class="hint">{[email, dateTime(lastUsedAt ?? createdAt)].join(' · ')}</p>
            </div>
            {revocable && !current && (
              <button
                type="button"
                aria-label={says.revokeKey(obfuscated, email)}
                onClick={() => void revoke(id)}
              >
                {says.revoke}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Use({ asking }: PartProps) {
  const [found, read] = useAnswer<Usage>('/workspace/usage', asking);
  const [quotas] = useAnswer<BothQuotas>('/workspace/quotas', asking);
  const usage = found.value;
  if (!usage) return null;
  const { recordings, results, runs } = usage;
  const all = Object.values(runs).reduce((sum, each) => sum + each, 0);
  return (
    <Section title={says.use}>
      <p>{says.stored(says.recordings, recordings.bytes, recordings.quota)}</p>
      <p>{says.stored(says.results, results.bytes, results.quota)}</p>
      <p>{says.runs(all)}</p>
      {quotas.value && <Quotas quotas={quotas.value} asking={asking} read={read} />}
    </Section>
  );
}

type BothQuotas = Static<typeof QuotasAnswer>;

function Quotas({
  quotas,
  asking,
  read,
}: PartProps & { quotas: BothQuotas; read(): Promise<void> }) {
  const shown = (bytes: number | null) => useSignal(bytes === null ? '' : String(bytes / MB));
  const recordings = shown(quotas.recordings.owner);
  const results = shown(quotas.results.owner);
  const save = async (): Promise<boolean> => {
    const body = {
      recordings: typedNumber(recordings.peek(), MB),
      results: typedNumber(results.peek(), MB),
    };
    const done = await asking.ask((key) =>
      askJson('/workspace/quotas', { method: 'PUT', key, body }),
    );
    if (done) await read();
    return done !== null;
  };
  return (
    <SavedForm save={save}>
      <TextField
        label={says.mostOf(says.recordings)}
        hint={says.mostHint(quotas.recordings.service)}
        value={recordings}
      />
      <TextField
        label={says.mostOf(says.results)}
        hint={says.mostHint(quotas.results.service)}
        value={results}
      />
    </SavedForm>
  );
}

/** What was typed as a number, or null for nothing; what is no number stays as typed, for the service to refuse. */
function typedNumber(typed: string, unit = 1): number | string | null {
  const figure = typed.trim().replace(',', '.');
  if (figure === '') return null;
  const value = Math.round(Number(figure) * unit);
  return Number.isNaN(value) ? typed : value;
}

/** A form that says when it is saved. */
function SavedForm({ save, children }: { save(): Promise<boolean>; children: ComponentChildren }) {
  const isSaved = useSignal(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    isSaved.value = false;
    isSaved.value = await save();
  };
  return (
    <form noValidate onSubmit={(event) => void send(event)}>
      {children}
      <button type="submit">{says.save}</button>
      <p role="status">{isSaved.value ? says.saved : ''}</p>
    </form>
  );
}

type Kept = Static<typeof RetentionAnswer>;

function Keeping({ asking }: PartProps) {
  const [found] = useAnswer<Kept>('/workspace/retention', asking);
  if (!found.value) return null;
  return (
    <Section title={says.retention}>
      <Days kept={found.value} asking={asking} />
    </Section>
  );
}

function Days({ kept, asking }: PartProps & { kept: Kept }) {
  const days = useSignal(String(kept.runDays ?? ''));
  const mediaDays = useSignal(String(kept.mediaDays ?? ''));
  const save = async (): Promise<boolean> => {
    const body = { runDays: typedNumber(days.peek()), mediaDays: typedNumber(mediaDays.peek()) };
    const done = await asking.ask((key) =>
      askJson('/workspace/retention', { method: 'PUT', key, body }),
    );
    return done !== null;
  };
  return (
    <SavedForm save={save}>
      <TextField
        label={says.days}
        hint={says.daysHint(Math.round(kept.serviceDays))}
        value={days}
      />
      <TextField label={says.mediaDays} hint={says.mediaDaysHint} value={mediaDays} />
    </SavedForm>
  );
}

function Webhooks({ asking }: PartProps) {
  const [found, read] = useAnswer<Static<typeof WebhookList>>('/webhooks', asking);
  const send = async (path: string, method: 'DELETE' | 'POST'): Promise<void> => {
    if (await asking.ask((key) => ask(`/webhooks/${path}`, { method, key }))) await read();
  };
  const { webhooks = [] } = found.value ?? {};
  return (
    <Section title={says.webhooks}>
      {webhooks.length === 0 && <p class="hint">{says.noWebhooks}</p>}
      <ul class="runs terms organisation-list">
        {webhooks.map(({ id, url, events, enabled }) => (
          <li key={id}>
            <div>
              <code>{url}</code>
              <p class="hint">
                {[events.join(', '), ...(enabled ? [] : [says.webhookDisabled])].join(' · ')}
              </p>
            </div>
            {!enabled && (
              <button
                type="button"
                aria-label={says.enableWebhook(url)}
                onClick={() => void send(`${id}/enable`, 'POST')}
              >
                {says.enable}
              </button>
            )}
            <button
              type="button"
              aria-label={says.deleteWebhook(url)}
              onClick={() => void send(id, 'DELETE')}
            >
              {says.delete}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type AuditPage = Static<typeof AuditList>;

/** What was done, in words; an operation that this page does not know yet stands as it is. */
const doneIn = (action: string) =>
  (says.done as Record<string, string>)[action] ?? <code>{action}</code>;

function Record({ asking }: PartProps) {
  const words = useSignal('');
  const entries = useSignal<AuditPage['entries'] | null>(null);
  const cursor = useSignal<string | null>(null);
  const search = async (after: string | null): Promise<void> => {
    const query = new URLSearchParams({
      ...(words.peek().trim() !== '' && { q: words.peek().trim() }),
      ...(after !== null && { cursor: after }),
    });
    const page = await asking.read((key) =>
      askJson<AuditPage>(`/workspace/audit?${query}`, { key }),
    );
    if (!page) return;
    entries.value = [...(after === null ? [] : (entries.peek() ?? [])), ...page.entries];
    cursor.value = page.nextCursor;
  };
  useEffect(() => void search(null), []);
  return (
    <Section title={says.record}>
      <p class="hint">{says.recordHint}</p>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void search(null);
        }}
      >
        <TextField label={says.search} value={words} />
        <button type="submit">{says.search}</button>
      </form>
      {entries.value?.length === 0 && <p>{says.nothing}</p>}
      <ul class="runs terms organisation-list">
        {(entries.value ?? []).map(({ id, at, person, keyId, action, subject }) => (
          <li key={id}>
            <div>
              {doneIn(action)}
              <p class="hint">{[dateTime(at), person ?? keyId ?? '', subject].join(' · ')}</p>
            </div>
          </li>
        ))}
      </ul>
      {cursor.value !== null && (
        <button type="button" onClick={() => void search(cursor.peek())}>
          {says.older}
        </button>
      )}
    </Section>
  );
}
