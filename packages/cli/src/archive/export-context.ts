import type { Client } from '@cairn/sdk'
import type { Collecting } from './collect.ts'
import type { KeyRow } from './format.ts'
import type { Seal } from './seal.ts'

/** Maximum number of concurrent requests: sequential requests are slow for small files. */
export const maxParallel = 8

export type ExportOptions = {
  /** Address of the account. */
  account: string
  /** Creates the seal of this archive; undefined omits keys. */
  createSeal: ((salt: string) => Seal) | undefined
  /** Name keys to include; undefined omits them. */
  nameKeys: ExportedNameKeys | undefined
  signal: AbortSignal
  onStep(text: string): void
  onBytes(bytes: number): void
}

/** The name keys of an export. */
export type ExportedNameKeys = {
  /** Returns the key of a name as PEM; undefined if it is neither with the service nor on this machine. */
  find(name: string, keyHeld: 'service' | 'owner'): Promise<string | undefined>
  /** Lists the names whose keys are on this machine. The account does not know those that it never published. */
  listOwn(): Promise<{ name: string; label: string | null }[]>
}

/** What every part of an export uses. */
export type Export = ExportOptions &
  Collecting & {
    client: Client
    folder: string
    seal: Seal | undefined
    /**
     * Keys that an earlier call sealed, by CID or name: they are not fetched again, and only those of retired keys are dropped. The
     * archive may have the only copy.
     */
    sealed: ReadonlyMap<string, KeyRow>
  }
