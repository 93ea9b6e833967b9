import { applyChange, type Change, createRegisters, listChanges, type Registers } from './registers.ts'

/** Returns what a state lacks of changes of another one, for each time, without the values that later ones replaced. */
export function listMissing(state: Registers, changes: readonly Change[]): Change[] {
  const own = listChanges(state)
  const known = new Set(own.flatMap(writeValues))
  const merged = createRegisters()
  for (const one of [...own, ...changes]) applyChange(merged, one)
  return listChanges(merged).map(({ at, set, clear }) => ({
    at,
    set: set.filter((value) => !known.has(JSON.stringify([at, ...value]))),
    clear: clear.filter((id) => !known.has(JSON.stringify([at, id]))),
  }))
}

function writeValues({ at, set, clear }: Change): string[] {
  return [...set.map((value) => JSON.stringify([at, ...value])), ...clear.map((id) => JSON.stringify([at, id]))]
}
