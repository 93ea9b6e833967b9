import { CairnError } from '@cairn/protocol'
import type { S3Settings } from './s3-settings.ts'

/** Settings of backups. */
export type BackupSettings = {
  /** age recipients that the database and the secrets are encrypted for. */
  readonly recipients: readonly string[]
  /** How to reach the bucket of an s3:// destination. */
  readonly s3: Pick<S3Settings, 'endpoint' | 'region' | 'isPathStyle' | 'credentials'>
}

/** The settings, each parsed on its own. */
type Values = {
  CAIRN_BACKUP_RECIPIENTS: readonly string[]
  CAIRN_BACKUP_S3_ENDPOINT: string | undefined
  CAIRN_BACKUP_S3_REGION: string
  CAIRN_BACKUP_S3_FORCE_PATH_STYLE: boolean
  CAIRN_BACKUP_S3_ACCESS_KEY_ID: string | undefined
  CAIRN_BACKUP_S3_SECRET_ACCESS_KEY: string | undefined
}

/** Combines the settings of backups. @throws CairnError INVALID_CONFIGURATION for half of an access key */
export function readBackupSettings(values: Values): BackupSettings {
  const { CAIRN_BACKUP_S3_ACCESS_KEY_ID: accessKeyId, CAIRN_BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey } = values
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: 'CAIRN_BACKUP_S3_ACCESS_KEY_ID and CAIRN_BACKUP_S3_SECRET_ACCESS_KEY must be set together',
    })
  }
  return {
    recipients: values.CAIRN_BACKUP_RECIPIENTS,
    s3: {
      endpoint: values.CAIRN_BACKUP_S3_ENDPOINT,
      region: values.CAIRN_BACKUP_S3_REGION,
      isPathStyle: values.CAIRN_BACKUP_S3_FORCE_PATH_STYLE,
      credentials:
        accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
    },
  }
}
