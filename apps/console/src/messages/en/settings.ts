import { translatable } from '../translatable.ts'

/** Settings. */
export const settings = translatable('settings', {
  hint: 'Stored in this browser only.',
  appearance: 'Appearance',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  accent: 'Accent',
  accents: { blue: 'Blue', green: 'Green', orange: 'Orange', pink: 'Pink', purple: 'Purple', red: 'Red' },
  language: 'Language',
  languageOfBrowser: 'Same as browser',
  languageHint: 'The page reloads in the chosen language.',
  behaviour: 'Preferences',
  access: 'New uploads',
  accessHint: 'Each upload shows this choice before it starts. A different choice there applies to that upload only.',
  startsAtOnce: 'Start public uploads at once',
  startsAtOnceHint:
    'If new uploads are public, they start as soon as you choose files. Private and encrypted files wait for the button.',
  fileFormat: 'Format of encrypted files',
  fileFormats: { v1: 'Compatible', v2: 'Seekable' },
  fileFormatHints: {
    v1: 'Works with other Lighthouse-compatible apps. Up to 64\u00a0GiB per file.',
    v2: 'Can be read in parts, at any size. Only Cairn can open it.',
  },
  staysSignedIn: 'Stay signed in on this device',
  staysSignedInHint:
    'For 30 days, from your next sign-in. Otherwise the session ends with the last tab of this console, after 12 hours at most.',
  shortcuts: 'Single-letter shortcuts',
  shortcutsHint: 'Press ? on any page to see them. Turn them off if you use voice or switch control.',
  session: 'Session',
  sessionNone: 'You are not signed in.',
  signedInAs: 'Signed in as',
  sessionEnds: 'Expires',
  keyNodes: 'Key nodes',
  keyNodesOpen: (count: number, all: number) => `signed in at ${count} of ${all}`,
  keyNodesClosed: 'not needed yet',
  network: 'Network',
  networkHint: 'The addresses this console connects to. It connects to nothing else.',
  networkName: 'Name',
  api: 'Service',
  gateway: 'Gateway',
  router: 'File key router',
  chain: (name: string) => `Chain ${name}`,
  status: 'Network status',
  data: 'Data on this device',
  dataHint:
    'Settings, the last wallet used, pending payments, uploads and changes, and the name keys created on this device.',
  export: 'Export',
  exportHint:
    'A JSON file of settings and payments, without your session, file contents or keys. Export a name key from the page of its name.',
  clear: 'Clear',
  clearHint: 'Signs you out and clears all of it. Your stored files are not affected.',
  clearTitle: 'Clear this device?',
  clearConfirm: 'Clear and sign out',
  clearText:
    'Clears settings, the last wallet used, the session of this browser and unfinished uploads. Name keys created on this device are lost permanently: export them first. Pending payments are still credited. Files and keys at the service are not affected.',
})
