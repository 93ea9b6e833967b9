/** Variables of an environment. */
export type Environment = Record<string, string | undefined>

/** Returns the variables that a program reads, and those of other programs. */
export function pickSettings(environment: Environment, names: readonly string[]): Environment {
  const known = new Set(names.flatMap((name) => [name, `${name}_FILE`]))
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('CAIRN_') || known.has(name)),
  )
}
