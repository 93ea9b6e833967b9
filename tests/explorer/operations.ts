import {
  type ChangeOptions,
  removeConditions,
  retireKey,
  revokeAccess,
  saveKey,
  setConditions,
  shareFile,
  transferFile,
} from '@cairn/sdk'
import { repairWith } from '../../packages/sdk/src/keys/repair.ts'
import { cid, type Party, parties } from './parties.ts'
import type { Operation } from './running-operation.ts'

/** An operation, with its intent. */
export type Intent = Operation & {
  kind: 'save' | 'share' | 'revoke' | 'transfer' | 'retire' | 'set conditions' | 'remove conditions' | 'repair'
  /** The party that it concerns. */
  whom?: Party
}

const options: ChangeOptions = { pauseMs: 0, retryMs: 0 }
const condition = {
  id: 1,
  chain: 'local',
  method: 'getBlockNumber',
  standardContractType: '',
  returnValueTest: { comparator: '>', value: '1' },
}

type Who = { by?: Party; device?: string }
const known = new Map<string, Intent>()

/** Operations of one name are the same, so that knowledge about it applies to every scenario. */
function define(
  kind: Intent['kind'],
  { by = 'owner', device = 'desk' }: Who,
  whom: Party | undefined,
  run: Operation['run'],
): Intent {
  const name = [kind, whom, 'by', by, device].filter((part) => part !== undefined).join(' ')
  const found = known.get(name)
  if (found !== undefined) return found
  const made: Intent = { kind, name, by, device, run, ...(whom === undefined ? {} : { whom }) }
  known.set(name, made)
  return made
}

export const save = (who: Who = {}) =>
  define('save', who, undefined, (client, prepare) => saveKey(client, cid, prepare(), options))
export const share = (whom: Party, who: Who = {}) =>
  define('share', who, whom, (client) => shareFile(client, cid, [parties[whom]], options))
export const revoke = (whom: Party, who: Who = {}) =>
  define('revoke', who, whom, (client) => revokeAccess(client, cid, [parties[whom]], options))
export const transfer = (whom: Party, who: Who = {}) =>
  define('transfer', who, whom, (client) => transferFile(client, cid, parties[whom], options))
export const retire = (who: Who = {}) => define('retire', who, undefined, (client) => retireKey(client, cid, options))
export const allow = (who: Who = {}) =>
  define('set conditions', who, 'holder', (client) => setConditions(client, cid, { conditions: [condition] }, options))
export const disallow = (who: Who = {}) =>
  define('remove conditions', who, 'holder', (client) => removeConditions(client, cid, options))
export const repair = (who: Who = {}) =>
  define('repair', who, undefined, (client, prepare) => repairWith(prepare, client, cid, { ...options, maxWaitMs: 0 }))
