import { type Scope, scopes } from '@cairn/protocol'

/** What a key may do, in three steps that people can choose from. */
export const rights = ['all', 'write', 'read'] as const
export type Rights = (typeof rights)[number]

export const scopesOf: Record<Rights, readonly Scope[]> = {
  all: scopes,
  write: ['files:read', 'files:write'],
  read: ['files:read'],
}

/** The step that scopes amount to; `other` for sets that are none of them. */
export function rightsOf(held: readonly Scope[]): Rights | 'other' {
  return (
    rights.find(
      (one) => scopesOf[one].length === held.length && scopesOf[one].every((scope) => held.includes(scope)),
    ) ?? 'other'
  )
}
