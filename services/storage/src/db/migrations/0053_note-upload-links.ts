import type { Migration } from '@cairn/service'

/** The upload link that an upload came through: the drive keeps files of others apart from those of its owner. */
export const noteUploadLinks: Migration = {
  name: '0053_note-upload-links',
  change: 'expand',
  statements: ({ text }) => [`alter table upload add column upload_link_id ${text}`],
}
