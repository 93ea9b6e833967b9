import { resolve } from 'node:path'
import { list, optional, type SettingValues, seconds, url } from '@cairn/service'

function reportAddress(value: string): string {
  if (value.length > 300 || !/^(https?:\/\/\S+|[^\s@]+@[^\s@]+)$/.test(value)) {
    throw new Error('must be an email address or an http or https URL')
  }
  return value
}

/** Settings: denylists, and the address for reports. */
export const moderationSettings = {
  CAIRN_DENYLIST_FILES: {
    about:
      'Comma-separated denylists in the compact format of IPFS (docs/operate/moderate.md): files, or folders with *.deny files. The service reads them again when they change.',
    fallback: '',
    read: (value: string) => list(value).map((path) => resolve(path)),
  },
  CAIRN_DENYLIST_URLS: {
    about: 'Comma-separated URLs of denylists. Rules of CAIRN_DENYLIST_FILES take precedence.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_DENYLIST_REFRESH_SECONDS: {
    about: 'Interval at which the lists of CAIRN_DENYLIST_URLS are fetched.',
    fallback: '3600',
    read: seconds(10, 7 * 24 * 3600),
  },
  CAIRN_REPORT_ADDRESS: {
    about:
      'Email address or URL for reports of content and objections to a block. Responses for denied content contain it.',
    fallback: '',
    read: optional(reportAddress),
  },
}

/** Denylists, and the address for reports. */
export type ModerationConfig = {
  /** Denylists: files and folders of them, and URLs that are fetched every so often. */
  readonly denylistFiles: readonly string[]
  readonly denylistUrls: readonly string[]
  readonly denylistRefreshMs: number
  /** Where people report content, or object. */
  readonly reportAddress: string | undefined
}

export function readModerationConfig(values: SettingValues<typeof moderationSettings>): ModerationConfig {
  return {
    denylistFiles: values.CAIRN_DENYLIST_FILES,
    denylistUrls: values.CAIRN_DENYLIST_URLS,
    denylistRefreshMs: values.CAIRN_DENYLIST_REFRESH_SECONDS,
    reportAddress: values.CAIRN_REPORT_ADDRESS,
  }
}
