import { CairnError, type InspectedNetwork } from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { type CommandContext, flag } from '../command.ts'

async function show({ session, output }: CommandContext): Promise<void> {
  const found = await session.inspectNetwork()
  const {
    name,
    api,
    gateway,
    keyRouter,
    keyNodes = [],
    chain,
    chains = chain === undefined ? [] : [chain],
  } = found.profile
  const contracts = chains.flatMap(({ name: of, paymentContract: address }) =>
    address === undefined ? [] : [{ of, address }],
  )
  output.result(
    {
      ...toJson(found),
      api,
      gateway,
      keyRouter,
      keyNodes,
      paymentContracts: contracts.map(({ of, address }) => ({ chain: of, address })),
    },
    [
      `Network     ${name}`,
      ...(found.url === undefined ? [] : [`Profile     ${found.url}`]),
      `API         ${api}`,
      `Gateway     ${gateway}`,
      ...(keyRouter === undefined ? [] : [`Key router  ${keyRouter}`]),
      ...keyNodes.map((url, i) => `Key node ${i + 1}  ${url}`),
      ...contracts.map(({ of, address }) => `Payments    ${address} on ${of}`),
      ...describeChanges(found),
    ],
    name,
  )
}

async function trust(context: CommandContext): Promise<void> {
  const { session, output, prompt, values } = context
  const found = await session.inspectNetwork()
  if (found.url === undefined) {
    throw new CairnError('USAGE', {
      message: 'The profile of this network is a file, which is always trusted',
      hint: 'Use --network <URL>.',
    })
  }
  if (found.changes.length > 0 && !flag(values, 'yes')) {
    for (const line of describeChanges(found)) output.note(line)
    if (!(await prompt.confirm('Send keys and payments to the new addresses?'))) throw new CairnError('ABORTED')
  }
  await found.trust()
  output.result(toJson(found), `The addresses of ${found.url} are trusted.`, found.url)
}

function toJson({ profile, url, changes }: InspectedNetwork) {
  return { network: profile.name, ...(url === undefined ? {} : { profile: url }), changes }
}

function describeChanges({ changes }: InspectedNetwork): string[] {
  return changes.flatMap(({ what, before, now }) => [`Changed: ${what}`, `  before  ${before}`, `  now     ${now}`])
}

const actions: Actions = { show, trust }

export const network = actionCommand(actions, {
  name: 'network',
  summary: 'Show which addresses receive keys and payments, or trust changed ones',
  usage: '',
  defaultAction: 'show',
  arity: [0, 1],
  options: { yes: { type: 'boolean', short: 'y', about: 'skip the confirmation' } },
  examples: ['cairn network', 'cairn network trust --network https://storage.example.com'],
})
