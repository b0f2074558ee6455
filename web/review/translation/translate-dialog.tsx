/** The dialog that starts a translation, and says beforehand what is sent to whom. */
import { useSignal } from '@preact/signals';
import { baseOf } from '../../../server/captions/language-tag.ts';
import type { TranslationInput } from '../../../server/contract/translations.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Choice, Select } from '../../components/fields.tsx';
import { Notice } from '../../components/notice.tsx';
import { server } from '../../tab/server.ts';
import { languages } from '../../job/languages.ts';
import { translationText } from '../../texts/translation.ts';
import { text } from '../../texts/shell.ts';
import { publishedChoices } from '../editing/profile-rules.ts';

const texts = translationText.dialog;

/** What translates on the server, the one it prefers first. */
export const translators = () =>
  server.providers
    .filter(({ stage, configured }) => stage === 'translation' && configured)
    .toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));

interface TranslateDialogProps {
  /** The language of the captions, BCP 47. */
  from: string;
  /** The languages that were chosen before; the dialog proposes another. */
  taken: readonly string[];
  start(request: TranslationInput): void;
  onClose(): void;
}

/** The name of an engine for people. */
export const engineLabel = (engine: { name: string; model: string }): string =>
  `${text.provider.names[engine.name] ?? engine.name} (${modelOf(engine)})`;

/** The name of a model for people: those of the host are known by who makes them. */
const modelOf = ({ model }: { model: string }): string =>
  model === 'bergamot' ? 'Firefox' : model;

/** Whether an engine translates from one language into another; one without a list translates between all. */
export const hasDirection = (
  directions: readonly string[] | undefined,
  [from, to]: readonly [from: string, to: string],
): boolean =>
  directions?.some((each) => {
    const [source = '', target = ''] = each.split('>');
    return baseOf(source) === baseOf(from) && baseOf(target) === baseOf(to);
  }) ?? true;

/** The languages into which captions can be translated: all, or those of the directions that an engine has. */
const languagesInto = (from: string, directions?: readonly string[]) => {
  const into = directions?.flatMap((direction) => {
    const [source = '', target = ''] = direction.split('>');
    return baseOf(source) === from ? baseOf(target) : [];
  });
  return languages().filter(
    ([tag]) => baseOf(tag) !== from && (into === undefined || into.includes(baseOf(tag))),
  );
};

/** The dialog. */
export function TranslateDialog({ from, taken, start, onClose }: TranslateDialogProps) {
  const models = translators();
  const provider = useSignal(models[0]?.name ?? '');
  const chosen = models.find(({ name }) => name === provider.value);
  const choices = languagesInto(baseOf(from), chosen?.directions);
  const free = ['de', 'es', 'fr', 'en'].find(
    (tag) => choices.some(([into]) => into === tag) && !taken.includes(tag),
  );
  const language = useSignal(free ?? choices[0]?.[0] ?? 'en');
  const profile = useSignal('default');
  const formality = useSignal('');
  // Another provider may not know the language.
  if (choices.length > 0 && !choices.some(([tag]) => tag === language.peek())) {
    language.value = choices[0]![0];
  }
  if (!chosen) {
    return (
      <Dialog title={texts.title} onClose={onClose}>
        <Notice kind="info">
          <p>{texts.none}</p>
        </Notice>
      </Dialog>
    );
  }
  const engine = chosen.engine ?? chosen.name;
  const isPossible = choices.length > 0;
  const run = (): void => {
    const { value: said } = formality;
    start({
      language: language.value,
      provider: chosen.name,
      ...(profile.value === 'default' ? {} : { profile: profile.value }),
      ...(said === 'formal' || said === 'informal' ? { formality: said } : {}),
    });
  };
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      close={texts.cancel}
      actions={isPossible ? [{ label: texts.start, run }] : []}
    >
      {isPossible ? (
        <Select label={texts.language} value={language} options={choices} />
      ) : (
        <p>{texts.notFrom}</p>
      )}
      {models.length > 1 && (
        <Select
          label={texts.provider}
          value={provider}
          options={models.map((each) => [each.name, engineLabel(each)])}
        />
      )}
      <Select
        label={texts.profile}
        value={profile}
        options={publishedChoices(language.value).map(([name, title]) =>
          name === 'default' ? [name, texts.profileDefault] : [name, title],
        )}
      />
      <Choice
        label={texts.formality}
        value={formality}
        options={Object.entries(texts.formalities)}
      />
      <Notice kind="info">
        <p>
          {engine === 'host'
            ? texts.stays
            : texts.leaves(`${texts.who[engine] ?? texts.whoElse(engine)} (${chosen.model})`)}
        </p>
      </Notice>
    </Dialog>
  );
}
