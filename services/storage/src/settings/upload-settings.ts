import { MIB, minSpeedWindowMs, minUploadBytesPerSecond } from '@cairn/protocol'
import { optional, type SettingValues, seconds, whole } from '@cairn/service'

/** Settings: limits of uploads in progress. */
export const uploadSettings = {
  CAIRN_UPLOAD_LIFE_SECONDS: {
    about: 'How long a resumable upload waits for its next bytes before it is cancelled.',
    fallback: String(7 * 24 * 3600),
    read: seconds(60, 366 * 24 * 3600),
  },
  CAIRN_OPEN_UPLOADS: {
    about: 'Maximum unfinished resumable uploads per account.',
    fallback: '100',
    read: whole(0, 100_000),
  },
  CAIRN_PART_MEMORY_BYTES: {
    about:
      'Memory for the names and parts of all uploads in progress, in bytes. One upload can use half of it. When empty, half of the heap limit of Node.',
    fallback: '',
    read: optional(whole(MIB, Number.MAX_SAFE_INTEGER)),
  },
  CAIRN_UPLOAD_RATE_WINDOW_SECONDS: {
    about: `Averaging period of the minimum upload rate. Uploads below ${minUploadBytesPerSecond.toLocaleString('en')} bytes per second are cancelled.`,
    fallback: String(minSpeedWindowMs / 1000),
    read: seconds(1, 3600),
  },
}

/** Limits of uploads in progress. */
export type UploadConfig = {
  /** How long a resumable upload waits for its next bytes, and how many an account may have. */
  readonly uploadLifeMs: number
  readonly maxOpenUploads: number
  /** Memory for names and nodes of all uploads in progress; derived from the heap when undefined. */
  readonly partMemoryBytes: number | undefined
  /** An upload that stays below the minimum rate for this long is aborted. */
  readonly uploadRateWindowMs: number
}

export function readUploadConfig(values: SettingValues<typeof uploadSettings>): UploadConfig {
  return {
    uploadLifeMs: values.CAIRN_UPLOAD_LIFE_SECONDS,
    maxOpenUploads: values.CAIRN_OPEN_UPLOADS,
    partMemoryBytes: values.CAIRN_PART_MEMORY_BYTES,
    uploadRateWindowMs: values.CAIRN_UPLOAD_RATE_WINDOW_SECONDS,
  }
}
