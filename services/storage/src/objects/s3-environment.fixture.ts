import type { S3Place } from '@cairn/service/s3-place-fixture'

/** Returns the settings of a storage service on PostgreSQL and S3. */
export const s3Environment = ({ proxy, server }: S3Place, databaseUrl: string) => ({
  CAIRN_DATABASE_URL: databaseUrl,
  CAIRN_STORAGE_SECRET: 'ab'.repeat(32),
  CAIRN_OBJECTS_URL: `s3://${server.bucket}/cairn`,
  CAIRN_S3_ENDPOINT: proxy.url,
  CAIRN_S3_REGION: server.account.region,
  CAIRN_S3_FORCE_PATH_STYLE: 'on',
  CAIRN_S3_ACCESS_KEY_ID: server.account.accessKeyId,
  CAIRN_S3_SECRET_ACCESS_KEY: server.account.secretAccessKey,
  // Disk space is not measured.
  CAIRN_FREE_DISK_RESERVE: '10%',
})
