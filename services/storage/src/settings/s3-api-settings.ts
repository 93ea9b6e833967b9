import { list, optional, type SettingValues, url, whole } from '@cairn/service'
import { s3Region } from '@cairn/service/objects'

/** Settings: the S3 API. */
export const s3ApiSettings = {
  CAIRN_S3_API_PORT: {
    about: 'Port of the S3 API (docs/how-to/s3.md). When empty, the S3 API is off.',
    fallback: '',
    read: optional(whole(0, 65_535)),
  },
  CAIRN_S3_API_REGION: { about: 'Region in the signatures of S3 API requests.', fallback: 'us-east-1', read: s3Region },
  CAIRN_S3_API_HOSTS: {
    about: 'Comma-separated host names at which the S3 API serves buckets as subdomains ({bucket}.{host}).',
    fallback: 'localhost',
    read: list,
  },
  CAIRN_PUBLIC_S3_API_URL: { about: 'Public URL of the S3 API.', fallback: '', read: optional(url) },
}

/** The S3 API. */
export type S3ApiConfig = {
  /** The S3 API; undefined when none is served. */
  readonly s3Api: S3ApiSettings | undefined
}

/** Where the S3 API is served. */
export type S3ApiSettings = {
  readonly port: number
  /** URL as users see it; that of the listener when undefined. */
  readonly publicUrl: string | undefined
  readonly region: string
  /** Names under which a bucket may be the first label of the host. */
  readonly hosts: readonly string[]
}

export function readS3ApiConfig(values: SettingValues<typeof s3ApiSettings>): S3ApiConfig {
  return {
    s3Api:
      values.CAIRN_S3_API_PORT === undefined
        ? undefined
        : {
            port: values.CAIRN_S3_API_PORT,
            publicUrl: values.CAIRN_PUBLIC_S3_API_URL,
            region: values.CAIRN_S3_API_REGION,
            hosts: values.CAIRN_S3_API_HOSTS.map((name) => name.toLowerCase()),
          },
  }
}
