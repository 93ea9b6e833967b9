import { CairnError } from '@cairn/protocol'
import type { S3Encryption, S3Settings, S3StorageClass } from '@cairn/service/objects'

/** The settings, each parsed on its own. */
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
  CAIRN_S3_CACHE_BYTES: number
  CAIRN_S3_CACHE_FOLDER: string | undefined
  CAIRN_DATABASE_URL: string | undefined
  CAIRN_PACK_FOLDER: string | undefined
}

/**
 * Combines the S3 settings; returns undefined when packs are files.
 * @throws CairnError INVALID_CONFIGURATION naming every combination that is unsafe or has no effect
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
      'CAIRN_S3_CACHE_FOLDER',
    ] as const
    const set: string[] = names.filter((name) => values[name] !== undefined)
    if (values.CAIRN_S3_FORCE_PATH_STYLE) set.push('CAIRN_S3_FORCE_PATH_STYLE')
    if (values.CAIRN_S3_CACHE_BYTES > 0) set.push('CAIRN_S3_CACHE_BYTES')
    for (const name of set) {
      yield `${name} is set, but CAIRN_OBJECTS_URL is empty`
    }
    return
  }
  // S3 has no lock that excludes a second process, unlike a folder with SQLite.
  if (values.CAIRN_DATABASE_URL === undefined) {
    yield 'CAIRN_OBJECTS_URL requires PostgreSQL: set CAIRN_DATABASE_URL, or use CAIRN_PACK_FOLDER'
  }
  if (values.CAIRN_PACK_FOLDER !== undefined)
    yield 'CAIRN_PACK_FOLDER and CAIRN_OBJECTS_URL are both set: remove one of them'
  if ((values.CAIRN_S3_ACCESS_KEY_ID === undefined) !== (values.CAIRN_S3_SECRET_ACCESS_KEY === undefined)) {
    yield 'CAIRN_S3_ACCESS_KEY_ID and CAIRN_S3_SECRET_ACCESS_KEY must be set together'
  }
  if (values.CAIRN_S3_KMS_KEY_ID !== undefined && values.CAIRN_S3_ENCRYPTION !== 'aws:kms') {
    yield 'CAIRN_S3_KMS_KEY_ID requires CAIRN_S3_ENCRYPTION=aws:kms'
  }
}

function toEncryption({
  CAIRN_S3_ENCRYPTION: algorithm,
  CAIRN_S3_KMS_KEY_ID: kmsKeyId,
}: Values): S3Encryption | undefined {
  if (algorithm !== 'aws:kms') return algorithm === undefined ? undefined : { algorithm }
  return kmsKeyId === undefined ? { algorithm } : { algorithm, kmsKeyId }
}
