import { findPackageJSON } from 'node:module'
import { CairnError } from '@cairn/protocol'

const name = '@filoz/synapse-core'

/**
 * Ensures that the published Filecoin SDK is installed: most networks do not need its 40 packages.
 * @param base the file that imports it
 * @throws CairnError INVALID_CONFIGURATION with the command that installs it
 */
export function requireFilecoinPackage(base = import.meta.url): void {
  try {
    if (findPackageJSON(name, base) !== undefined) return
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
  }
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `CAIRN_PROVIDERS contains a Filecoin storage provider, which requires the package ${name}`,
    hint: 'Run npm run add -- filecoin, then restart.',
  })
}
