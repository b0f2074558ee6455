/** The texts for erasing a run. */
export const eraseText = {
  button: (name: string) => `Erase ${name}`,
  title: 'Erase this run?',
  ask: (name: string) =>
    `The captions of ${name}, its transcript, report and review are deleted, on the service and in this browser. This cannot be undone.`,
  hint: 'It is gone for everybody in your workspace. Terms that it taught stay.',
  confirm: 'Erase',
};
