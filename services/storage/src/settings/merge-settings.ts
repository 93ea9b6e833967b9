import { GIB, MIB } from '@cairn/protocol'
import { type SettingValues, seconds, whole } from '@cairn/service'

/** The settings of merging small packs. */
export const mergeSettings = {
  CAIRN_MERGE_PACK_BYTES: {
    about:
      'Packs smaller than this are merged in the background, so that small uploads share an object. 0 disables it.',
    fallback: String(MIB),
    read: whole(0, MIB),
  },
  CAIRN_MERGE_TARGET_BYTES: {
    about: 'Maximum size of a merged pack.',
    fallback: String(64 * MIB),
    read: whole(MIB, GIB),
  },
  CAIRN_MERGE_AGE_SECONDS: {
    about: 'Minimum age of packs that are merged. It is lower if packs are sent to storage providers sooner.',
    fallback: '3600',
    read: seconds(0, 366 * 24 * 3600),
  },
  CAIRN_MERGE_BYTES_PER_SECOND: {
    about: 'Rate at which packs are merged.',
    fallback: String(4 * MIB),
    read: whole(64 * 1024, GIB),
  },
}

const dayMs = 86_400_000
/** Packs that are sent to providers are merged before they wait this share of the time until that. */
const dealShare = 1 / 4

/**
 * Combines the settings; returns undefined when packs are not merged.
 * @param dealWaitMs how long packs wait until they are sent to providers; undefined when there are none
 */
export function readMergeSettings(
  values: SettingValues<typeof mergeSettings>,
  dealWaitMs: number | undefined,
): MergeSettings | undefined {
  const maxPackBytes = values.CAIRN_MERGE_PACK_BYTES
  if (maxPackBytes === 0) return undefined
  return {
    maxPackBytes,
    targetBytes: values.CAIRN_MERGE_TARGET_BYTES,
    minAgeMs: Math.min(values.CAIRN_MERGE_AGE_SECONDS, (dealWaitMs ?? Number.POSITIVE_INFINITY) * dealShare),
    maxWaitMs: dealWaitMs === undefined ? dayMs : dealWaitMs * dealShare,
    bytesPerSecond: values.CAIRN_MERGE_BYTES_PER_SECOND,
  }
}

/** Which packs are merged, and how fast. */
export type MergeSettings = {
  /** Packs smaller than this are merged. */
  maxPackBytes: number
  /** Maximum size of a merged pack. */
  targetBytes: number
  /** Minimum age of a pack that is merged. */
  minAgeMs: number
  /** How long packs wait for others when there are too few for a full merged pack. */
  maxWaitMs: number
  bytesPerSecond: number
}
