import { optional, type SettingValues } from '@cairn/service'

/** Length of the service's secret in bytes. */
export const storageSecretBytes = 32

function storageSecret(value: string): Uint8Array {
  // The message omits the value.
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error(`must be ${2 * storageSecretBytes} hex characters`)
  return new Uint8Array(Buffer.from(value, 'hex'))
}

/** Settings: the secrets that seal what the service stores for users. */
export const secretSettings = {
  CAIRN_STORAGE_SECRET: {
    about:
      'Secret that encrypts name keys, 64 hex characters. When empty, the service uses the secret in storage.key in CAIRN_HOME, created at the first start. Replicas of one database must use the same secret. CAIRN_STORAGE_SECRET_FILE sets a file that contains it.',
    fallback: '',
    read: optional(storageSecret),
  },
  CAIRN_STORAGE_SECRET_SECONDARY: {
    about:
      'Second secret that is also accepted during a rotation of CAIRN_STORAGE_SECRET (docs/operate/upgrade.md). New data is encrypted with CAIRN_STORAGE_SECRET.',
    fallback: '',
    read: optional(storageSecret),
  },
}

/** The secrets that seal what the service stores for users. */
export type SecretConfig = {
  /** Seals what the service stores for users, such as name keys. Defaults to the secret in its home. */
  readonly secret: Uint8Array | undefined
  /** Also accepted, while one secret replaces the other. */
  readonly secondarySecret: Uint8Array | undefined
}

export function readSecretConfig(values: SettingValues<typeof secretSettings>): SecretConfig {
  return {
    secret: values.CAIRN_STORAGE_SECRET,
    secondarySecret: values.CAIRN_STORAGE_SECRET_SECONDARY,
  }
}
