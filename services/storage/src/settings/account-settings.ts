import { GIB } from '@cairn/protocol'
import { onOff, optional, type SettingValues, url, whole } from '@cairn/service'

function diskReserve(value: string): DiskReserve {
  const [, percent, bytes] = /^(?:(\d{1,2}(?:\.\d{1,3})?|100)%|(\d{1,15}))$/.exec(value) ?? []
  if (bytes !== undefined) return { bytes: Number(bytes) }
  if (percent === undefined) throw new Error('must be a percentage such as 10%, or bytes')
  return { share: Number(percent) / 100 }
}

/** Settings: sign-in, and the storage of accounts that paid nothing. */
export const accountSettings = {
  CAIRN_SHARED_MESSAGES: {
    about:
      'on lets a message without a purpose authorise an API key or one upload, which published clients require. off lets it authorise one upload only.',
    fallback: 'on',
    read: onOff,
  },
  CAIRN_FREE_BYTES: {
    about: 'Free storage of each new account, in bytes. 0 disables it.',
    fallback: String(5 * GIB),
    read: whole(0, Number.MAX_SAFE_INTEGER),
  },
  CAIRN_FREE_TOTAL_BYTES: {
    about:
      'Free storage of all accounts together, in bytes. 0 accepts new bytes only from paying accounts. When empty, no limit.',
    fallback: String(1024 * GIB),
    read: optional(whole(0, Number.MAX_SAFE_INTEGER)),
  },
  CAIRN_FREE_DISK_RESERVE: {
    about:
      'Disk space of the packs reserved for paid storage, as a percentage of the disk (10%) or in bytes. 0 reserves nothing. Has no effect on S3.',
    fallback: '10%',
    read: diskReserve,
  },
  CAIRN_FREE_ACCOUNTS_PER_DAY: {
    about: 'Maximum new accounts with free storage per IP address (IPv6: per /64) and UTC day. When empty, no limit.',
    fallback: '20',
    read: optional(whole(0, 1_000_000_000)),
  },
  CAIRN_EVM_RPC_URL: {
    about:
      'EVM endpoint to verify signatures of contract wallets (EIP-1271). When empty, these signatures are rejected.',
    fallback: '',
    read: optional(url),
  },
}

/** Sign-in, and the storage of accounts that paid nothing. */
export type AccountConfig = {
  /** Whether a message requested without a purpose may also create an API key, as published clients need. */
  readonly sharedMessages: boolean
  /** Bytes every new account may store. */
  readonly freeBytes: number
  /** Bytes that all accounts together may store beyond what was paid for; unlimited when undefined. */
  readonly freeTotalBytes: number | undefined
  /** Disk space reserved from free storage. */
  readonly freeDiskReserve: DiskReserve
  /** Accounts with a free allowance that one IP address may open per day; unlimited when undefined. */
  readonly freeAccountsPerDay: number | undefined
  /** EVM endpoint for queries to contract wallets (EIP-1271). */
  readonly evmRpcUrl: string | undefined
}

/** Disk space reserved from free storage. */
export type DiskReserve = { bytes: number } | { share: number }

export function readAccountConfig(values: SettingValues<typeof accountSettings>): AccountConfig {
  return {
    sharedMessages: values.CAIRN_SHARED_MESSAGES,
    freeBytes: values.CAIRN_FREE_BYTES,
    freeTotalBytes: values.CAIRN_FREE_TOTAL_BYTES,
    freeDiskReserve: values.CAIRN_FREE_DISK_RESERVE,
    freeAccountsPerDay: values.CAIRN_FREE_ACCOUNTS_PER_DAY,
    evmRpcUrl: values.CAIRN_EVM_RPC_URL,
  }
}
