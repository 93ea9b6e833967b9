import { useNetwork } from '../network/use-network.ts'
import { type DraftChainType, type RawCondition, readText } from './condition-parts.ts'
import type { ConditionUnits } from './describe-condition.ts'
import { findTemplate } from './templates.ts'
import { useToken } from './use-token.ts'

/** The units of a condition: the symbol of its chain's coin from the network's profile, that of its token from the chain. */
export function useConditionUnits(chainType: DraftChainType, condition: RawCondition): ConditionUnits {
  const { chain, chains = chain === undefined ? [] : [chain] } = useNetwork()
  const chainName = readText(condition, ['chain'])
  const kind = findTemplate(chainType, condition)
  const token = useToken(kind === 'erc20' ? chainName : '', readText(condition, ['contractAddress']))
  if (kind === 'erc20') return { symbol: token?.symbol, tokenDecimals: token?.decimals }
  if (kind !== 'balance') return {}
  return { symbol: chains.find(({ name }) => name.toLowerCase() === chainName.trim().toLowerCase())?.symbol }
}
