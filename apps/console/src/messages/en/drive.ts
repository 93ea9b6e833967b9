import { firstNames } from '../first-names.ts'
import { formatBytes, formatCount } from '../format.ts'
import { translatable } from '../translatable.ts'
import { counted, plural } from './plural.ts'

const items = (count: number) => counted(count, { one: 'item', other: 'items' })
/** An item by its name if it is the only one, so that messages about several actions can be distinguished. */
const itemsOrName = (count: number, name: string) => (count === 1 && name !== '' ? name : items(count))
const files = (count: number) => counted(count, { one: 'file', other: 'files' })
const days = (count: number) => counted(count, { one: 'day', other: 'days' })

/** Folders, marks and trash over the files of an account. */
export const drive = translatable('drive', {
  places: 'Places',
  place: { drive: 'My files', starred: 'Starred', duplicates: 'Duplicates', trash: 'Trash', uploads: 'All uploads' },
  path: 'Path',
  root: 'My files',
  /** An item may be a stored folder, whose files the list does not count. */
  count: items,
  listing: (count: number) => `Listing your files. The newest ${formatCount(count)} are shown.`,
  placeListing: 'Your files are still being listed, and more may appear here. This continues by itself.',
  folderListing: 'Your files are still being listed, and there may be more in the folder. This continues by itself.',
  newFolder: 'New folder',
  newFolderHint: 'Folder names are encrypted. Only you can read them.',
  newFolderLabel: 'Folder name',
  create: 'Create',
  nameSlash: 'A name cannot contain a slash.',
  nameTaken: (name: string) => `${name} already exists here`,
  nameDots: 'A name needs more than one or two dots.',
  renameTitle: 'Rename',
  renameHint: 'The new name is encrypted. The content and its CID stay the same.',
  move: 'Move',
  moveTitle: (count: number, name: string) => `Move ${itemsOrName(count, name)}`,
  moveHint: 'Only the place changes. Links and CIDs keep working.',
  moveHere: 'Move here',
  moveInto: (name: string) => `Move into ${name}`,
  moveIntoNew: 'Create and move',
  moveNewLabel: (place: string) => `Name of the new folder in ${place}`,
  moveFilter: 'Find a folder',
  moveNone: 'No folder has this name.',
  moveStored: 'Uploaded as one folder',
  moveStoredHint:
    'A folder that was uploaded as one keeps its CID and its files, so nothing can be moved into it. Make a new folder instead.',
  moveRefused: (name: string) =>
    `Nothing can be moved into “${name}”: it was uploaded as one folder, which keeps its CID and its files. Make a new folder here, or choose another one.`,
  moveRefusedHere: 'Uploaded as one folder, so nothing can be moved into it',
  moved: (count: number, name: string, place: string) => `${itemsOrName(count, name)} moved to ${place}`,
  isCut: 'Cut',
  star: 'Star',
  unstar: 'Remove star',
  starred: 'Starred',
  labels: 'Tags and colour',
  labelsTitle: (count: number, name: string) =>
    count === 1 ? `Tags and colour of ${name}` : `Tags and colour of ${items(count)}`,
  labelsHint: 'Tags and colours are encrypted. Only you can see them.',
  tagsLabel: 'Tags',
  tagAdd: 'Add a tag',
  tagAddButton: 'Add',
  tagRemove: (tag: string) => `Remove tag ${tag}`,
  colour: 'Colour',
  colours: {
    none: 'None',
    blue: 'Blue',
    green: 'Green',
    orange: 'Orange',
    pink: 'Pink',
    purple: 'Purple',
    red: 'Red',
  },
  done: 'Done',
  trash: 'Move to trash',
  trashed: (count: number, name: string) => `${itemsOrName(count, name)} moved to the trash`,
  undo: 'Undo',
  trashHint:
    'Items stay here until you delete them. They still use storage, and people with access or a link can still open them. After 30 days, they are ready to delete.',
  trashEmpty: 'The trash is empty',
  trashEmptyHint: 'Items you delete appear here. You can restore them or delete them permanently.',
  trashedAgo: (ago: string) => `Deleted ${ago}`,
  trashDue: (left: number) => (left <= 0 ? 'Ready to delete permanently' : `${days(left)} left`),
  trashFrom: (place: string) => `From ${place}`,
  restore: 'Restore',
  restoreAll: 'Restore all',
  selectAll: (count: number) => (count === 1 ? 'Select the item' : `Select all ${items(count)}`),
  restored: (count: number, name: string) => `${itemsOrName(count, name)} restored`,
  deleteForGood: 'Delete permanently',
  deleteTitle: (count: number) => `Delete ${items(count)} permanently?`,
  deleteHint:
    'Removes all versions from your account and frees the space. This cannot be undone. People who have the CIDs may still have copies.',
  deleteFailed: 'Not all of it was deleted permanently',
  emptyTrash: 'Empty trash',
  emptyDue: (count: number) => `Delete ${items(count)} older than 30 days`,
  deleted: (count: number, uploads: number, kept: number) => {
    const deleted = `${items(count)} deleted, ${counted(uploads, { one: 'upload', other: 'uploads' })} removed from storage`
    return kept === 0
      ? deleted
      : `${deleted}. ${items(kept)} ${plural(kept, { one: 'stays', other: 'stay' })}: objects in S3 buckets have the same content.`
  },
  deletedNone: 'Nothing was deleted: another device restored or deleted it first',
  deleteBucketsHint:
    'Objects in S3 buckets stay, and so do items with the same content. Delete the objects with an S3 client or under All uploads.',
  versions: 'Versions',
  versionsTitle: (name: string) => `Versions of ${name}`,
  versionsHint:
    'To add a version, upload a file with the same name to the same folder. Each version has its own access: sharing and links stay with the old version and do not apply to the new one.',
  versionCurrent: 'Current',
  versionUse: 'Make current',
  versionOpen: 'Open',
  earlierVersion: (at: string) => `Earlier version, from ${at}`,
  openCurrent: 'Open the current version',
  versionUsed: (name: string) => `${name} is back to its earlier version`,
  versionCount: (count: number) => `${formatCount(count)} versions`,
  duplicatesHint:
    'Uploads with the same content and access. The drive shows one of them; the others only use storage. Objects in S3 buckets and pins are not listed.',
  duplicatesNone: 'No duplicates',
  duplicatesNoneHint: 'No two uploads have the same content and access. Objects in S3 buckets and pins do not count.',
  duplicatesOf: (name: string, count: number) => `${name}, uploaded ${formatCount(count)} times`,
  duplicatesRemove: 'Remove copies',
  duplicatesRemoveAll: (size: string) => `Remove all copies, free ${size}`,
  duplicatesTitle: (count: number) => `Remove ${counted(count, { one: 'copy', other: 'copies' })}?`,
  duplicatesWarning:
    'Removes the later uploads of the same content. The file stays, with its place and its CID, and so do objects in S3 buckets and pins.',
  copiesFailed: 'Not all copies were removed',
  starredNone: 'No starred items',
  starredNoneHint: 'Star files and folders to find them here.',
  folderEmpty: 'This folder is empty',
  folderEmptyHint:
    'Drop files here, choose Upload, or move files into it. A second upload with the same name becomes a new version.',
  folderEmptyHintTouch:
    'Choose Upload, or move files into it. A second upload with the same name becomes a new version.',
  folderGone: 'This folder no longer exists',
  folderGoneHint: 'It was moved to the trash or deleted, maybe on another device.',
  itemGone: 'This item is no longer here',
  itemGoneHint: 'It was moved to the trash or deleted, maybe on another device.',
  placedInRoot: (count: number) =>
    `${files(count)} ${plural(count, { one: 'is', other: 'are' })} in My files, because the folder no longer exists`,
  goToRoot: 'Go to My files',
  inFolder: (path: string) => `In ${path}`,
  locked: 'Your folders are encrypted. Unlock them with one signature; until then, all uploads are listed.',
  unlock: 'Unlock folders',
  failed: 'Your folders could not be opened, so all uploads are listed.',
  wrong: 'The service returned folders that are damaged or belong to another account. Ask its operator.',
  older:
    'The service returned an older version of your folders than this browser has seen. Continue only if you reset the network, or trust its operator.',
  useOlder: 'Use the older version',
  lost: 'The key of your folders is lost, so all uploads are listed.',
  lostStart: 'Create new folders',
  lostTitle: 'Create new folders?',
  lostHint:
    'Your folders, their names, stars, tags, labels, contacts and the trash are lost with the key. No file is lost: you can find them all in My files, under the names they were uploaded with. The old index is saved on this device first. It stays encrypted.',
  lostFile: 'cairn-folders.json',
  lostFailed: 'New folders were not created',
  changeFailed: 'The change was not saved',
  download: 'Download',
  zipName: 'Cairn files',
  zipTitle: (count: number) => (count === 0 ? 'Download as a ZIP' : `Download ${files(count)} as a ZIP`),
  zipItemsTitle: (count: number) => `Download ${items(count)} as a ZIP`,
  zipHint: 'Every byte is verified, and encrypted files are decrypted, in this browser.',
  zipChoose: 'You choose where it is saved.',
  zipNeedsSpace: 'This browser first needs the same amount of space in its own storage.',
  zipSave: (bytes: number) => (bytes === 0 ? 'Save ZIP' : `Save ZIP, about ${formatBytes(bytes)}`),
  zipProgress: (count: number, bytes: number) => `${files(count)}, ${formatBytes(bytes)}`,
  zipDone: (count: number, bytes: number) =>
    count === 0 ? `Saved, ${formatBytes(bytes)}` : `Saved ${files(count)}, ${formatBytes(bytes)}`,
  /** Links and the like that a ZIP does not contain, by their paths. */
  zipLeftOut: (paths: readonly string[]) =>
    plural(paths.length, {
      one: `The ZIP does not contain ${firstNames(paths)}, because it is a symbolic link or other content that is not a file.`,
      other: `The ZIP does not contain ${formatCount(paths.length)} entries, because they are symbolic links or other content that is not a file: ${firstNames(paths)}.`,
    }),
  zipFailed: 'The ZIP was not saved',
  zipCancel: 'Cancel download',
  zipCancelled: 'The download was cancelled.',
  zipGoesOn: 'You can close this window. The download continues, and Transfers shows its progress.',
  saved: (name: string) => `${name} saved`,
  notPlacedYet: (names: readonly string[]) =>
    plural(names.length, {
      one: `${firstNames(names)} is stored and will be moved into its folder later`,
      other: `${files(names.length)} are stored and will be moved into their folders later`,
    }),
  notPlaced: (names: readonly string[]) =>
    plural(names.length, {
      one: `${firstNames(names)} was not moved into its folder and stays in My files`,
      other: `${files(names.length)} were not moved into their folders and stay in My files: ${firstNames(names)}`,
    }),
  alreadyStored: (name: string, path: string) => `${name} is already stored at ${path}`,
  shareTitle: (count: number, name: string | undefined) =>
    count === 1 && name !== undefined ? `Share ${name}` : `Share ${items(count)}`,
  shareNone: 'Only encrypted items can be shared. Anyone with the CID can open public ones.',
  moreActions: 'More actions',
})
