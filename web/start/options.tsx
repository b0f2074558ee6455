/** The rarer settings of a run, folded, because the defaults are sensible. */
import { useSignal } from '@preact/signals';
import { NumberField, Select, TextArea } from '../components/fields.tsx';
import { OnDemand, onDemand } from '../components/on-demand.tsx';
import { server } from '../server.ts';
import { text } from '../texts/shell.ts';
import { draft, hasAuditModes, providersOf } from './draft.ts';
import { OPTION } from '../../server/contract/limits.ts';

const pasteTerms = onDemand(() => import('./paste-terms.tsx').then((part) => part.PasteTerms));
const preview = onDemand(() => import('./format-preview.tsx').then((part) => part.FormatPreview));

/** Everything but the topic and the language, folded; the rarer groups are folded again. */
export const Options = () => (
  <details class="more">
    <summary>{text.start.more}</summary>
    <div class="options">
      <TextArea
        label={text.terms.glossary}
        hint={text.terms.glossaryHint}
        value={draft.glossary}
        rows={2}
      />
      <FindTerms />
      <Packs />
      <Provider />
      <Format />
    </div>
  </details>
);

/** The packs, folded: the service chooses them itself. They are open if some were chosen before. */
const Packs = () => (
  <details open={draft.packs.peek().size > 0 || draft.exclude.peek() !== ''}>
    <summary>{text.terms.packs}</summary>
    <fieldset>
      <legend class="visually-hidden">{text.terms.packs}</legend>
      <p class="hint">{text.terms.packsHint}</p>
      <div class="packs">
        {server.packs.map((pack) => (
          <label class="check" key={pack.id}>
            <input
              type="checkbox"
              checked={draft.packs.value.has(pack.id)}
              onChange={(event) => choosePack(pack.id, event.currentTarget.checked)}
            />
            <span>
              {pack.title} <small>{text.terms.packTerms(pack.termCount)}</small>
              <span class="hint">{pack.description}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
    <TextArea
      label={text.terms.exclude}
      hint={text.terms.excludeHint}
      value={draft.exclude}
      rows={2}
    />
  </details>
);

/** The search for terms in a text, loaded when it is expanded. */
function FindTerms() {
  const open = useSignal(false);
  return (
    <details onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>{text.terms.paste}</summary>
      {open.value && <OnDemand of={pasteTerms} />}
    </details>
  );
}

function choosePack(id: string, chosen: boolean): void {
  const packs = new Set(draft.packs.value);
  if (chosen) packs.add(id);
  else packs.delete(id);
  draft.packs.value = packs;
}

const named = (name: string): readonly [string, string] => [
  name,
  text.provider.names[name] ?? name,
];

function Provider() {
  const speech = providersOf('transcription');
  const chosen = server.providers.find(
    ({ stage, name }) => stage === 'transcription' && name === draft.speech.value,
  );
  const audits = providersOf('audit').filter((name) => name !== 'none');
  return (
    <details>
      <summary>{text.provider.title}</summary>
      <Select
        label={text.provider.speech}
        hint={chosen ? text.provider.about(chosen.model, chosen.limits) : ''}
        value={draft.speech}
        options={speech.map(named)}
      />
      <Select
        label={text.provider.audit}
        value={draft.audit}
        options={[
          ['', text.provider.auditAutomatic],
          ...audits.map(named),
          ['none', text.provider.auditNone],
        ]}
      />
      {hasAuditModes() && (
        <Select
          label={text.provider.mode}
          value={draft.auditMode}
          options={Object.entries(text.provider.modes)}
        />
      )}
      <NumberField
        label={text.provider.confidence}
        value={draft.minConfidence}
        {...OPTION.minConfidence}
        step={0.05}
      />
    </details>
  );
}

function Format() {
  const open = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary>{text.format.title}</summary>
      <NumberField
        label={text.format.maxLineChars}
        value={draft.maxLineChars}
        {...OPTION.maxLineChars}
        step={1}
      />
      <NumberField
        label={text.format.maxLines}
        value={draft.maxLines}
        {...OPTION.maxLines}
        step={1}
      />
      <NumberField
        label={text.format.maxDuration}
        value={draft.maxDuration}
        {...OPTION.maxDuration}
        step={0.5}
      />
      <NumberField
        label={text.format.minDuration}
        value={draft.minDuration}
        {...OPTION.minDuration}
        step={0.1}
      />
      {open.value && <OnDemand of={preview} />}
    </details>
  );
}
