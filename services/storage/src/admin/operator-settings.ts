import { formatBytes } from '@cairn/protocol'
import { applyAction, wrongUse } from '@cairn/service/admin'
import {
  changeOperatorSetting,
  listStoragePrices,
  type OperatorSetting,
  operatorSettings,
  readFreeSettings,
  readStoragePrice,
  unlimited,
} from '../ledger/ledger.ts'
import type { AdminContext } from './admin-context.ts'
import { act, type Command, withDatabase } from './command.ts'
import { parseBytes } from './parse-bytes.ts'

/** The value that returns to the service's settings. */
const fallback = 'default'

/** Bounds of free storage by the names of their arguments. */
const freeNames: Readonly<Record<string, { name: OperatorSetting; isBytes: boolean; mayBeUnlimited: boolean }>> = {
  account: { name: operatorSettings.freeBytes, isBytes: true, mayBeUnlimited: false },
  total: { name: operatorSettings.freeTotalBytes, isBytes: true, mayBeUnlimited: true },
  'accounts-per-day': { name: operatorSettings.freeAccountsPerDay, isBytes: false, mayBeUnlimited: true },
}

/** Commands for the price of storage and the limits of free storage. */
export const operatorSettingCommands: Readonly<Record<string, Command>> = {
  'price list': {
    args: [],
    about: 'lists the prices of storage in US dollars per GiB, newest first',
    run: (input) =>
      withDatabase(input, async ({ db }) => {
        for (const price of await listStoragePrices(db.read)) {
          const from = price.effectiveAt === 0 ? 'from the start' : `from ${new Date(price.effectiveAt).toISOString()}`
          input.report(price, `${price.usdPerGib} USD per GiB  ${from}`)
        }
        return true
      }),
  },
  'price set': {
    args: ['USD'],
    about: 'sets the price per GiB from now on; payments within ten minutes buy at the lower price',
    run: (input) => {
      const usdPerGib = parseUsd(input.args[0] ?? '')
      return act(input, (context) => changePrice(context, usdPerGib, input.reason))
    },
  },
  'free show': {
    args: [],
    about: 'shows the limits of free storage',
    run: (input) =>
      withDatabase(input, async ({ db, config }) => {
        const free = describeFree(await readFreeSettings(db.read, config))
        const { accountBytes, totalBytes, accountsPerDay } = free
        const lines = [
          `account  ${formatBytes(accountBytes)}`,
          `total  ${totalBytes === null ? unlimited : formatBytes(totalBytes)}`,
          `accounts-per-day  ${accountsPerDay ?? unlimited}`,
        ]
        input.report(free, lines.join('\n'))
        return true
      }),
  },
  'free set': {
    args: ['account|total|accounts-per-day', 'VALUE'],
    about: `sets a limit of free storage from now on: 10GiB, 0, ${unlimited}, or ${fallback} for the value in the settings`,
    run: (input) => {
      const [what = '', text = ''] = input.args
      const bound = Object.hasOwn(freeNames, what) ? freeNames[what] : undefined
      if (bound === undefined) throw wrongUse(`${what} is not one of ${Object.keys(freeNames).join(', ')}`)
      const value = parseBound(text, bound)
      return act(input, (context) => changeFree(context, bound.name, what, value, input.reason))
    },
  },
}

/**
 * Changes the price of storage. Accounts keep what they bought.
 * @returns undefined if it is the price already
 */
function changePrice(context: AdminContext, usdPerGib: number, reason: string | undefined) {
  return applyAction(context, async (trx) => {
    const before = await readStoragePrice(trx)
    if (before.usdPerGib === usdPerGib) return undefined
    const now = context.clock.now()
    const effectiveAt = await changeOperatorSetting(trx, operatorSettings.price, String(usdPerGib), now)
    return { action: 'price set', subject: 'USD per GiB', reason, before, after: { usdPerGib, effectiveAt } }
  })
}

/** Changes a limit of free storage. Allowances that accounts have already received stay. */
function changeFree(
  context: AdminContext,
  name: OperatorSetting,
  subject: string,
  value: string | null,
  reason: string | undefined,
) {
  return applyAction(context, async (trx) => {
    const before = describeFree(await readFreeSettings(trx, context.config))
    await changeOperatorSetting(trx, name, value, context.clock.now())
    const after = describeFree(await readFreeSettings(trx, context.config))
    return { action: 'free set', subject, reason, before, after }
  })
}

/** JSON has no undefined: null means no bound. */
function describeFree(free: Awaited<ReturnType<typeof readFreeSettings>>) {
  return {
    accountBytes: free.freeBytes,
    totalBytes: free.freeTotalBytes ?? null,
    accountsPerDay: free.freeAccountsPerDay ?? null,
  }
}

function parseUsd(text: string): number {
  const usd = /^\d{1,6}(\.\d{1,8})?$/.test(text) ? Number(text) : 0
  if (usd === 0) throw wrongUse(`${text} is not a price in US dollars such as 4 or 0.25`)
  return usd
}

function parseBound(
  text: string,
  { isBytes, mayBeUnlimited }: { isBytes: boolean; mayBeUnlimited: boolean },
): string | null {
  if (text === fallback) return null
  if (text === '0') return text
  if (text === unlimited && mayBeUnlimited) return text
  if (isBytes) {
    const bytes = parseBytes(text)
    if (bytes > 0) return String(bytes)
  } else if (/^[1-9]\d{0,8}$/.test(text)) return text
  throw wrongUse(`${text} is not a value for this bound`)
}
