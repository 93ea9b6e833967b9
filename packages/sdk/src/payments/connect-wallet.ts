import { CairnError, isPrivateKey } from '@cairn/protocol'
import {
  type Account,
  type Chain,
  type Client,
  createClient,
  custom,
  getAddress,
  type PrivateKeyAccount,
  type Transport,
} from 'viem'
import { addChain, getChainId, requestAddresses, switchChain } from 'viem/actions'
import type { PaySigner } from './pay-options.ts'

/** A client for one chain, over an endpoint or a wallet. */
export type ChainClient = Client<Transport, Chain>

/**
 * Connects to the wallet of a signer, and has a browser wallet switch to the chain.
 * @param endpoint of the chain, for a private key
 * @throws CairnError INVALID_PRIVATE_KEY, INVALID_REQUEST, PAYMENT_REJECTED; errors of the wallet
 */
export async function connectWallet(
  chain: Chain,
  signer: PaySigner,
  endpoint: Transport,
): Promise<{ wallet: ChainClient; account: Account }> {
  if ('privateKey' in signer) {
    if (!isPrivateKey(signer.privateKey)) throw new CairnError('INVALID_PRIVATE_KEY')
    const { privateKeyToAccount } = await import('viem/accounts')
    let account: PrivateKeyAccount
    try {
      account = privateKeyToAccount(`0x${signer.privateKey.replace(/^0x/, '')}`)
    } catch (cause) {
      // Zero, or a number beyond the order of the curve.
      throw new CairnError('INVALID_PRIVATE_KEY', { cause })
    }
    return { account, wallet: createClient({ account, chain, ccipRead: false, transport: endpoint }) }
  }
  if ('walletClient' in signer) {
    const { account } = signer.walletClient
    if (account === undefined) {
      throw new CairnError('INVALID_REQUEST', {
        message: 'The wallet client has no account',
        hint: 'Create it with `createWalletClient({ account, … })`.',
      })
    }
    const wallet = createClient({ account, chain, ccipRead: false, transport: custom(signer.walletClient) })
    if ((await getChainId(wallet)) !== chain.id) await changeChain(wallet, chain)
    return { account, wallet }
  }
  const wallet = createClient({ chain, ccipRead: false, transport: custom(signer.provider) })
  const addresses = await requestAddresses(wallet)
  const wanted = signer.address?.toLowerCase()
  const address = addresses.find((one) => wanted === undefined || one.toLowerCase() === wanted)
  if (address === undefined) {
    throw new CairnError('PAYMENT_REJECTED', {
      message: 'The wallet does not provide this address',
      hint: 'Select the account in the wallet and try again.',
    })
  }
  if ((await getChainId(wallet)) !== chain.id) await changeChain(wallet, chain)
  return { wallet, account: { address: getAddress(address), type: 'json-rpc' } }
}

async function changeChain(wallet: ChainClient, chain: Chain): Promise<void> {
  try {
    await switchChain(wallet, { id: chain.id })
  } catch (error) {
    const isUnknown = typeof error === 'object' && error !== null && 'code' in error && error.code === 4902
    if (!isUnknown) throw error
    await addChain(wallet, { chain })
    await switchChain(wallet, { id: chain.id })
  }
}
