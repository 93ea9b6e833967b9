// A child process that merges the packs of a folder, for a test that kills it.
// node merge-program.ts <folder>    prints "merged <count>"
import { MIB } from '@cairn/protocol'
import { mergePacks } from '../../services/storage/src/packs/merging/merge-packs.ts'
import { openPlace } from '../faults/place.ts'

/** Makes the packs old enough. */
const aheadMs = 2 * 86_400_000

const [, , folder = ''] = process.argv
const place = await openPlace(folder)
const { packs } = await mergePacks(
  {
    ...place,
    clock: { now: () => Date.now() + aheadMs, sleep: async () => undefined },
    owner: 'program',
    settings: { maxPackBytes: MIB, targetBytes: 8 * MIB, minAgeMs: 0, maxWaitMs: 0, bytesPerSecond: 1e9 },
    graceMs: 0,
    isBusy: async () => false,
  },
  AbortSignal.any([]),
)
process.stdout.write(`merged ${packs}\n`)
process.exit(0)
