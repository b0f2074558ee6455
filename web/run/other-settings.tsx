/** Another language or provider for the same recording. */
import { useSignal } from '@preact/signals';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { Select } from '../components/fields.tsx';
import { languages } from '../start/languages.ts';
import { providersOf } from '../start/draft.ts';
import { text } from '../texts/shell.ts';
import { payloadOfRun } from './run-again.ts';
import { runEndText as texts } from '../texts/run-ends.ts';

interface OtherSettingsProps {
  result: CaptionerResult;
  /** Runs the recording again with a patch to its payload. */
  onAgain(patch: object): void;
}

/**
 * Two fields with the settings of the run, and the button that runs it again with the chosen ones.
 */
export function OtherSettings({ result, onAgain }: OtherSettingsProps) {
  const before = payloadOfRun(result);
  const language = useSignal(before.language ?? 'en');
  const provider = useSignal<string>(before.transcription?.provider ?? 'edge');
  const known = languages();
  const isKnown = known.some(([tag]) => tag === language.value);
  const speech = new Set([provider.value, ...providersOf('transcription')]);
  const again = () => {
    // Another provider does not know the model of this one.
    const isOther = provider.value !== (before.transcription?.provider ?? 'edge');
    onAgain({
      language: language.value,
      transcription: { provider: provider.value, ...(isOther ? { model: null } : {}) },
    });
  };
  return (
    <form
      class="other-settings"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        again();
      }}
    >
      <div class="row">
        <Select
          label={texts.language}
          value={language}
          options={isKnown ? known : [[language.value, language.value], ...known]}
        />
        <Select
          label={texts.provider}
          value={provider}
          options={[...speech].map((name) => [name, text.provider.names[name] ?? name])}
        />
      </div>
      <p class="hint">{texts.settingsHint}</p>
      <div class="actions leading">
        <button type="submit" class="primary">
          {texts.tryAgain}
        </button>
      </div>
    </form>
  );
}
