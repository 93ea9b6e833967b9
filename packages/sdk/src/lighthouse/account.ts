import { encryptKeystore, createWallet as makeWallet } from '@cairn/crypto'
import { createApiKey, getAuthMessage, getDataUsage } from '@cairn/protocol'
import { getQuote as measure } from '../account/quote.ts'
import { call } from '../request.ts'
import { clientOf } from './client.ts'
import { withPeerText } from './peer-text.ts'

type Balance = {
  dataLimit: number
  dataUsed: number
  dataLimitPermanent: number
  dataUsedPermanent: number
  walrusDataLimit: number
  walrusDataUsed: number
}

/** An API key for a signed message. @throws CairnError INVALID_ADDRESS, INVALID_SIGNATURE, CHALLENGE_EXPIRED */
export async function getApiKey(publicKey: string, signedMessage: string): Promise<{ data: { apiKey: string } }> {
  return {
    data: {
      apiKey: await withPeerText('http', call(clientOf(), createApiKey, { body: { publicKey, signedMessage } })),
    },
  }
}

/** A new wallet, locked with a password: `encryptedWallet` is the text of a version 3 keystore. */
export async function createWallet(password: string): Promise<{ data: { encryptedWallet: string } }> {
  const wallet = makeWallet()
  // The service hears of the address, as it does from the module this stands in for; the answer is not needed.
  await call(clientOf(), getAuthMessage, { query: { publicKey: wallet.address } })
  return { data: { encryptedWallet: await encryptKeystore(wallet.privateKey, password) } }
}

/** Storage allowed and used, in bytes. @throws CairnError UNAUTHENTICATED */
export async function getBalance(apiKey: string): Promise<{ data: Balance }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), getDataUsage, {})) }
}

/** What an upload of a path would take (Node). @throws CairnError FILE_UNREADABLE, UNAUTHENTICATED */
export async function getQuote(
  path: string,
  apiKey: string,
): Promise<{
  data: Balance & { metaData: { fileSize: number; mimeType: string | false; fileName: string }[]; totalSize: number }
}> {
  const { metaData, totalSize } = await withPeerText('request', measure(clientOf(apiKey), path))
  return { data: { metaData, ...(await getBalance(apiKey)).data, totalSize } }
}
