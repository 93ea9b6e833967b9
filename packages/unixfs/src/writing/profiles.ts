/** Parameters of turning bytes into a DAG: everything that determines the CID. */
export type ImportProfile = {
  readonly name: string
  readonly cidVersion: 0 | 1
  /** Leaves are raw blocks rather than dag-pb nodes. */
  readonly rawLeaves: boolean
  /** Payload of a leaf, in bytes; at most 2 MiB - 256. */
  readonly chunkSizeBytes: number
  /** Maximum links of a file node; at least 2. */
  readonly maxLinks: number
  /** Threshold beyond which a folder becomes a HAMT. */
  readonly hamtThresholdBytes: number
  /** Measure of the threshold: the sum of name and CID bytes, or the size of the serialised block. */
  readonly hamtMeasure: 'links' | 'block'
  /** Slots of a HAMT shard: a power of two from 8 to 1,024. */
  readonly hamtFanout: number
  /** A folder with more entries becomes a HAMT whatever its size. No limit by default. */
  readonly maxFolderLinks?: number
}

/**
 * The import modes of Kubo: its default (`v0`, also called unixfs-v0-2015), `--cid-version=1` alone (`v1`), and the
 * profile of IPIP-499 (`unixfs-v1-2025`).
 * @see https://specs.ipfs.tech/ipips/ipip-0499/
 */
export const importProfiles = {
  v0: {
    name: 'v0',
    cidVersion: 0,
    rawLeaves: false,
    chunkSizeBytes: 262_144,
    maxLinks: 174,
    hamtThresholdBytes: 262_144,
    hamtMeasure: 'links',
    hamtFanout: 256,
  },
  v1: {
    name: 'v1',
    cidVersion: 1,
    rawLeaves: true,
    chunkSizeBytes: 262_144,
    maxLinks: 174,
    hamtThresholdBytes: 262_144,
    hamtMeasure: 'links',
    hamtFanout: 256,
  },
  'unixfs-v1-2025': {
    name: 'unixfs-v1-2025',
    cidVersion: 1,
    rawLeaves: true,
    chunkSizeBytes: 1_048_576,
    maxLinks: 1024,
    hamtThresholdBytes: 262_144,
    hamtMeasure: 'block',
    hamtFanout: 256,
  },
} as const satisfies Record<string, ImportProfile>

/** Returns the profile that Kubo uses for `--cid-version`. */
export function profileFor(cidVersion: 0 | 1): ImportProfile {
  return cidVersion === 0 ? importProfiles.v0 : importProfiles.v1
}
