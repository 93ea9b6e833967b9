import { join } from 'node:path'
import { GIB } from '@cairn/protocol'
import {
  type DatabaseSettings,
  databaseUrl,
  oneOf,
  onOff,
  optional,
  type SettingValues,
  text,
  url,
  whole,
} from '@cairn/service'
import { type S3Settings, s3Region, s3StorageClasses, s3Url } from '@cairn/service/objects'
import { readS3Settings } from './s3-settings.ts'

/** Settings: where rows and packs are stored. */
export const storeSettings = {
  CAIRN_DATABASE_URL: {
    about: 'postgres:// URL. When empty, SQLite in CAIRN_HOME. CAIRN_DATABASE_URL_FILE sets a file that contains it.',
    fallback: '',
    read: databaseUrl,
  },
  CAIRN_DATABASE_POOL: { about: 'Maximum connections to PostgreSQL.', fallback: '10', read: whole(1, 200) },
  CAIRN_PACK_FOLDER: {
    about: 'Folder of the packs, used by one database. When empty, packs/ in CAIRN_HOME.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_OBJECTS_URL: {
    about:
      's3://bucket/prefix to store packs on S3 instead of in a folder (docs/operate/s3.md), used by one database. Requires PostgreSQL.',
    fallback: '',
    read: optional(s3Url),
  },
  CAIRN_S3_ENDPOINT: {
    about: 'URL of the S3 store. When empty, AWS in the region.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_S3_REGION: { about: 'Region of the bucket.', fallback: 'us-east-1', read: s3Region },
  CAIRN_S3_FORCE_PATH_STYLE: {
    about:
      'on puts the bucket in the URL path, which most stores other than AWS require. off puts it in the host name.',
    fallback: 'off',
    read: onOff,
  },
  CAIRN_S3_ACCESS_KEY_ID: {
    about:
      'Access key of the S3 store. When empty, the credentials of the environment (AWS_ACCESS_KEY_ID, AWS_PROFILE, …) or of the machine. CAIRN_S3_ACCESS_KEY_ID_FILE sets a file that contains it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_SECRET_ACCESS_KEY: {
    about: 'Secret of the access key. CAIRN_S3_SECRET_ACCESS_KEY_FILE sets a file that contains it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_ENCRYPTION: {
    about: 'Encryption of packs on S3: AES256 or aws:kms. When empty, the default of the bucket.',
    fallback: '',
    read: optional(oneOf(['AES256', 'aws:kms'])),
  },
  CAIRN_S3_KMS_KEY_ID: {
    about: 'Key for aws:kms. When empty, the S3 key of the account.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_STORAGE_CLASS: {
    about: `Storage class of packs: ${s3StorageClasses.join(', ')}. When empty, the default of the store.`,
    fallback: '',
    read: optional(oneOf(s3StorageClasses)),
  },
  CAIRN_S3_CACHE_BYTES: {
    about: 'Maximum size of the cache of packs on the local disk, in pieces of 256 KiB. 0 disables it.',
    fallback: '0',
    read: whole(0, 1024 * 1024 * GIB),
  },
  CAIRN_S3_CACHE_FOLDER: {
    about: 'Folder of the cache. Defaults to s3-cache in CAIRN_HOME.',
    fallback: '',
    read: optional(text),
  },
}

/** Where rows and packs are stored. */
export type StoreConfig = {
  readonly database: DatabaseSettings
  readonly packFolder: string
  /** Location of packs on S3; undefined when they are files. */
  readonly s3: S3Settings | undefined
  /** Cache of packs of an S3 store; undefined when there is none. */
  readonly objectCache: { readonly folder: string; readonly maxBytes: number } | undefined
}

type Values = SettingValues<typeof storeSettings> & { CAIRN_HOME: string }

export function readStoreConfig(values: Values): StoreConfig {
  const { CAIRN_HOME: home } = values
  return {
    database: toDatabase(values),
    packFolder: values.CAIRN_PACK_FOLDER ?? join(home, 'packs'),
    s3: readS3Settings(values),
    objectCache:
      values.CAIRN_S3_CACHE_BYTES === 0
        ? undefined
        : { folder: values.CAIRN_S3_CACHE_FOLDER ?? join(home, 's3-cache'), maxBytes: values.CAIRN_S3_CACHE_BYTES },
  }
}

function toDatabase({
  CAIRN_HOME: home,
  CAIRN_DATABASE_URL: url,
  CAIRN_DATABASE_POOL: poolSize,
}: Values): DatabaseSettings {
  return url === undefined
    ? { kind: 'sqlite', path: join(home, 'storage.sqlite') }
    : { kind: 'postgres', url, poolSize }
}
