import { useState } from 'react'
import { type Config, type Connector, useConnectors } from 'wagmi'
import { connect, getConnection } from 'wagmi/actions'
import { messages } from '../messages/messages.ts'
import { getRecentWallet, setRecentWallet, type WalletFamily } from './recent-wallet.ts'
import { connectSolana } from './solana-connection.ts'
import { type SolanaWallet, useSolanaWallets } from './solana-wallets.ts'

/** A wallet to choose, of either kind. */
export type WalletChoice = {
  /** Unique in the list. */
  key: string
  name: string
  icon: string | undefined
} & ({ family: 'evm'; connector: Connector } | { family: 'solana'; wallet: SolanaWallet })

/** The connector of wallets on other devices; present only if the operator has a project for it. */
export const walletConnectId = 'walletConnect'

/** The connector of passkeys; present only if the operator enabled them. */
export const passkeyId = 'passkey'

export function isPasskey(choice: WalletChoice): boolean {
  return choice.family === 'evm' && choice.connector.id === passkeyId
}

/** Returns whether the wallet needs a pairing code before it can answer. */
export function needsPairing(choice: WalletChoice): boolean {
  return choice.family === 'evm' && choice.connector.id === walletConnectId
}

export type WalletGroup = { title: string; choices: WalletChoice[] }

/**
 * Connects a wallet; its window opens unless it is connected already.
 * @param signal stops waiting
 * @throws the errors of the wallet, see readWalletFailure
 */
export async function connectWallet(config: Config, choice: WalletChoice, signal: AbortSignal): Promise<void> {
  if (choice.family === 'solana') await connectSolana(choice.wallet, signal)
  else if (getConnection(config).connector?.uid !== choice.connector.uid) {
    await connect(config, { connector: choice.connector })
  }
}

/** Stores the wallet for sign-in. */
export function chooseWallet(choice: WalletChoice): void {
  setRecentWallet({ family: choice.family, id: idOf(choice) })
}

function idOf(choice: WalletChoice): string {
  return choice.family === 'solana' ? choice.wallet.name : choice.connector.id
}

/** Returns the wallets that announced themselves in this browser; the last used one comes first. */
export function useWalletGroups(only?: WalletFamily): WalletGroup[] {
  const connectors = useConnectors()
  const solana = useSolanaWallets().map((wallet) => ({ ...aboutSolana(wallet), isInstalled: true }))
  // Its position is fixed while the dialog is open.
  const [recent] = useState(getRecentWallet)
  const announced = connectors.some(isAnnounced)
  const evm = connectors
    // The unnamed one duplicates an announced wallet, or is a wallet too old to announce itself.
    .filter(({ type, id }) => type !== 'injected' || id !== 'injected' || (!announced && 'ethereum' in window))
    .map((connector) => ({ ...aboutEvm(connector), isInstalled: isAnnounced(connector) }))
  const all = [...evm, ...solana].filter(({ family }) => only === undefined || family === only)
  const isRecent = (choice: WalletChoice) => choice.family === recent?.family && idOf(choice) === recent.id
  return [
    { title: messages.wallet.recent, choices: all.filter(isRecent) },
    { title: messages.wallet.installed, choices: all.filter((one) => one.isInstalled && !isRecent(one)) },
    { title: messages.wallet.other, choices: all.filter((one) => !one.isInstalled && !isRecent(one)) },
  ].filter(({ choices }) => choices.length > 0)
}

function isAnnounced({ type, id }: Connector): boolean {
  return type === 'injected' && id !== 'injected' && id !== walletConnectId && id !== passkeyId
}

function aboutEvm(connector: Connector): WalletChoice {
  const { id, uid, icon } = connector
  const name = id === 'injected' ? messages.wallet.browserWallet : connector.name
  return { family: 'evm', key: uid, name, icon, connector }
}

function aboutSolana(wallet: SolanaWallet): WalletChoice {
  return { family: 'solana', key: `solana:${wallet.name}`, name: wallet.name, icon: wallet.icon, wallet }
}
