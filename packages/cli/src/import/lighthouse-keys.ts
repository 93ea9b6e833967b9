import { joinUrl } from '@cairn/protocol'
import {
  CairnError,
  type Client,
  listedConditions,
  listKeyFiles,
  mapConditionFields,
  prepareKey,
  saveKey,
  signMessage,
  walletFromPrivateKey,
} from '@cairn/sdk'
import { getAuthMessage, getJWT, lighthouseConfig } from '@cairn/sdk/kavach'
import { fetchEncryptionKey } from '@cairn/sdk/lighthouse'
import * as v from 'valibot'
import { fetchJson } from './fetch-json.ts'
import type { ImportItem } from './import-source.ts'

/** Rights of a file. Key nodes show `sharedTo` to the owner. */
const rightsOf = v.object({
  aggregator: v.nullish(v.string()),
  ...mapConditionFields(() => v.nullish(v.array(v.unknown()))),
  sharedTo: v.nullish(v.array(v.string())),
})

/** Saves the file keys of another Lighthouse network on the key nodes of the client's network. */
export type KeyMover = {
  /**
   * Saves the key of an encrypted item, with its rights, unless it is here.
   * @throws CairnError ACCESS_DENIED (the wallet does not own the file there), KEY_NOT_FOUND, INVALID_CONDITION
   */
  move(item: ImportItem, signal: AbortSignal): Promise<void>
}

/**
 * @param keyHost URL of the key nodes of the other network
 * @param privateKey wallet that owns the files at both networks
 * @param client with a session of that wallet
 */
export function createKeyMover(keyHost: string, privateKey: string, client: Client): KeyMover {
  Object.assign(lighthouseConfig, { lighthouseAuthNode: keyHost, lighthouseBLSNode: keyHost })
  const { address } = walletFromPrivateKey(privateKey)
  let present: Promise<Set<string>> | undefined
  let token: Promise<string> | undefined
  const withToken = async <T>(run: (token: string) => Promise<T>): Promise<T> => {
    token ??= signIn(address, privateKey)
    const used = token
    try {
      return await run(await used)
    } catch (error) {
      // A long import outlives the token.
      if (!CairnError.is(error) || !['SESSION_EXPIRED', 'INVALID_SIGNATURE', 'UNAUTHENTICATED'].includes(error.code))
        throw error
      if (token === used) token = signIn(address, privateKey)
      return run(await token)
    }
  }
  return {
    async move(item, signal) {
      const cid = item.cid ?? ''
      present ??= listOwned(client, signal)
      if ((await present).has(cid)) return
      const { data } = await withToken((jwt) => fetchEncryptionKey(cid, address, jwt))
      if (data.key === null) throw new CairnError('KEY_NOT_FOUND')
      const url = new URL(joinUrl(keyHost, `/api/fileAccessConditions/get/${cid}`))
      const rights = await withToken((jwt) => fetchJson(url, jwt, rightsOf, signal))
      const { chainType, conditions } = listedConditions(rights)
      const { aggregator, sharedTo } = rights
      await saveKey(client, cid, prepareKey(data.key), {
        shareTo: (sharedTo ?? []).filter((one) => one.toLowerCase() !== address.toLowerCase()),
        ...(conditions.length === 0
          ? {}
          : { conditions: { conditions: [...conditions], chainType, ...(aggregator ? { aggregator } : {}) } }),
        signal,
      })
    },
  }
}

async function listOwned(client: Client, signal: AbortSignal): Promise<Set<string>> {
  const cids = new Set<string>()
  // A key on fewer than three nodes is saved again.
  for await (const { cid, state } of listKeyFiles(client, 'owner', { signal }))
    if (state !== 'provisional') cids.add(cid)
  return cids
}

/** Signs the message of the other key nodes. @see https://docs.lighthouse.storage */
async function signIn(address: string, privateKey: string): Promise<string> {
  const { message, error } = await getAuthMessage(address)
  if (message === null) throw error
  const { JWT, error: refused } = await getJWT(address, await signMessage(privateKey, message))
  if (JWT === null) throw new CairnError('INVALID_SIGNATURE', { message: `The key nodes answered: ${refused}` })
  return JWT
}
