import {
  CairnError,
  kuboKeyGen,
  kuboKeyList,
  kuboKeyLs,
  kuboKeyRename,
  kuboKeyRm,
  kuboNamePublish,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { createName, findHeldLabels, labelName, publishName, removeName } from '../names/names.ts'
import { type KuboReading, openKuboPath } from './kubo-path.ts'
import { kuboRoute } from './kubo-route.ts'

/** Registers Kubo's key calls, for an account's labelled names whose keys the service holds. */
export function registerKuboKeyRoutes(app: FastifyInstance, context: Context, reading: KuboReading): void {
  const listKeys = async (address: string, db: Kysely<Schema> = context.db.read) =>
    (await findHeldLabels(db, address)).map(({ label, name }) => ({ Name: label, Id: name }))
  const find = async (address: string, key: string, db?: Kysely<Schema>) =>
    (await listKeys(address, db)).find(({ Name, Id }) => Name === key || Id === key)
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
  const requireFree = async (address: string, key: string, db?: Kysely<Schema>): Promise<void> => {
    if ((await find(address, key, db)) === undefined) return
    throw new CairnError('CONFLICT', {
      message: `key with name '${key}' already exists`,
      hint: 'Choose another name, or remove the key first.',
    })
  }

  kuboRoute(app, context, kuboKeyGen, async ({ input: { query }, caller }) => {
    const { address } = caller
    await requireFree(address, query.arg)
    // Again in the unit of work: another call may create the same meanwhile.
    const { name } = await createName(context, address, {
      label: query.arg,
      step: (trx) => requireFree(address, query.arg, trx),
    })
    return { Name: query.arg, Id: name }
  })

  for (const call of [kuboKeyList, kuboKeyLs]) {
    kuboRoute(app, context, call, async ({ caller }) => ({ Keys: await listKeys(caller.address) }))
  }

  kuboRoute(app, context, kuboKeyRename, async ({ input: { query }, caller }) => {
    const [was, now] = query.arg
    const { address } = caller
    const { Id } = await require(address, was)
    await labelName(context, address, Id, now, (trx) => requireFree(address, now, trx))
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
