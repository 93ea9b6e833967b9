import { translatable } from '../translatable.ts'
import { counted } from './plural.ts'

/** The command palette. */
export const palette = translatable('palette', {
  title: 'Search and commands',
  label: 'File, page or action',
  hint: 'File, CID, page or action',
  results: 'Results',
  files: 'Files',
  recent: 'Recent files',
  actions: 'Actions',
  pages: 'Pages',
  none: 'No results',
  count: (count: number) => counted(count, { one: 'result', other: 'results' }),
  searching: 'Searching',
  foldersLoading: 'Loading your folders. Until then, files are found by the names of their uploads.',
  foldersFailed:
    'Your folders could not be opened, so files are found by the names of their uploads. Files shows the reason.',
  upload: 'Upload files',
  uploadAliases: 'add send new text folder',
  account: 'Account and wallet',
  accountAliases: 'sign out login balance address connect',
  theme: (name: string) => `Theme: ${name}`,
})
