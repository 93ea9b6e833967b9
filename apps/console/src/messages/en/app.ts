import { translatable } from '../translatable.ts'

/** Texts that are shown where no script of the console runs: by the system, of the installed app, without JavaScript, and if it fails. */
export const app = translatable('app', {
  description: 'Store, encrypt and share files by their content, on a network that anyone can run.',
  needsScripts: 'Cairn’s console needs JavaScript. The command line and the SDK can do everything it does.',
  notStarted: 'The console could not be loaded. Check your connection and reload the page, or update your browser.',
  reload: 'Reload',
})
