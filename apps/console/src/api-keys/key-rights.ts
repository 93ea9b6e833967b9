import { type Scope, scopes } from '@cairn/protocol'

/** The rights of a key, in three steps that people can choose from, least first. */
export const rights = ['read', 'write', 'all'] as const
export type Rights = (typeof rights)[number]

export const scopesOf: Record<Rights, readonly Scope[]> = {
  all: scopes,
  write: ['files:read', 'files:write'],
  read: ['files:read'],
}

/** Returns the level of a set of scopes; `other` for any other set. */
export function rightsOf(held: readonly Scope[]): Rights | 'other' {
  return (
    rights.find(
      (one) => scopesOf[one].length === held.length && scopesOf[one].every((scope) => held.includes(scope)),
    ) ?? 'other'
  )
}
