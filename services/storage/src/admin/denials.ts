import { withoutTrailing } from '@cairn/protocol'
import { applyAction, wrongUse } from '@cairn/service/admin'
import { countDenial, type DenylistRule, parseDenylist } from '../moderation/moderation.ts'
import type { AdminContext } from './admin-context.ts'

/** Effect of a rule: `deny` returns 410, `deny-by-law` 451, `allow` serves content that another list denies. */
export type DenialKind = 'deny' | 'deny-by-law' | 'allow'

/**
 * Adds a rule to the operator's own denylist, which takes precedence over all others. Replicas apply it within seconds.
 * @param target a CID, or /ipfs/… or /ipns/…; the rule also covers all paths below it
 * @throws CairnError USAGE for any other target
 */
export function addDenial(context: AdminContext, kind: DenialKind, target: string, reason: string) {
  const rule = writeRule(kind, target)
  return applyAction(context, async (trx) => {
    await trx.deleteFrom('denial').where('rule', 'in', allRules(target)).execute()
    const last = await trx
      .selectFrom('denial')
      .select(({ fn }) => fn.max<number | null>('position').as('position'))
      .executeTakeFirst()
    const position = Number(last?.position ?? 0) + 1
    await trx.insertInto('denial').values({ rule, position, reason, created_at: context.clock.now() }).execute()
    await countDenial(trx)
    return { action: kind === 'allow' ? 'allow' : 'deny', subject: target, reason, after: { rule } }
  })
}

/** Removes the operator's rules for a target; returns undefined if there are none. @throws CairnError USAGE */
export function removeDenial(context: AdminContext, target: string, reason: string | undefined) {
  const rules = allRules(target)
  return applyAction(context, async (trx) => {
    const removed = await trx.deleteFrom('denial').where('rule', 'in', rules).returning('rule').execute()
    if (removed.length === 0) return undefined
    await countDenial(trx)
    return { action: 'undeny', subject: target, reason, before: { rules: removed.map(({ rule }) => rule) } }
  })
}

/** Returns the operator's rules in the order they were added. */
export function listDenials({ db }: Pick<AdminContext, 'db'>) {
  return db.read.selectFrom('denial').select(['rule', 'reason', 'created_at']).orderBy('position').execute()
}

const allRules = (target: string): string[] =>
  (['deny', 'deny-by-law', 'allow'] as const).map((kind) => writeRule(kind, target))

function writeRule(kind: DenialKind, target: string): string {
  const path = target.startsWith('/') ? withoutTrailing(target, '/') : `/ipfs/${target}`
  const rule = `${kind === 'allow' ? '!' : ''}${path}/*${kind === 'deny-by-law' ? ' gateway_status:451' : ''}`
  const [parsed]: (DenylistRule | undefined)[] = /\s/.test(path) ? [] : parseDenylist(rule).rules
  if (parsed?.kind === 'path') return rule
  throw wrongUse(`${target} is neither a CID nor a path such as /ipfs/bafy… or /ipns/example.org`)
}
