import type { DraftChainType, RawCondition } from './condition-parts.ts'
import { describeCondition } from './describe-condition.ts'
import { useConditionUnits } from './use-condition-units.ts'

/** A condition as one line of text, its amounts in coins and tokens. */
export function ConditionText({
  chainType,
  condition,
  format = (text) => text,
}: {
  chainType: DraftChainType
  condition: RawCondition
  /** Formats the text within a sentence. */
  format?: (text: string) => string
}) {
  return format(describeCondition(chainType, condition, useConditionUnits(chainType, condition)))
}
