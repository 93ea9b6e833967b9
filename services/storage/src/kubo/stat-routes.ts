import { CairnError, kuboDagStat, kuboFilesStat, kuboRepoStat } from '@cairn/protocol'
import { createAddressSlots, matchAddresses } from '@cairn/service'
import { statNode } from '@cairn/unixfs'
import type { FastifyInstance } from 'fastify'
import { getUsage } from '../accounts/accounts.ts'
import type { Context } from '../context.ts'
import { countFiles } from '../files/files.ts'
import { sendLines } from '../http/send-lines.ts'
import { beginCount } from './count-blocks.ts'
import { describeMetadata } from './go-metadata.ts'
import { type KuboReading, openKuboPath } from './kubo-path.ts'
import { kuboRoute } from './kubo-route.ts'

/** Maximum number of blocks counted per call. */
const maxCountedBlocks = 1_048_576
/** Blocks that any number of calls may count at the same time. */
const maxFreeBlocks = 65_536
/** Calls that count more, in total and per address: each takes up to 250 MiB of memory. */
const largeCountLimits = { max: 4, maxPerAddress: 2 }
/** Version of Kubo's repository layout, which clients expect. */
const repoVersion = 'fs-repo@18'

/** Registers Kubo's calls that return sizes. */
export function registerKuboStatRoutes(app: FastifyInstance, context: Context, reading: KuboReading): void {
  const { packs } = reading
  const isExempt = matchAddresses(context.config.trustedProxies)
  const largeCounts = createAddressSlots({ ...largeCountLimits, isExempt })

  kuboRoute(app, context, kuboDagStat, async ({ input: { query }, reply, client, signal }) => {
    const count = beginCount(client.address, {
      maxBlocks: maxCountedBlocks,
      freeBlocks: maxFreeBlocks,
      slots: largeCounts,
    })
    try {
      for (const path of query.arg) {
        const { cid, remaining } = await openKuboPath(reading, path, client)
        if (remaining.length > 0) throw insideDocument()
        const reader = packs.openReader()
        try {
          await count.add(reader, cid, signal)
        } finally {
          reader.close()
        }
      }
    } finally {
      count.end()
    }
    const { stats, uniqueBlocks, uniqueBytes } = count.result()
    const allBytes = stats.reduce((sum, { Size }) => sum + Size, 0)
    const summary = {
      ...(uniqueBlocks === 0 ? {} : { UniqueBlocks: uniqueBlocks }),
      ...(uniqueBytes === 0 ? {} : { TotalSize: uniqueBytes }),
      ...(allBytes === uniqueBytes ? {} : { SharedSize: allBytes - uniqueBytes }),
      ...(uniqueBytes === 0 ? {} : { Ratio: shortestFloat32(allBytes / uniqueBytes) }),
      DagStats: stats,
    }
    return sendLines(reply, [summary])
  })

  kuboRoute(app, context, kuboFilesStat, async ({ input: { query }, client, signal }) => {
    if (!/^(?:\/ipfs\/|ipfs:\/\/)/.test(query.arg)) {
      throw new CairnError('NOT_SUPPORTED', {
        message: 'The service has no mutable files (MFS)',
        hint: 'Send a path such as /ipfs/{cid}/{path}.',
      })
    }
    const { cid, remaining } = await openKuboPath(reading, query.arg, client)
    if (remaining.length > 0) throw insideDocument()
    const stat = await statNode(packs, cid, { signal })
    const { kind, fileSizeBytes = 0, dagSizeBytes = 0, linkCount, target = '' } = stat
    if (kind === 'other') {
      throw new CairnError('NOT_SUPPORTED', { message: `${cid} is neither a file nor a folder` })
    }
    const isFolder = kind === 'directory' || kind === 'hamt'
    const sizeBytes = kind === 'symlink' ? Buffer.byteLength(target) : fileSizeBytes
    return {
      Hash: cid.toString(),
      Size: isFolder ? 0 : sizeBytes,
      CumulativeSize: dagSizeBytes,
      Blocks: linkCount,
      Type: isFolder ? 'directory' : 'file',
      ...describeMetadata(kind, stat),
    }
  })

  kuboRoute(app, context, kuboRepoStat, async ({ caller }) => {
    const { limitBytes, usedBytes } = await getUsage(context, caller.address)
    return {
      RepoSize: usedBytes,
      StorageMax: limitBytes,
      NumObjects: await countFiles(context, caller.address),
      RepoPath: '',
      Version: repoVersion,
    }
  })
}

function insideDocument(): CairnError {
  return new CairnError('NOT_SUPPORTED', { message: 'The path points to a value in a document that is not a link' })
}

/** Returns Go's shortest decimal of the number as a float32. */
function shortestFloat32(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === Math.fround(value)) return short
  }
  return Math.fround(value)
}
