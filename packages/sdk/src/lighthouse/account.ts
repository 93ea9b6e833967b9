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

/**
 * Exchanges a signed message for an API key.
 * @throws CairnError INVALID_ADDRESS, INVALID_SIGNATURE, CHALLENGE_EXPIRED
 */
export async function getApiKey(publicKey: string, signedMessage: string): Promise<{ data: { apiKey: string } }> {
  return {
    data: {
      apiKey: await withPeerText('http', call(clientOf(), createApiKey, { body: { publicKey, signedMessage } })),
    },
  }
}

/** Creates a wallet and encrypts it with a password: `encryptedWallet` is the text of a version 3 keystore. */
export async function createWallet(password: string): Promise<{ data: { encryptedWallet: string } }> {
  const wallet = makeWallet()
  // Registers the address with the service, as the published module does; the response is ignored.
  await call(clientOf(), getAuthMessage, { query: { publicKey: wallet.address } })
  return { data: { encryptedWallet: await encryptKeystore(wallet.privateKey, password) } }
}

/**
 * Returns storage limit and usage, in bytes.
 * @throws CairnError UNAUTHENTICATED
 */
export async function getBalance(apiKey: string): Promise<{ data: Balance }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), getDataUsage, {})) }
}

/**
 * Returns the cost of uploading a path (Node).
 * @throws CairnError FILE_UNREADABLE, UNAUTHENTICATED
 */
export async function getQuote(
  path: string,
  apiKey: string,
): Promise<{
  data: Balance & { metaData: { fileSize: number; mimeType: string | false; fileName: string }[]; totalSize: number }
}> {
  const { metaData, totalSize } = await withPeerText('request', measure(clientOf(apiKey), path))
  return { data: { metaData, ...(await getBalance(apiKey)).data, totalSize } }
}
