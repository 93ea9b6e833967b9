import type { Dependencies } from '@cairn/service'
import type { Clock } from '../context.ts'
import type { ProviderSettings } from '../settings/deal-settings.ts'
import { createCairnProvider } from './cairn/provider.ts'
import { requireFilecoinPackage } from './filecoin/package.ts'
import { createFilecoinProvider } from './filecoin/provider.ts'
import type { Provider } from './provider.ts'
import { watchProvider } from './watch-provider.ts'

export type { ChainProof, Challenge, PieceState, Provider } from './provider.ts'

/**
 * Opens the configured providers and watches their answers and failures. Sends no request yet.
 * @throws CairnError INVALID_CONFIGURATION when a provider lacks a setting
 */
export function openProviders(
  settings: readonly ProviderSettings[],
  { dependencies, clock }: { dependencies: Pick<Dependencies, 'add'>; clock: Clock },
): Provider[] {
  return settings.map((one) =>
    watchProvider(openProvider(one, clock), dependencies.add({ kind: 'provider', name: one.name })),
  )
}

function openProvider(settings: ProviderSettings, clock: Clock): Provider {
  switch (settings.kind) {
    case 'cairn':
      return createCairnProvider(settings, clock)
    case 'filecoin':
      requireFilecoinPackage()
      return createFilecoinProvider(settings)
  }
}
