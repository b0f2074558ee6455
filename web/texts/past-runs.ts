/** The texts of past runs, loaded with their page. */
import { count } from './format.ts';

/** The list. */
export const pastRuns = {
  title: 'Library',
  none: 'No runs yet. Start one with a recording.',
  signIn: 'Sign in to see the runs of your workspace.',
  here: 'Stored in this browser',
  onService: 'On the service',
  more: 'More',
  search: 'Search by name',
  notFound: (wanted: string) => `No run is called “${wanted}”.`,
  noneSuch: 'No run is like that.',
  filters: {
    state: 'State',
    work: 'Work',
    language: 'Language',
    order: 'Order',
  },
  options: {
    state: {
      '': 'Any state',
      completed: 'Done',
      active: 'Waiting or running',
      ended: 'Failed, blocked or cancelled',
      silent: 'No speech',
    },
    work: {
      '': 'Reviewed or not',
      open: 'With places to check',
      unreviewed: 'Not reviewed',
      reviewed: 'Reviewed',
    },
    order: {
      newest: 'Newest first',
      oldest: 'Oldest first',
      name: 'By name',
      longest: 'Longest first',
      doubts: 'Most to check first',
    },
  },
  allLanguages: 'All languages',
  select: (name: string) => `Select ${name}`,
  selectAll: (runs: number) => `Select all ${runs.toLocaleString('en')}`,
  selected: (runs: number) => `${count(runs, 'run', 'runs')} selected`,
  downloadSelected: 'Download as ZIP',
  downloading: (at: number, all: number) => `Downloading ${at} of ${all}…`,
  nothingSelected: 'None of these runs has captions.',
  eraseSelected: 'Erase…',
  erasing: (at: number, all: number) => `Erasing ${at} of ${all}…`,
  eraseManyTitle: (runs: number) => `Erase ${count(runs, 'run', 'runs')}?`,
  eraseMany:
    'Their captions, transcripts, reports and reviews are deleted, on the service and in this browser. This cannot be undone.',
  andMore: (runs: number) => `And ${runs.toLocaleString('en')} more.`,
  reviewed: 'Reviewed',
  doubts: (open: number) => `${count(open, 'place', 'places')} to check`,
  download: (name: string) => `Download the captions of ${name} as SRT`,
  nothing: (name: string) => `${name} has no captions.`,
  rename: (name: string) => `Rename ${name}`,
  renameTitle: 'Rename',
  newName: 'Name',
  renameHint: 'Everyone in your workspace sees this name.',
  save: 'Save',
  states: {
    queued: 'Waiting',
    running: 'Running',
    completed: 'Done',
    silent: 'No speech',
    blocked: 'Blocked',
    failed: 'Failed',
    cancelled: 'Cancelled',
  } as Record<string, string>,
  forget: (name: string) => `Delete ${name} from this browser`,
  /** Erasing a run. */
  erase: {
    button: (name: string) => `Erase ${name}`,
    title: 'Erase this run?',
    ask: (name: string) =>
      `The captions of ${name}, its transcript, report and review are deleted, on the service and in this browser. This cannot be undone.`,
    hint: 'It is deleted for everyone in your workspace. Terms learned from it are kept.',
    confirm: 'Erase',
  },
};
