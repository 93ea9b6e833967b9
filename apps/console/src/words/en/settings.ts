/** Settings. */
export const settings = {
  title: 'Settings',
  hint: 'Kept in this browser only.',
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  accent: 'Accent',
  accents: { blue: 'Blue', green: 'Green', orange: 'Orange', pink: 'Pink', purple: 'Purple', red: 'Red' },
  behaviour: 'Behaviour',
  encrypts: 'Encrypt uploads unless I say otherwise',
  encryptsHint: 'Each upload still shows the choice before it starts.',
  staysSignedIn: 'Stay signed in on this device',
  staysSignedInHint: 'For 30 days, from the next sign-in on. Otherwise the session ends with the tab.',
  shortcuts: 'Single-letter shortcuts',
  shortcutsHint: 'Press ? on any page to see them. Switch them off if a voice or switch control types for you.',
}
