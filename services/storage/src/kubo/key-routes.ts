import {
  CairnError,
  kuboKeyGen,
  kuboKeyList,
  kuboKeyRename,
  kuboKeyRm,
  kuboNamePublish,
  type NameState,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { createName, labelName, listHeldNames, publishName, removeName } from '../names/names.ts'
import { type KuboReading, openKuboPath } from './kubo-path.ts'
import { kuboRoute } from './kubo-route.ts'

/** Registers Kubo's key calls, for an account's labelled names whose keys the service holds. */
export function registerKuboKeyRoutes(app: FastifyInstance, context: Context, reading: KuboReading): void {
  const listKeys = async (address: string) =>
    (await listHeldNames(context, address)).map((state) => ({ Name: state.label ?? state.id, Id: state.name }))
  const find = async (address: string, key: string) =>
    (await listKeys(address)).find(({ Name, Id }) => Name === key || Id === key)
  const require = async (address: string, key: string) => {
    const found = await find(address, key)
    if (found === undefined) {
      throw new CairnError('NAME_NOT_FOUND', {
        message: `no key named ${key} was found`,
        hint: 'List the keys with key/list, or create one with key/gen. There is no key "self".',
      })
    }
    return found
  }
  const requireFree = async (address: string, key: string): Promise<void> => {
    if ((await find(address, key)) === undefined) return
    throw new CairnError('CONFLICT', {
      message: `key with name '${key}' already exists`,
      hint: 'Choose another name, or remove the key first.',
    })
  }

  kuboRoute(app, context, kuboKeyGen, async ({ input: { query }, caller }) => {
    await requireFree(caller.address, query.arg)
    const { name }: NameState = await createName(context, caller.address, query.arg)
    return { Name: query.arg, Id: name }
  })

  kuboRoute(app, context, kuboKeyList, async ({ caller }) => ({ Keys: await listKeys(caller.address) }))

  kuboRoute(app, context, kuboKeyRename, async ({ input: { query }, caller }) => {
    const [was, now] = query.arg
    const { Id } = await require(caller.address, was)
    await requireFree(caller.address, now)
    await labelName(context, caller.address, Id, now)
    return { Was: was, Now: now, Id, Overwrite: false }
  })

  kuboRoute(app, context, kuboKeyRm, async ({ input: { query }, caller }) => {
    const keys: { Name: string; Id: string }[] = []
    // All must exist before the first is removed.
    for (const key of query.arg) keys.push(await require(caller.address, key))
    for (const { Id } of keys) await removeName(context, caller.address, Id)
    return { Keys: keys }
  })

  kuboRoute(app, context, kuboNamePublish, async ({ input: { query }, caller, client }) => {
    const { Id } = await require(caller.address, query.key ?? 'self')
    const path = /^\/?ip[fn]s[:/]/.test(query.arg) ? query.arg : `/ipfs/${query.arg}`
    if (query.resolve ?? true) {
      const { cid } = await openKuboPath(reading, path, client)
      // Opening a path does not read the leaf block.
      if (!(await context.packs.has(cid))) throw new CairnError('BLOCK_NOT_FOUND', { details: { cid: `${cid}` } })
    }
    const { name, value } = await publishName(context, caller.address, Id, {
      value: path,
      lifetimeMs: query.lifetime,
      ttlMs: query.ttl,
    })
    return { Name: name, Value: value }
  })
}
