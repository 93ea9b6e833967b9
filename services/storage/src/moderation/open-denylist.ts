import { join } from 'node:path'
import type { StorageConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { readDenialCount, readDenials } from './denials.ts'
import { createDenylist, type Denylist } from './denylist.ts'
import { type ListFile, readListFiles } from './list-files.ts'
import { createRuleSet } from './match-rules.ts'
import { type ParsedDenylist, parseDenylist } from './parse-denylist.ts'
import { createSubscription } from './subscription.ts'

/** Interval at which a replica checks for new rules of the operator and changed files, in ms. */
const watchEveryMs = 2000
/** Maximum time that a start waits for lists without a copy, in ms. */
const firstFetchMs = 30_000

/** Name of the operator's own rules among the lists. */
const ownName = 'cairn-admin'

type Parts = Pick<Context, 'db' | 'log' | 'failures' | 'metrics'> & { config: StorageConfig }

/** A denylist that is kept up to date. */
export type OpenDenylist = {
  readonly denylist: Denylist
  /** Checks for changes now. Fetches only URLs without a copy. */
  refresh(): Promise<void>
  /** Returns a worker that checks for changes every two seconds, and one that fetches URLs at the configured interval. */
  workers(clock: WorkerClock): Worker[]
}

/**
 * Opens the denylist: lists from URLs, then files in the order of their names, then the operator's own rules. Later rules take
 * precedence. If a list is unreadable or its header is invalid, the failure is logged and the previous list stays in effect.
 */
export function openDenylist({ config, db, log, failures, metrics }: Parts): OpenDenylist {
  const denylist = createDenylist(config.reportAddress)
  const subscriptions = config.denylistUrls.map((url) =>
    createSubscription(url, { folder: join(config.home, 'denylists'), everyMs: config.denylistRefreshMs, failures }),
  )
  /** Last version read of each list, by name. */
  const known = new Map<string, { version: string; parsed: ParsedDenylist }>()
  let lastVersions = ''

  /** Parses a list again if it changed. */
  const take = ({ name, version, text }: ListFile): void => {
    if (known.get(name)?.version === version) return
    try {
      const parsed = parseDenylist(text, name === ownName ? 'below' : 'prefix')
      known.set(name, { version, parsed })
      const about = { list: name, rules: parsed.rules.length }
      if (parsed.failures.length === 0) log.info(about, 'denylist loaded')
      else
        log.warn(
          { ...about, failures: parsed.failures.length, first: parsed.failures[0] },
          'denylist has invalid lines',
        )
    } catch (error) {
      // Keeps the previous rules, and logs each version once.
      known.set(name, { version, parsed: known.get(name)?.parsed ?? { name: undefined, rules: [], failures: [] } })
      log.error({ err: error, list: name }, 'failed to read a denylist')
    }
  }

  const refresh = async (): Promise<void> => {
    const lists: ListFile[] = []
    for (const subscription of subscriptions) {
      const list = await subscription.read()
      if (list !== undefined) lists.push(list)
    }
    lists.push(...(await readListFiles(config.denylistFiles, known, failures)))
    const version = `${await readDenialCount(db)}`
    const isNew = known.get(ownName)?.version !== version
    lists.push({ name: ownName, version, text: isNew ? await readDenials(db) : '' })
    const versions = JSON.stringify(lists.map((list) => [list.name, list.version]))
    if (versions === lastVersions) return
    for (const list of lists) take(list)
    const names = new Set(lists.map(({ name }) => name))
    for (const name of known.keys()) if (!names.has(name)) known.delete(name)
    denylist.replace(createRuleSet(lists.flatMap(({ name }) => known.get(name)?.parsed.rules ?? [])))
    metrics.denylistRules.set(denylist.size)
    lastVersions = versions
  }

  return {
    denylist,
    async refresh() {
      const limit = AbortSignal.timeout(firstFetchMs)
      await Promise.all(
        subscriptions.map(async (subscription) => {
          if ((await subscription.read()) === undefined) await subscription.update(limit)
        }),
      )
      await refresh()
    },
    workers(clock) {
      const onError = (error: unknown) =>
        failures.failed('denylist', error, 'failed to refresh the denylist', { worker: 'denylist' })
      const watch = createLoop('denylist', watchEveryMs, clock, refresh, onError)
      if (subscriptions.length === 0) return [watch]
      // A separate loop, so that a slow publisher delays no takedown.
      const update = (signal: AbortSignal) =>
        Promise.all(subscriptions.map((subscription) => subscription.update(signal))).then(() => undefined)
      return [watch, createLoop('denylist-urls', watchEveryMs, clock, update, onError)]
    },
  }
}
