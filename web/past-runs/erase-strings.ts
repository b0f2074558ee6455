/** The texts for erasing a run. */
export const eraseText = {
  button: (name: string) => `Erase ${name}`,
  title: 'Erase this run?',
  ask: (name: string) =>
    `The captions of ${name}, its transcript, report and review are deleted, on the service and in this browser. This cannot be undone.`,
  hint: 'It is deleted for everyone in your workspace. Terms learned from it are kept.',
  confirm: 'Erase',
};
