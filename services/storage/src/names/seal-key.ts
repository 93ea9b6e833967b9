import { CairnError } from '@cairn/protocol'
import { openSealed, type SealUse, sealBytes } from '../secrets/seal.ts'

/** The owner of a sealed key: moved to any other, it cannot be opened. */
export type SealSubject = { address: string; name: string }

const useOf = ({ address, name }: SealSubject): SealUse => ({ purpose: 'name-key', subject: [address, name] })

/** Seals the seed of a name's key for the database. */
export function sealSeed(secret: Uint8Array, subject: SealSubject, seed: Uint8Array): Uint8Array {
  return sealBytes(secret, useOf(subject), seed)
}

/** Opens a seal. @throws CairnError DATA_DAMAGED when it was changed or moved */
export function openSeed(secret: Uint8Array, subject: SealSubject, sealed: Uint8Array): Uint8Array {
  try {
    return openSealed(secret, useOf(subject), sealed)
  } catch (cause) {
    throw new CairnError('DATA_DAMAGED', {
      message: 'The key of this name is damaged',
      hint: 'The operator can restore it from a backup. Published records stay valid until they expire.',
      cause,
    })
  }
}
