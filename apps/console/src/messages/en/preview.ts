import { formatBytes, formatCount } from '../format.ts'
import { translatable } from '../translatable.ts'
import { counted } from './plural.ts'

/** The page of a file: tabs, preview and decryption. */
export const preview = translatable('preview', {
  tabs: 'File sections',
  tab: { preview: 'Preview', details: 'Details', access: 'Access', proofs: 'Proofs', names: 'Names' },
  noneTitle: 'No preview for this file',
  noneHint:
    'The console shows text, PDF, Word, Excel and PowerPoint files (.docx, .xlsx, .pptx), OpenDocument texts, workbooks and presentations (.odt, .ods, .odp), EPUB books, images, audio and video. Download other files to open them on your device.',
  broken: 'The browser cannot show this file. It may be damaged, or its type may not match its name.',
  pdfTools: 'Pages and zoom',
  pdfBack: 'Previous page',
  pdfNext: 'Next page',
  pdfPage: 'Page',
  pdfOf: (count: number) => `of ${formatCount(count)}`,
  pdfSmaller: 'Zoom out',
  pdfLarger: 'Zoom in',
  pdfZoom: (factor: number) => `${Math.round(factor * 100)} %`,
  pdfPages: (name: string) => `Pages of ${name}`,
  pdfWhere: (page: number, count: number) => `Page ${formatCount(page)} of ${formatCount(count)}`,
  pdfNoText: 'This page has no text. It may be a scanned image.',
  pdfPassword: 'Password of this PDF',
  pdfPasswordHint: 'The PDF is opened in this browser. The password is neither sent nor kept.',
  pdfPasswordEmpty: 'Enter the password.',
  pdfPasswordWrong: 'Wrong password.',
  pdfPasswordOpen: 'Open PDF',
  pdfLarge: (bytes: number) => `This PDF is larger than ${formatBytes(bytes)}. Download it to open it on your device.`,
  pdfPageBroken: (page: number) => `Page ${formatCount(page)} cannot be shown.`,
  slide: (number: number) => `Slide ${formatCount(number)}`,
  sheets: 'Sheets',
  sheetsCut: (count: number) => `Only the first ${count} sheets are shown. Download the file to see all of it.`,
  officeNote: 'Text, tables and pictures only. Download the file for its layout.',
  officeLarge: (bytes: number) =>
    `This file is larger than ${formatBytes(bytes)}. Download it to open it on your device.`,
  shownAs: 'Shown as',
  formatted: 'Formatted',
  asTable: 'Table',
  source: 'Source',
  tableOf: (name: string) => `Table of ${name}`,
  tableSize: (rows: number, columns: number) =>
    `${counted(rows, { one: 'row', other: 'rows' })}, ${counted(columns, { one: 'column', other: 'columns' })}`,
  tableCut: (rows: string) => `Only the first ${rows} rows are shown. Download the file to see all of it.`,
  columnsCut: (columns: number) =>
    `Only the first ${counted(columns, { one: 'column is', other: 'columns are' })} shown. Download the file to see all of it.`,
  markdownPicture: (text: string) => (text === '' ? '[Image]' : `[Image: ${text}]`),
  markdownDone: 'Done',
  markdownOpen: 'Not done',
  markdownTable: 'Table',
  markdownCode: 'Code',
  previous: 'Previous file',
  next: 'Next file',
  place: (at: number, count: number) => `File ${formatCount(at)} of ${formatCount(count)}`,
  fullScreen: 'Full screen',
  leaveFullScreen: 'Leave full screen',
  cut: 'Only the beginning is shown. Download the file to see all of it.',
  guessedLetters:
    'This file is not in Unicode. If letters look wrong, download it and choose its encoding in an editor.',
  emptyFile: '(empty)',
  notFoundTitle: 'File not found on this service',
  notFoundHint: 'Check the CID. The file may be stored elsewhere; the gateway can look for it.',
  lockedTitle: 'This file is encrypted',
  lockedHint: 'This browser decrypts it for its owner and the people it is shared with.',
  lockedFolderTitle: 'This folder is encrypted',
  lockedFolderHint: 'This browser decrypts its names and files for its owner and the people it is shared with.',
  openFolder: 'Open the folder',
  noSuchNameTitle: 'File not found in this folder',
  noSuchNameHint: 'The file may have another name, or belong to another version of the folder with another CID.',
  signInHint: 'Sign in with the wallet it is shared with.',
  decrypt: 'Decrypt and show',
  cancelDecrypt: 'Stop',
  keys: 'Getting shards from the key nodes',
  receiving: (bytes: number, total: number) =>
    `Downloading and verifying: ${formatBytes(bytes)} of ${formatBytes(total)}`,
  decrypting: 'Decrypting',
  progress: 'Decryption progress',
  largeHint: (bytes: number, hasFilePicker: boolean, canShow: boolean): string => {
    const space = formatBytes(bytes)
    if (!hasFilePicker)
      return `${canShow ? 'Saving or showing' : 'Saving'} it takes ${space} in this browser first. If there is not enough space, use Chrome, Edge or another Chromium browser: they decrypt straight into a file.`
    const saving = 'Saving decrypts it straight into a file that you choose.'
    return canShow ? `${saving} Showing it here takes ${space} in this browser.` : saving
  },
  saveDecrypted: 'Save decrypted file',
  saved: 'Saved',
  saveFailed: 'The file was not saved',
  publicNote: 'Public: anyone with the CID can read it.',
  privateNote: 'Private: only you and people with a signed link can open it. The operator can read it.',
  encryptedNote: 'Encrypted: it opens only for the people, links and conditions listed under Access.',
  folderEmpty: 'This folder is empty',
  folderMore: 'Only the first names are shown. The gateway lists all of them.',
  folderList: 'Names in this folder',
  folderPath: 'Folder path',
  proofsTitle: 'Where it is stored, with proofs',
  proofsHint: 'Deals with storage providers, and a proof you can verify in this browser.',
  proofsGo: 'Show proofs',
  namesTitle: 'Give it a permanent name',
  namesHint: 'A name keeps its address while its target changes. Publish this CID to one of your names.',
  namesGo: 'Choose a name',
  privateAccessTitle: (isFolder: boolean) =>
    `Only you and people with a signed link can open this ${isFolder ? 'folder' : 'file'}`,
  privateAccessHint:
    'A link expires, and ends when you delete the upload. The upload is not encrypted, so the operator of this service can read it.',
  publicAccessTitle: (isFolder: boolean) => `Anyone can read this ${isFolder ? 'folder' : 'file'}`,
  publicAccessHint:
    'It was uploaded without encryption, so access cannot be shared or removed. Upload it encrypted to control who reads it.',
})
