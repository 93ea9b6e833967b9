import { CairnError, kuboPinAdd, kuboPinLs, kuboPinRm, kuboPinUpdate } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { CID } from 'multiformats/cid'
import { equals } from 'multiformats/hashes/digest'
import type { Context } from '../context.ts'
import { sendJson, sendLines } from '../http/send-lines.ts'
import type { NameClient } from '../names/names.ts'
import { listPins, notPinned, pinOnce, requirePin, unpin, writePins } from './account-pins.ts'
import { followKuboPath, type KuboReading, openKuboPath } from './kubo-path.ts'
import { kuboRoute } from './kubo-route.ts'

/** Maximum number of pins per answer. Streams have no limit, but list a CID again after as many others. */
const maxListedPins = 65_536

type Pin = { cid: string; name: string }

/** Registers Kubo's pin calls: what an account uploaded or pinned, each as one recursive pin. */
export function registerKuboPinRoutes(app: FastifyInstance, context: Context, reading: KuboReading): void {
  kuboRoute(app, context, kuboPinAdd, async ({ input: { query }, caller, client, signal }) => {
    requireRecursive(query.recursive)
    const pins: string[] = []
    for (const path of query.arg) {
      const cid = await findRoot(path, client)
      await pinOnce(context, caller.address, cid, query.name, signal)
      pins.push(cid.toString())
    }
    return { Pins: pins }
  })

  kuboRoute(app, context, kuboPinLs, async ({ input: { query }, caller, reply, client, signal }) => {
    const { type = 'all', name = '' } = query
    if (type === 'indirect') {
      throw new CairnError('NOT_SUPPORTED', {
        message: 'Only recursive pins are listed. Send type=recursive, or omit type',
      })
    }
    const showsNames = (query.names ?? false) || name !== ''
    const describe = (pin: Pin) => ({ Type: 'recursive', Name: showsNames ? pin.name : '' })
    const pins: Pin[] = []
    if (query.arg !== undefined) {
      for (const path of query.arg) {
        const pin = await requirePin(context, caller.address, await findRoot(path, client), path)
        // All pins are recursive.
        if (type === 'direct') throw notPinned(path)
        pins.push(pin)
      }
    }
    const chosen = async function* () {
      if (type === 'direct') return
      const seen = createSeenCids()
      for await (const pin of query.arg === undefined ? listPins(context, caller.address, signal) : pins) {
        if (pin.name.includes(name) && seen.add(pin.cid)) yield pin
      }
    }
    if (query.stream) {
      return sendLines(
        reply,
        (async function* () {
          for await (const pin of chosen()) yield { Cid: pin.cid, ...describe(pin) }
        })(),
      )
    }
    const keys = new Map<string, ReturnType<typeof describe>>()
    for await (const pin of chosen()) {
      keys.set(pin.cid, describe(pin))
      if (keys.size > maxListedPins) {
        throw new CairnError('NOT_SUPPORTED', {
          message: `The account has more than ${maxListedPins} pins. List them with stream=true`,
        })
      }
    }
    return sendJson(reply, writePins(keys, signal))
  })

  kuboRoute(app, context, kuboPinRm, async ({ input: { query }, caller, client }) => {
    requireRecursive(query.recursive)
    const roots: { cid: CID; path: string }[] = []
    for (const path of query.arg) roots.push({ cid: await findRoot(path, client), path })
    // All are checked before the first is removed.
    for (const { cid, path } of roots) await requirePin(context, caller.address, cid, path)
    for (const { cid, path } of roots) await unpin(context, caller.address, cid, path)
    return { Pins: roots.map(({ cid }) => cid.toString()) }
  })

  kuboRoute(app, context, kuboPinUpdate, async ({ input: { query }, caller, client, signal }) => {
    const [fromPath, toPath] = query.arg
    const from = await findRoot(fromPath, client)
    const to = await findRoot(toPath, client)
    const { name, cid } = await requirePin(context, caller.address, from, fromPath)
    // A pin without a name uses its CID as name.
    await pinOnce(context, caller.address, to, name === cid ? undefined : name, signal)
    // CIDs of two versions name one pin, which stays.
    const isSame = equals(from.multihash, to.multihash)
    if ((query.unpin ?? true) && !isSame) await unpin(context, caller.address, from, fromPath)
    return { Pins: [from.toString(), to.toString()] }
  })

  /** A CID without a path need not be stored here. */
  async function findRoot(path: string, client: NameClient): Promise<CID> {
    const { cid, segments } = await followKuboPath(reading, path, client)
    if (segments.length === 0) return cid
    const entity = await openKuboPath(reading, path, client)
    if (entity.remaining.length === 0) return entity.cid
    throw new CairnError('INVALID_PATH', { message: 'The path points to a value in a document that is not a link' })
  }
}

/** Recognises CIDs that were listed before: each upload of a CID is a row. Remembers the last ones, so that its memory is limited. */
function createSeenCids(): { add(cid: string): boolean } {
  const cids = new Set<string>()
  return {
    add(cid) {
      if (cids.has(cid)) return false
      const [oldest] = cids.size === maxListedPins ? cids : []
      if (oldest !== undefined) cids.delete(oldest)
      cids.add(cid)
      return true
    },
  }
}

function requireRecursive(recursive = true): void {
  if (recursive) return
  throw new CairnError('NOT_SUPPORTED', { message: 'Only recursive pins are supported. Omit recursive=false' })
}
