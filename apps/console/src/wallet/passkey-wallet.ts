import {
  CairnError,
  derivePasskeyWallet,
  type NetworkProfile,
  passkeyInput,
  signMessage,
  type Wallet,
} from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'
import { keepText, recallText } from './kept-text.ts'
import { requestPasskeyStart } from './passkey-start.ts'

type Request = { method: string; params?: unknown }

/** Stores the address and the id of the passkey, so that a later page is connected without a window. Neither is secret. */
const storageName = 'cairn.wallet.passkey'
const mainChainId = 1
const pattern = /^(0x[0-9a-fA-F]{40}):([\w-]{1,1400})$/

class PasskeyError extends Error {
  readonly code: number
  constructor(code: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/**
 * The wallet of a passkey, as an EIP-1193 provider. It signs messages, but sends no transactions. Each use of the passkey derives
 * its key on this page, signs once, and removes the key.
 */
export function createPasskeyWallet(
  network: NetworkProfile,
  { domain }: NonNullable<NetworkProfile['passkeys']>,
): object {
  const [chain] = network.chains ?? (network.chain === undefined ? [] : [network.chain])
  /** The wallet of the prompt that connected, for the signature that follows. */
  let unlocked: Wallet | undefined

  const recall = () => {
    const [, address, credentialId] = pattern.exec(recallText(storageName) ?? '') ?? []
    return address === undefined || credentialId === undefined ? undefined : { address, credentialId }
  }
  const unlock = async (credentialId?: string) => {
    const credential = await navigator.credentials.get({
      publicKey: {
        challenge: crypto.getRandomValues(new Uint8Array(32)),
        rpId: domain,
        userVerification: 'required',
        ...(credentialId === undefined
          ? {}
          : { allowCredentials: [{ type: 'public-key' as const, id: fromBase64url(credentialId) }] }),
        extensions: { prf: { eval: { first: passkeyInput } } },
      },
    })
    const { id, secret } = readSecret(credential)
    return { id, wallet: await derivePasskeyWallet(secret, domain) }
  }
  const connect = async () => {
    const start = await requestPasskeyStart()
    const { id, wallet } = await unlock(start === 'create' ? await createPasskey(domain) : undefined)
    unlocked = wallet
    keepText(storageName, `${wallet.address}:${id}`)
    return [wallet.address]
  }
  const sign = async (params: unknown) => {
    const kept = recall()
    if (kept === undefined) throw new PasskeyError(4100, 'No passkey is connected')
    const wallet = unlocked ?? (await unlock(kept.credentialId)).wallet
    unlocked = undefined
    if (wallet.address !== kept.address) throw new PasskeyError(4100, 'The passkey belongs to another account')
    const [data]: unknown[] = Array.isArray(params) ? params : []
    return signMessage(wallet.privateKey, readHexText(data))
  }
  const answer = async ({ method, params }: Request): Promise<unknown> => {
    switch (method) {
      case 'eth_requestAccounts':
        return connect()
      case 'eth_accounts': {
        const kept = recall()
        return kept === undefined ? [] : [kept.address]
      }
      case 'eth_chainId':
        return `0x${(chain?.chainId ?? mainChainId).toString(16)}`
      case 'personal_sign':
        return sign(params)
      case 'wallet_revokePermissions':
        unlocked = undefined
        keepText(storageName, undefined)
        return null
      default:
        throw asWorded(
          new CairnError('NOT_SUPPORTED', {
            message: messages.passkey.noPayments,
            hint: messages.passkey.noPaymentsHint,
          }),
        )
    }
  }
  return {
    request: (request: Request) => answer(request).catch(asProviderError),
    // Its account changes through this page only.
    on: () => undefined,
    removeListener: () => undefined,
  }
}

/**
 * Creates a passkey that browsers offer without knowing its id.
 * @returns its id
 */
async function createPasskey(domain: string): Promise<string> {
  const name = messages.passkey.nameOf(new Date())
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: crypto.getRandomValues(new Uint8Array(32)),
      rp: { id: domain, name: domain },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
      // ES256 and RS256, which all authenticators have.
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -257 },
      ],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      extensions: { prf: {} },
    },
  })
  if (!(credential instanceof PublicKeyCredential)) throw noSecret()
  if (credential.getClientExtensionResults().prf?.enabled !== true) throw noSecret()
  return credential.id
}

function readSecret(credential: Credential | null): { id: string; secret: Uint8Array } {
  if (!(credential instanceof PublicKeyCredential)) throw noSecret()
  const first = credential.getClientExtensionResults().prf?.results?.first
  if (first === undefined) throw noSecret()
  const secret = ArrayBuffer.isView(first)
    ? new Uint8Array(first.buffer, first.byteOffset, first.byteLength)
    : new Uint8Array(first)
  return { id: credential.id, secret }
}

function noSecret(): CairnError {
  return asWorded(
    new CairnError('NOT_SUPPORTED', { message: messages.passkey.noSecret, hint: messages.passkey.noSecretHint }),
  )
}

function readHexText(data: unknown): string {
  if (typeof data !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(data)) throw new PasskeyError(-32602, 'No text to sign')
  const bytes = Uint8Array.from(data.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
}

function asProviderError(error: unknown): never {
  // The browser reports the same error for a closed prompt and a missing passkey.
  if (error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name)) {
    throw new PasskeyError(4001, error.message, error)
  }
  throw error
}
