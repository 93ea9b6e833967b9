import { firstNames } from '../first-names.ts'
import { formatBytes, formatCount } from '../format.ts'
import { translatable } from '../translatable.ts'
import { counted, plural } from './plural.ts'

const files = (count: number) => counted(count, { one: 'file', other: 'files' })

/** The upload sheet, and dropping files. */
export const upload = translatable('upload', {
  title: 'Upload',
  notStarted: 'The upload did not start',
  dropHere: 'Drop to upload',
  dropInto: (place: string) => `Files will be added to ${place}`,
  place: 'My files',
  into: (path: string) => `Into ${path}`,
  chooseFiles: 'Choose files',
  chooseFolder: 'Choose folder',
  orDrop: 'or drop or paste them anywhere.',
  emptyFoldersIfDropped: 'Empty folders are included only if you drop the folder.',
  /** @param at local date and time */
  pastedImage: (at: string) => `Pasted image ${at}`,
  tabFiles: 'Files',
  tabText: 'Text',
  kind: 'What to upload',
  textLabel: 'Text',
  textName: 'Name',
  textDefault: 'note.txt',
  access: 'Who can open it',
  public: 'Public',
  publicHint: 'Anyone with the CID can read it, for as long as anyone keeps a copy. It cannot be made private later.',
  private: 'Private',
  privateHint:
    'Not encrypted. Only you and people with a signed link can open it, and the operator of this service can read it.',
  encrypted: 'Encrypted',
  encryptedHint:
    'Encrypted in this browser. Only you and people you share it with can open the content. The name and the size are visible to anyone with the CID.',
  encryptedMissing: 'This network has no key nodes, so files cannot be encrypted here.',
  folderAs: 'Folders',
  folderOne: 'As one folder',
  folderSeparate: 'As separate files',
  folderOneEncrypted:
    'The folder has one file key and is shared as a whole. File names stay private. The number of files and their approximate sizes do not.',
  folderSeparateEncrypted: 'Each file gets its own CID and file key, and can be shared separately.',
  /** @param names of uploads whose names are taken in their folder */
  clash: (names: readonly string[]) =>
    plural(names.length, {
      one: `${firstNames(names)} already exists in this folder.`,
      other: `${formatCount(names.length)} of these names already exist in this folder: ${firstNames(names)}`,
    }),
  clashLabel: 'Names that already exist',
  clashChoices: { version: 'New version', both: 'Keep both', skip: 'Skip' },
  clashHints: {
    version: 'The upload becomes the newest version. Earlier versions are kept.',
    both: 'The upload gets a number, such as report (2).pdf.',
    skip: 'Uploads with these names are left out.',
  },
  onlyEmptyFolders: 'There are no files to upload, only empty folders. To keep them, choose “As one folder”.',
  emptyFoldersLeftOut: (count: number) =>
    `${counted(count, { one: 'empty folder is', other: 'empty folders are' })} left out. To keep ${plural(count, { one: 'it', other: 'them' })}, choose “As one folder”.`,
  nameOf: (name: string) => `Name of ${name}`,
  remove: (name: string) => `Remove ${name}`,
  files,
  folderFiles: (count: number, size: string) => `${files(count)}, ${size}`,
  andMore: (count: string) => `and ${count} more`,
  total: 'Total',
  left: (bytes: number) => `${formatBytes(bytes)} left after this`,
  missing: (bytes: number) => `${formatBytes(bytes)} more than you have left.`,
  add: (size: string, usd: string) => `Add ${size}, ${usd}`,
  addHint: 'Pay once. The upload starts when the storage is added, even if you close this.',
  startsWhenPaid: 'The upload starts when the storage is added. You can close this.',
  startWhenPaid: 'Start the upload when storage is added',
  start: (count: number, access: 'encrypted' | 'private' | 'public') => {
    const what = count === 0 ? '' : ` ${files(count)}`
    if (access === 'encrypted') return `Encrypt and upload${what}`
    return access === 'private' ? `Upload${what} privately` : `Upload${what} publicly`
  },
  tooMany: (limit: number) => `That is more than ${files(limit)}, counting empty folders. Choose fewer at a time.`,
  tooManyToKeep: (limit: number) =>
    `If this page closes, only the first ${formatCount(limit)} of these uploads continue on the next one.`,
  unreadable: (count: number) =>
    `${counted(count, { one: 'item', other: 'items' })} could not be read and ${plural(count, { one: 'was', other: 'were' })} skipped`,
})
