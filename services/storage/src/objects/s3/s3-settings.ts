import { CairnError } from '@cairn/protocol'

/** Where objects lie on an S3 store, and how it is reached. */
export type S3Settings = {
  readonly bucket: string
  /** Empty, or ends in a slash. */
  readonly prefix: string
  /** AWS when undefined. */
  readonly endpoint: string | undefined
  readonly region: string
  readonly isPathStyle: boolean
  /** Those of the environment, or of the machine, when undefined. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  /** How the store encrypts objects; its own default when undefined. */
  readonly encryption: S3Encryption | undefined
  /** Storage class of packs; the store's own default when undefined. */
  readonly storageClass: S3StorageClass | undefined
}

/** Server-side encryption. `kmsKeyId` absent: the account's own key of S3. */
export type S3Encryption =
  | { readonly algorithm: 'AES256' }
  | { readonly algorithm: 'aws:kms'; readonly kmsKeyId?: string }

/** Storage classes whose objects can be read at once. Archives cannot. */
export const s3StorageClasses = ['STANDARD', 'STANDARD_IA', 'ONEZONE_IA', 'INTELLIGENT_TIERING', 'GLACIER_IR'] as const
export type S3StorageClass = (typeof s3StorageClasses)[number]

/** Reads `s3://bucket/prefix`. */
export function s3Url(value: string): { bucket: string; prefix: string } {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(value) ?? []
  const prefix = path.replace(/\/+$/, '')
  if (bucket === undefined || !/^([a-zA-Z0-9_-][a-zA-Z0-9._-]*(\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*)?$/.test(prefix)) {
    throw new Error('must be s3://bucket or s3://bucket/prefix, with letters, digits, hyphens, dots and underscores')
  }
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}

/** What the settings say, each read by itself. */
type Values = {
  CAIRN_OBJECTS_URL: { bucket: string; prefix: string } | undefined
  CAIRN_S3_ENDPOINT: string | undefined
  CAIRN_S3_REGION: string
  CAIRN_S3_FORCE_PATH_STYLE: boolean
  CAIRN_S3_ACCESS_KEY_ID: string | undefined
  CAIRN_S3_SECRET_ACCESS_KEY: string | undefined
  CAIRN_S3_ENCRYPTION: 'AES256' | 'aws:kms' | undefined
  CAIRN_S3_KMS_KEY_ID: string | undefined
  CAIRN_S3_STORAGE_CLASS: S3StorageClass | undefined
  CAIRN_DATABASE_URL: string | undefined
  CAIRN_PACK_FOLDER: string | undefined
}

/**
 * Gathers what the settings say about S3; undefined when packs are files.
 * @throws CairnError INVALID_CONFIGURATION naming every combination that cannot be kept safe, or says nothing
 */
export function readS3Settings(values: Values): S3Settings | undefined {
  const place = values.CAIRN_OBJECTS_URL
  const problems = [...findProblems(values)]
  if (problems.length > 0) {
    throw new CairnError('INVALID_CONFIGURATION', { message: problems.join('; '), details: { problems } })
  }
  if (place === undefined) return undefined
  const { CAIRN_S3_ACCESS_KEY_ID: accessKeyId, CAIRN_S3_SECRET_ACCESS_KEY: secretAccessKey } = values
  return {
    ...place,
    endpoint: values.CAIRN_S3_ENDPOINT,
    region: values.CAIRN_S3_REGION,
    isPathStyle: values.CAIRN_S3_FORCE_PATH_STYLE,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
    encryption: toEncryption(values),
    storageClass: values.CAIRN_S3_STORAGE_CLASS,
  }
}

function* findProblems(values: Values): Generator<string> {
  if (values.CAIRN_OBJECTS_URL === undefined) {
    const names = [
      'CAIRN_S3_ENDPOINT',
      'CAIRN_S3_ACCESS_KEY_ID',
      'CAIRN_S3_SECRET_ACCESS_KEY',
      'CAIRN_S3_ENCRYPTION',
      'CAIRN_S3_KMS_KEY_ID',
      'CAIRN_S3_STORAGE_CLASS',
    ] as const
    const set = names.filter((name) => values[name] !== undefined)
    for (const name of [...set, ...(values.CAIRN_S3_FORCE_PATH_STYLE ? ['CAIRN_S3_FORCE_PATH_STYLE'] : [])]) {
      yield `${name} is set and CAIRN_OBJECTS_URL is empty`
    }
    return
  }
  // No lock on S3 keeps a second process out, as the lock of a folder does for SQLite.
  if (values.CAIRN_DATABASE_URL === undefined) {
    yield 'CAIRN_OBJECTS_URL needs PostgreSQL: set CAIRN_DATABASE_URL, or keep packs in CAIRN_PACK_FOLDER'
  }
  if (values.CAIRN_PACK_FOLDER !== undefined) yield 'CAIRN_PACK_FOLDER and CAIRN_OBJECTS_URL are both set; set one'
  if ((values.CAIRN_S3_ACCESS_KEY_ID === undefined) !== (values.CAIRN_S3_SECRET_ACCESS_KEY === undefined)) {
    yield 'CAIRN_S3_ACCESS_KEY_ID and CAIRN_S3_SECRET_ACCESS_KEY must be set together'
  }
  if (values.CAIRN_S3_KMS_KEY_ID !== undefined && values.CAIRN_S3_ENCRYPTION !== 'aws:kms') {
    yield 'CAIRN_S3_KMS_KEY_ID needs CAIRN_S3_ENCRYPTION=aws:kms'
  }
}

function toEncryption({
  CAIRN_S3_ENCRYPTION: algorithm,
  CAIRN_S3_KMS_KEY_ID: kmsKeyId,
}: Values): S3Encryption | undefined {
  if (algorithm !== 'aws:kms') return algorithm === undefined ? undefined : { algorithm }
  return kmsKeyId === undefined ? { algorithm } : { algorithm, kmsKeyId }
}
