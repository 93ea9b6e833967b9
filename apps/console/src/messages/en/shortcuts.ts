import { translatable } from '../translatable.ts'

/** The help for keyboard shortcuts. */
export const shortcuts = translatable('shortcuts', {
  title: 'Keyboard shortcuts',
  hint: 'Turn single-letter shortcuts off in Settings.',
  palette: 'Search and commands',
  search: 'Search',
  help: 'Show this help',
  upload: 'Upload',
  goTo: (page: string) => `Go to ${page}`,
  move: 'Move through a list',
  select: 'Select the row',
  open: 'Open the row',
  delete: 'Delete the selection',
  siblings: 'Previous or next file',
  rename: 'Rename the item',
  cut: 'Cut the selection',
  paste: 'Move what was cut here',
  undo: 'Undo moving or deleting',
  up: 'Go to the parent folder',
  clear: 'Clear the selection',
  all: 'Select all',
  keys: { space: 'Space', enter: 'Enter', delete: 'Delete', backspace: 'Backspace', escape: 'Esc' },
  or: 'or',
  followedBy: 'then',
})
