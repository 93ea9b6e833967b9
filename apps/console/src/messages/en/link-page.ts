import { translatable } from '../translatable.ts'

/** The page that a link opens, for people who may see the console for the first time. */
export const linkPage = translatable('linkPage', {
  title: 'A file or folder was shared with you',
  hint: 'It is encrypted. Your browser decrypts it, and no account or wallet is needed.',
  sharedBy: 'Shared by',
  copyAddress: 'Copy address',
  expires: 'Expires',
  opensLeft: 'Opens left',
  size: 'Size',
  password: 'Password',
  passwordHint: 'The person who shared the link has it.',
  passwordEmpty: 'Enter the password.',
  passwordWrong: (max: number) => `Wrong password. After ${max} wrong passwords, the link no longer opens.`,
  open: 'Open',
  openLast: 'This link can be opened only once more. Save what you need when you open it.',
  opening: 'Opening',
  openFailed: 'The link could not be opened',
  loading: 'Checking the link',
  ended: {
    expired: { title: 'This link has expired', hint: 'Ask the person who shared it for a new one.' },
    'used-up': {
      title: 'This link has been used up',
      hint: 'It was opened as often as it allows, or the password was wrong too often. Ask the person who shared it for a new one.',
    },
    revoked: {
      title: 'This link was revoked',
      hint: 'The person who shared it withdrew it. Ask them for a new one.',
    },
    unknown: { title: 'This link no longer works', hint: 'Ask the person who shared it for a new one.' },
  },
  notFound: {
    title: 'Link not found',
    hint: 'The address may be mistyped, or the link ended more than 30 days ago.',
  },
  deleted: {
    title: 'This was deleted',
    hint: 'The content is no longer stored here. Ask the person who sent you the link.',
  },
  notWhole: {
    title: 'This link is not complete',
    hint: 'The part after # is missing or changed. It is the key. Copy the whole link and open it again.',
  },
  blocked: {
    title: 'This link is not available',
    hint: 'The operator of this service blocked the account that shared it.',
  },
  save: 'Save file',
  saved: 'Saved',
  saveFailed: 'The file was not saved',
  show: 'Show it here',
  otherHint: 'This page does not show files of this kind. Save it to open it on your device.',
  up: 'Up one folder',
})
