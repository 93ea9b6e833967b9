import { formatAgo, formatBytes, formatCount } from '../format.ts'
import { translatable } from '../translatable.ts'
import { counted } from './plural.ts'

const files = (count: number) => counted(count, { one: 'file', other: 'files' })

/** Upload links, for the account that receives the files. */
export const ownUploadLinks = translatable('ownUploadLinks', {
  title: 'Upload links',
  hint: 'Links for people without a wallet: to send you files, and to open your encrypted files.',
  create: 'New upload link',
  none: 'No upload links yet. An upload link lets others send files to your account, within limits that you set.',
  used: (count: number, max: number) => `${formatCount(count)} of ${files(max)}`,
  usedBytes: (bytes: number, max: number) => `${formatBytes(bytes)} of ${formatBytes(max)}`,
  lastUsed: (ms: number) => `last used ${formatAgo(ms)}`,
  revokeHint: 'The link and uploads in progress end at once. Files that came through it stay.',
  createTitle: 'New upload link',
  createHint:
    'Anyone with the link can send files to your account. The files are public and count towards your storage.',
  createFailed: 'The upload link was not created',
  labelHint: 'Shown in your list only, such as “Photos from Ida”.',
  files: 'Number of files',
  size: 'Largest file, in MiB',
  total: (bytes: number) => `At most ${formatBytes(bytes)} in total.`,
  types: 'File types',
  presets: { all: 'All', images: 'Images', pdf: 'PDF', other: 'Others' },
  ownTypes: 'Media types',
  ownTypesHint: 'Such as text/plain or video/*, separated by spaces. Senders declare the type; it is not checked.',
  ownTypesBad: 'Enter media types such as text/plain or video/*.',
  madeHint: 'It is not shown again. Send it to the people you want files from.',
})
