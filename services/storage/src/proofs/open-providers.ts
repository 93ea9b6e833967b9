import { createCairnProvider } from './cairn-provider.ts'
import { createFilecoinProvider } from './filecoin-provider.ts'
import type { ProviderSettings } from './proof-settings.ts'
import type { Provider } from './provider.ts'

/** The providers of the configuration. Nothing is asked of them yet. */
export function openProviders(settings: readonly ProviderSettings[]): Provider[] {
  return settings.map(openProvider)
}

function openProvider(settings: ProviderSettings): Provider {
  switch (settings.kind) {
    case 'cairn':
      return createCairnProvider(settings)
    case 'filecoin':
      return createFilecoinProvider(settings)
  }
}
