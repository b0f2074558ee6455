/** The texts of the organisation: the people of a workspace, and what its owners set and see. */
import { count, dateTime, megabytes } from './format.ts';
import { inLanguage } from './language.ts';

/** The part of the settings, and the invitations of whoever signs in. */
export const organisationText = inLanguage('organisationText', {
  title: 'Organisation',
  role: 'Role',
  roles: { reader: 'Reader', editor: 'Editor', owner: 'Owner' },
  rolesHint:
    'Readers read and comment. Editors also make and change captions. Owners also manage people.',
  yourRole: {
    reader: 'You are a reader here: you read captions and comment on them.',
    editor: 'You are an editor here: you make and change captions.',
    owner: 'You are an owner here: you also manage people.',
  },
  people: 'People',
  roleOf: (email: string) => `Role of ${email}`,
  you: 'you',
  disabled: 'disabled',
  joined: (at: string) => `since ${dateTime(at)}`,
  keys: (keys: number) => count(keys, 'key', 'keys'),
  disable: 'Disable',
  disablePerson: (email: string) => `Disable ${email}`,
  disableAsk: (email: string) =>
    `${email} is signed out everywhere now, and cannot come in again until you enable the person. What the person made stays.`,
  enable: 'Enable',
  enablePerson: (email: string) => `Enable ${email}`,
  remove: 'Remove',
  removePerson: (email: string) => `Remove ${email}`,
  removeAsk: (email: string) =>
    `${email} is signed out everywhere now. What the person made stays. Whoever has an address of your domain can come back: disable the person to prevent that.`,
  removeErase: 'Erase the address wherever it stands in this workspace',
  data: 'Data',
  morePeople: 'Show more people',
  invite: 'Invite',
  inviteTitle: 'Invite a person',
  email: 'Email address',
  invited: (email: string) => `An invitation was sent to ${email}. It is valid for seven days.`,
  open: 'Open invitations',
  openUntil: (role: string, at: string) => `${role}, valid until ${dateTime(at)}`,
  takeBack: 'Take back',
  takeBackFrom: (email: string) => `Take back the invitation of ${email}`,
  allKeys: 'Keys of all people',
  revoke: 'Revoke',
  revokeKey: (name: string, email: string) => `Revoke ${name} of ${email}`,
  use: 'Use',
  stored: (kind: string, used: number, quota: number | null) =>
    quota === null
      ? `${kind}: ${megabytes(used)}`
      : `${kind}: ${megabytes(used)} of ${megabytes(quota)}`,
  recordings: 'Recordings',
  results: 'Runs and captions',
  runs: (runs: number) => count(runs, 'run', 'runs'),
  mostOf: (kind: string) => `${kind}: at most (MB)`,
  mostHint: (quota: number | null) =>
    quota === null
      ? 'Empty: no limit.'
      : `Empty: ${megabytes(quota)}, as the service allows. It cannot be more.`,
  retention: 'How long runs are kept',
  days: 'Days after the end of a run',
  daysHint: (days: number) =>
    `Empty: ${count(days, 'day', 'days')}, as the service does. Runs that are older are erased within the hour, with their captions.`,
  mediaDays: 'Days for sound and video',
  mediaDaysHint:
    'Empty: as long as the run. After that, the sound and the video that are kept with a run are deleted; its captions stay.',
  save: 'Save',
  saved: 'Saved.',
  webhooks: 'Webhooks',
  noWebhooks: 'There are none. Programs register them with POST /webhooks.',
  webhookDisabled: 'disabled, because nothing was accepted for a week',
  enableWebhook: (url: string) => `Enable the webhook ${url}`,
  deleteWebhook: (url: string) => `Delete the webhook ${url}`,
  delete: 'Delete',
  record: 'Record',
  recordHint: 'Who changed people, keys, links, webhooks, terms and settings, or erased something.',
  search: 'Search the record',
  nothing: 'Nothing was found.',
  older: 'Show older entries',
  haveInvitation: 'I have an invitation',
  invitationCode: 'Code of the invitation',
  accept: 'Accept',
  invalidInvitation:
    'This invitation is not valid: it was used or taken back, or has expired. Ask for a new one.',
  signInWith: (name: string) => `Sign in with ${name}`,
  signingIn: 'Signing in…',
  tryAgain: 'Try again',
  failed: 'The sign-in did not work. Try again, or sign in with a code by email.',
  notAdmitted: 'Your account may not use this service. Ask whoever runs it.',
  notVerified: 'The provider names no verified email address of your account.',
});
