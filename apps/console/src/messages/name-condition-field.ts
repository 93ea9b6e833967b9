import { messages } from './messages.ts'

/** Returns the label of the field of a condition at a path such as `returnValueTest.value`; undefined if it has none. */
export function nameConditionField(path: string): string | undefined {
  const { advancedFields, grouping } = messages.conditions
  const names: Readonly<Record<string, string>> = { ...advancedFields, aggregator: grouping }
  return names[path.split('.').findLast((part) => Object.hasOwn(names, part)) ?? '']
}
