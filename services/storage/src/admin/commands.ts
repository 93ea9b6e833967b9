import { CairnError, formatBytes, normalizeAddress } from '@cairn/protocol'
import { recordAction, reportActions, wrongUse } from '@cairn/service/admin'
import { checkStore, repairStore } from '../maintenance/maintain.ts'
import {
  type AccountState,
  blockAccount,
  deleteContent,
  listAccounts,
  readAccount,
  showUsage,
  unblockAccount,
} from './accounts.ts'
import { backupCommands } from './backup-commands.ts'
import { checkChain } from './check-chains.ts'
import { act, type Command, type CommandInput, withDatabase } from './command.ts'
import { requeueDeal } from './deals.ts'
import { addDenial, type DenialKind, listDenials, removeDenial } from './denials.ts'
import { adjustLedger } from './ledger.ts'
import { mergeNow } from './merge-packs.ts'
import { operatorSettingCommands } from './operator-settings.ts'
import { parseBytes } from './parse-bytes.ts'
import { rotateSecret } from './rotate-secret.ts'
import { verifyConfig } from './verify-config.ts'

/** Every command, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  'accounts list': {
    args: [],
    about: 'lists every account with its limit and usage',
    run: (input) =>
      withDatabase(input, async (context) => {
        for await (const account of listAccounts(context)) input.report(account, describeAccount(account))
        return true
      }),
  },
  'accounts show': {
    args: ['ACCOUNT'],
    about: 'shows one account',
    run: (input) => {
      const address = readAddress(input.args[0])
      return withDatabase(input, async ({ db }) => {
        const account = await readAccount(db.read, address)
        input.report(account, describeAccount(account))
        return true
      })
    },
  },
  'accounts usage': {
    args: ['ACCOUNT'],
    about: 'shows its usage, API keys, names, payments and ledger',
    run: (input) => {
      const address = readAddress(input.args[0])
      return withDatabase(input, async (context) => {
        const usage = await showUsage(context, address)
        const { apiKeys, names, payments, unfinishedUploads } = usage
        const counts = `  ${apiKeys} API keys, ${names} names, ${payments} payments, ${unfinishedUploads} unfinished uploads`
        const ledger = usage.ledger.map(
          ({ at, kind, bytes, note }) => `  ${timeOf(at)}  ${kind}  ${formatBytes(bytes)}  ${note}`,
        )
        input.report(usage, [describeAccount(usage), counts, ...ledger].join('\n'))
        return true
      })
    },
  },
  'accounts block': {
    args: ['ACCOUNT'],
    about: 'rejects its sign-ins and calls from now on; its files stay',
    run: (input) => {
      const [address, reason] = [readAddress(input.args[0]), needReason(input)]
      return act(input, (context) => blockAccount(context, address, reason))
    },
  },
  'accounts unblock': {
    args: ['ACCOUNT'],
    about: 'allows its sign-ins and calls again',
    run: (input) => {
      const address = readAddress(input.args[0])
      return act(input, (context) => unblockAccount(context, address, input.reason))
    },
  },
  'accounts delete': {
    args: ['ACCOUNT'],
    about: 'deletes all its files; their bytes are removed after the grace period',
    run: (input) => {
      const [address, reason] = [readAddress(input.args[0]), needReason(input)]
      return act(input, (context) => deleteContent(context, address, reason))
    },
  },
  'ledger adjust': {
    args: ['ACCOUNT', 'AMOUNT'],
    about: 'raises (10GiB) or lowers (-500MiB) its storage limit',
    run: (input) => {
      const [address, bytes, reason] = [readAddress(input.args[0]), parseBytes(input.args[1] ?? ''), needReason(input)]
      return act(input, (context) => adjustLedger(context, address, bytes, reason))
    },
  },
  ...operatorSettingCommands,
  check: {
    args: [],
    about: 'compares database and packs',
    run: async ({ config, report }) => (await checkStore(config, { readData: 0 }, report)).isWell,
  },
  repair: {
    args: [],
    about: 'fixes the findings of check; with SQLite the service must be stopped',
    run: repairLogged,
  },
  'merge-packs': {
    args: [],
    about: 'merges small packs now; with SQLite the service must be stopped. --dry-run counts them',
    run: mergeNow,
  },
  'verify-config': {
    args: [],
    about: 'checks that the settings fit together, and that the database, packs and folders exist',
    run: async ({ config, report }) => {
      const findings = await verifyConfig(config)
      for (const finding of findings) report(finding, `${finding.level}  ${finding.setting}: ${finding.problem}.`)
      const errors = findings.filter(({ level }) => level === 'error').length
      report(
        { kind: 'summary', errors, warnings: findings.length - errors },
        `Errors: ${errors}, warnings: ${findings.length - errors}.`,
      )
      return errors === 0
    },
  },
  'check-chains': {
    args: [],
    about: 'reads chain, newest block and payment contract from each endpoint, and compares them',
    run: async ({ config, report }) => {
      let isWell = true
      for (const network of config.payments.networks) {
        const chain = await checkChain(network)
        const problems = chain.findings.map(
          ({ endpoint, problem }) => `  ${endpoint === undefined ? '' : `endpoint ${endpoint}: `}${problem}.`,
        )
        const heads = chain.heads.map((head) => head ?? 'unknown').join(', ')
        report(chain, [`${chain.network} (chain ${chain.chainId}), newest blocks ${heads}`, ...problems].join('\n'))
        if (problems.length > 0) isWell = false
      }
      if (config.payments.networks.length === 0) report({ kind: 'summary', networks: 0 }, 'No chain is configured.')
      return isWell
    },
  },
  'deals requeue': {
    args: ['DEAL'],
    about: 'offers a deal to its provider again, immediately',
    run: (input) => {
      const number = readNumber(input.args[0])
      return act(input, (context) => requeueDeal(context, number))
    },
  },
  deny: {
    args: ['CID'],
    about: 'stops serving and storing it, and all paths below it, within seconds; --by-law returns 451 instead of 410',
    run: (input) => denyOrAllow(input, input.has('by-law') ? 'deny-by-law' : 'deny'),
  },
  allow: {
    args: ['CID'],
    about: 'serves it even if another list denies it',
    run: (input) => denyOrAllow(input, 'allow'),
  },
  undeny: {
    args: ['CID'],
    about: 'removes the rules of deny and allow for it',
    run: (input) => act(input, (context) => removeDenial(context, input.args[0] ?? '', input.reason)),
  },
  denials: {
    args: [],
    about: 'lists the rules of deny and allow',
    run: (input) =>
      withDatabase(input, async (context) => {
        for (const { rule, reason, created_at: at } of await listDenials(context))
          input.report({ rule, reason, at }, `${timeOf(at)}  ${rule}  ${reason}`)
        return true
      }),
  },
  ...backupCommands,
  'secret rotate': {
    args: [],
    about: 'seals every key again with CAIRN_STORAGE_SECRET that was sealed with CAIRN_STORAGE_SECRET_SECONDARY',
    run: rotate,
  },
  audit: {
    args: [],
    about: 'lists the actions of this tool, newest first',
    run: (input) =>
      withDatabase(input, async ({ db }) => {
        await reportActions(input, db)
        return true
      }),
  },
}

async function repairLogged(input: CommandInput): Promise<boolean> {
  const { config, report, isDryRun } = input
  if (isDryRun) return (await checkStore(config, { readData: 0 }, report)).isWell
  const { isWell } = await repairStore(config, report)
  return withDatabase(input, async ({ db, clock }) => {
    await db.write((trx) => recordAction(trx, { action: 'repair', subject: 'store', after: { isWell } }, clock.now()))
    return isWell
  })
}

function rotate(input: CommandInput): Promise<boolean> {
  const { secret: primary, secondarySecret: secondary } = input.config
  if (primary === undefined || secondary === undefined) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: 'A rotation requires the new secret and the old one',
      hint: 'Set CAIRN_STORAGE_SECRET to the new one and CAIRN_STORAGE_SECRET_SECONDARY to the old one. See docs/operate/upgrade.md.',
    })
  }
  return withDatabase(input, async (context) => {
    const { sealed, left } = await rotateSecret(context, { primary, secondary })
    input.report({ kind: 'summary', sealed, left, isDryRun: input.isDryRun }, `${sealed} keys sealed, ${left} left.`)
    return left === 0 || input.isDryRun
  })
}

function denyOrAllow(input: CommandInput, kind: DenialKind): Promise<boolean> {
  const reason = needReason(input)
  return act(input, (context) => addDenial(context, kind, input.args[0] ?? '', reason))
}

function describeAccount({ address, limitBytes, usedBytes, files, blockedAt, blockReason }: AccountState): string {
  const block = blockedAt === null ? '' : `  blocked ${timeOf(blockedAt)}: ${blockReason ?? ''}`
  const count = `${files} ${files === 1 ? 'file' : 'files'}`
  return `${address}  ${formatBytes(usedBytes)} of ${formatBytes(limitBytes)} in ${count}${block}`
}

const timeOf = (ms: number): string => new Date(ms).toISOString()

function readAddress(text: string | undefined): string {
  const address = normalizeAddress(text ?? '')
  if (address === '') throw wrongUse(`${text ?? ''} is not the address of an account`)
  return address
}

function readNumber(text: string | undefined): number {
  if (!/^\d{1,15}$/.test(text ?? '')) throw wrongUse(`${text ?? ''} is not the number of a deal`)
  return Number(text)
}

function needReason({ reason }: CommandInput): string {
  if (reason === undefined || reason.trim() === '') throw wrongUse('--reason is required. The audit log contains it')
  return reason
}
