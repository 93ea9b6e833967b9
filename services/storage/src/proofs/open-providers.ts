import type { Dependencies } from '@cairn/service'
import { createCairnProvider } from './cairn-provider.ts'
import { createFilecoinProvider } from './filecoin-provider.ts'
import { requireFilecoinPackage } from './filecoin-provider-package.ts'
import type { ProviderSettings } from './proof-settings.ts'
import type { Provider } from './provider.ts'
import { watchProvider } from './watch-provider.ts'

/**
 * The providers of the configuration, each noted when it answers and when it does not. Nothing is asked of them yet.
 * @throws CairnError INVALID_CONFIGURATION without what one needs
 */
export function openProviders(
  settings: readonly ProviderSettings[],
  dependencies: Pick<Dependencies, 'add'>,
): Provider[] {
  return settings.map((one) => watchProvider(openProvider(one), dependencies.add({ kind: 'provider', name: one.name })))
}

function openProvider(settings: ProviderSettings): Provider {
  switch (settings.kind) {
    case 'cairn':
      return createCairnProvider(settings)
    case 'filecoin':
      requireFilecoinPackage()
      return createFilecoinProvider(settings)
  }
}
