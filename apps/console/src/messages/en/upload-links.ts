import { formatBytes } from '../format.ts'
import { translatable } from '../translatable.ts'
import { counted } from './plural.ts'

/** The page that an upload link opens, for people who send files into the account of another. */
export const uploadLinks = translatable('uploadLinks', {
  title: 'Send files',
  hint: 'They go to the account that shared this link and are not encrypted. You need no account or wallet.',
  receivedBy: 'Received by',
  copyAddress: 'Copy address',
  expires: 'Expires',
  left: 'Left',
  leftText: (files: number, bytes: number) =>
    `${counted(files, { one: 'file', other: 'files' })}, ${formatBytes(bytes)}`,
  largest: 'Largest file',
  types: 'Types',
  choose: 'Choose files',
  drop: 'or drop them here',
  files: 'Files',
  waiting: 'Waiting',
  sending: (percent: number) => `${percent} %`,
  progress: (name: string) => `Upload of ${name}`,
  stored: 'Sent',
  retry: 'Retry',
  done: (files: number) => counted(files, { one: 'file sent', other: 'files sent' }),
  loading: 'Checking the link',
  openFailed: 'The link could not be opened',
  ended: {
    expired: { title: 'This link has expired', hint: 'Ask the person who shared it for a new one.' },
    'used-up': {
      title: 'This link has been used up',
      hint: 'It accepts no more files. Ask the person who shared it for a new one.',
    },
    revoked: { title: 'This link was revoked', hint: 'The person who shared it withdrew it.' },
    unknown: { title: 'This link no longer works', hint: 'Ask the person who shared it for a new one.' },
  },
  notFound: {
    title: 'Link not found',
    hint: 'The address may be mistyped, or the link ended more than 30 days ago.',
  },
  notWhole: {
    title: 'This link is not complete',
    hint: 'The part after # is missing or changed. Copy the whole link and open it again.',
  },
  blocked: {
    title: 'This link is not available',
    hint: 'The operator of this service blocked the account that shared it.',
  },
})
