import { CairnError } from '@cairn/protocol'
import { type S3Settings, s3Region } from '../objects/s3-settings.ts'
import { list, oneOf, optional, type Setting, type SettingValues, text, url } from '../settings.ts'

/** Settings of backups. */
export type BackupSettings = {
  /** age recipients that the database and the secrets are encrypted for. */
  readonly recipients: readonly string[]
  /** How to reach the bucket of an s3:// destination. */
  readonly s3: Pick<S3Settings, 'endpoint' | 'region' | 'isPathStyle' | 'credentials'>
}

/** The backup settings, shared by all services that have backups. */
export const backupSettings = {
  CAIRN_BACKUP_RECIPIENTS: {
    about:
      'Comma-separated age recipients (age1…) that the database and the secrets of a backup are encrypted for (docs/operate/backup-restore.md). CAIRN_BACKUP_RECIPIENTS_FILE sets a file that contains them.',
    fallback: '',
    read: list,
  },
  CAIRN_BACKUP_S3_ENDPOINT: {
    about: 'URL of the S3 store of s3:// backups. When empty, AWS in the region.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_BACKUP_S3_REGION: { about: 'Region of the bucket of backups.', fallback: 'us-east-1', read: s3Region },
  CAIRN_BACKUP_S3_FORCE_PATH_STYLE: {
    about: 'on puts the bucket of backups in the URL path, off in the host name.',
    fallback: 'off',
    read: (value: string) => oneOf(['on', 'off'])(value) === 'on',
  },
  CAIRN_BACKUP_S3_ACCESS_KEY_ID: {
    about:
      'Access key for the bucket of backups. When empty, the credentials of the environment or of the machine. CAIRN_BACKUP_S3_ACCESS_KEY_ID_FILE sets a file that contains it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_BACKUP_S3_SECRET_ACCESS_KEY: {
    about: 'Secret of the access key for backups. CAIRN_BACKUP_S3_SECRET_ACCESS_KEY_FILE sets a file that contains it.',
    fallback: '',
    read: optional(text),
  },
} as const satisfies Record<string, Setting<unknown>>

/** Combines the settings of backups. @throws CairnError INVALID_CONFIGURATION for half of an access key */
export function readBackupSettings(values: SettingValues<typeof backupSettings>): BackupSettings {
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
