import { forEachOf } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { decodeNode, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Gateway } from './gateway.ts'
import type { StagedDag } from './staged-dag.ts'
import { sha256 } from './stored-blocks.ts'

const rawCode = 0x55
const identityCode = 0
/** Single blocks of one DAG that are requested at a time. */
const maxParallelBlocks = 8
/** Bytes that a gateway may send beside the blocks of the DAG, before its response is aborted. */
const maxForeignBytes = 16 * 1024 * 1024

type Fetch = {
  staged: StagedDag
  gateways: readonly Gateway[]
  signal: AbortSignal
  onBytes(bytes: number): void
}

/**
 * Fetches the blocks of a DAG that are not staged yet. A missing node is requested with everything below it as a CAR, a
 * missing leaf as a block, so that an interrupted transfer continues, and a gateway without CARs works too. Verifies
 * each block, and accepts only blocks of the DAG.
 * @throws CairnError BLOCK_NOT_FOUND, UPSTREAM_FAILED, ABORTED; UnixfsError HASH_MISMATCH, UNSUPPORTED
 */
export async function fetchDag(context: Fetch, root: CID): Promise<void> {
  const { staged, signal } = context
  const seen = new Set<string>()
  const open: CID[] = [root]
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    signal.throwIfAborted()
    if (isInline(cid) || seen.has(keyOf(cid))) continue
    seen.add(keyOf(cid))
    if (!staged.blocks.has(cid)) await fetchMissing(context, cid)
    if (cid.code === rawCode) continue
    const { links } = decodeNode(cid, await staged.blocks.get(cid))
    const leaves = links.filter((link) => link.cid.code === rawCode && !isInline(link.cid)).map((link) => link.cid)
    await forEachOf(leaves, maxParallelBlocks, async (leaf) => {
      if (!staged.blocks.has(leaf)) await fetchMissing(context, leaf)
    })
    for (const link of links.toReversed()) if (link.cid.code !== rawCode) open.push(link.cid)
  }
}

/** Fetches a block, from the first gateway that sends it. */
async function fetchMissing(context: Fetch, cid: CID): Promise<void> {
  const failures: unknown[] = []
  for (const gateway of context.gateways) {
    try {
      if (cid.code === rawCode) await fetchOne(context, gateway, cid)
      else await fetchBelow(context, gateway, cid)
      return
    } catch (error) {
      if (context.signal.aborted) throw new CairnError('ABORTED')
      failures.push(error)
    }
  }
  // An answer other than "not found" says more.
  throw failures.find((error) => !CairnError.is(error, 'BLOCK_NOT_FOUND')) ?? failures[0]
}

async function fetchOne({ staged, signal, onBytes }: Fetch, gateway: Gateway, cid: CID): Promise<void> {
  const bytes = await gateway.fetchBlock(cid, signal)
  await verifyBlock(cid, bytes, sha256)
  await staged.add(cid, bytes)
  onBytes(bytes.length)
}

/** Fetches the blocks below a node from a gateway; a response that ends early keeps the blocks that arrived. */
async function fetchBelow(context: Fetch, gateway: Gateway, cid: CID): Promise<void> {
  try {
    await receiveCar(context, gateway, cid)
  } catch (error) {
    if (context.signal.aborted) throw error
    const mayHaveBlock = CairnError.is(error, 'NOT_ACCEPTABLE') || error instanceof UnixfsError
    if (!mayHaveBlock && !context.staged.blocks.has(cid)) throw error
  }
  if (!context.staged.blocks.has(cid)) await fetchOne(context, gateway, cid)
}

async function receiveCar({ staged, signal, onBytes }: Fetch, gateway: Gateway, root: CID): Promise<void> {
  const wanted = new Set([keyOf(root)])
  let foreignBytes = 0
  const reading = await readCar(gateway.fetchCar(root, signal))
  for await (const { cid, bytes } of reading.blocks) {
    if (!wanted.delete(keyOf(cid))) {
      foreignBytes += bytes.length
      if (foreignBytes > maxForeignBytes) return
      continue
    }
    await verifyBlock(cid, bytes, sha256)
    for (const link of decodeNode(cid, bytes).links)
      if (!isInline(link.cid) && !staged.blocks.has(link.cid)) wanted.add(keyOf(link.cid))
    await staged.add(cid, bytes)
    onBytes(bytes.length)
    if (wanted.size === 0) return
  }
}

/** Returns whether the CID contains its block. */
function isInline({ multihash }: CID): boolean {
  return multihash.code === identityCode
}

/** The same block can be linked by CIDs of different versions. */
function keyOf({ code, multihash }: CID): string {
  return `${code} ${Buffer.from(multihash.bytes).toString('latin1')}`
}
