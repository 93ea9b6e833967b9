/** Groups items in order of first appearance. Node 20 has no `Map.groupBy`. */
export function groupBy<T, K>(list: readonly T[], keyOf: (one: T) => K): [K, T[]][] {
  const groups = new Map<K, T[]>()
  for (const one of list) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups]
}
