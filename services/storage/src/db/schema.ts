import type { AccountTables } from './tables/accounts.ts'
import type { AnnouncementTables } from './tables/announcements.ts'
import type { DealTables } from './tables/deals.ts'
import type { DriveTables } from './tables/drives.ts'
import type { EventTables } from './tables/events.ts'
import type { LinkTables } from './tables/links.ts'
import type { NameTables } from './tables/names.ts'
import type { OperationTables } from './tables/operation.ts'
import type { PackTables } from './tables/packs.ts'
import type { PaymentTables } from './tables/payments.ts'
import type { PinTables } from './tables/pins.ts'
import type { S3Tables } from './tables/s3.ts'
import type { UploadTables } from './tables/uploads.ts'

export type { WebhookDeliveryTable, WebhookTable } from './tables/events.ts'
export type { LinkTable, UploadLinkTable } from './tables/links.ts'
export type { PackHold } from './tables/packs.ts'
export type { PinTable } from './tables/pins.ts'
export type { S3DeleteMarkerTable, S3MultipartTable, S3ObjectTable, S3PartTable } from './tables/s3.ts'
export type { ResumableUploadTable, UploadTable } from './tables/uploads.ts'

// Times are integer milliseconds since 1970, sizes integer bytes, ids text (UUIDv7) unless stated otherwise. Every
// integer is a number (checked to be exact) except pack ids, which are bigints.

/** Every table of the storage service. */
export type Schema = AccountTables &
  PackTables &
  UploadTables &
  PaymentTables &
  DealTables &
  NameTables &
  PinTables &
  S3Tables &
  EventTables &
  LinkTables &
  AnnouncementTables &
  DriveTables &
  OperationTables
