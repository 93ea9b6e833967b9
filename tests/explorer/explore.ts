// Explores the rights of a file for as long as requested: `npm run explore -- --help` lists the options.
import { parseArgs } from 'node:util'
import { createExplorer, isCertain } from './explorer.ts'
import { liarNames } from './liars.ts'
import { scenarios } from './scenarios.ts'
import { type Breach, searchAll } from './search.ts'
import { walkOnce } from './walk.ts'

const usage = `npm run explore -- [options]
  --scenario=<regex>   the scenarios whose names match; all of them
  --crashes=<n>        how often nodes end in between; 0
  --faults=<n>         how many requests and answers are lost, late or doubled; 0
  --sweeps=<n>         how often the nodes sweep, a day and a half later; 0
  --fine               single reads and settling nodes are steps of their own
  --liar=<name|all>    how one node lies: ${liarNames.join('; ')}
  --liar-node=<1-5>    which node lies; 3
  --max=<n>            worlds of a scenario at most, the nearest first; 200000
  --walks=<n>          goes so many random ways through each scenario, instead of visiting all its worlds
  --seed=<n>           the first way's number; defaults to the time
`

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: '' },
    crashes: { type: 'string', default: '0' },
    faults: { type: 'string', default: '0' },
    sweeps: { type: 'string', default: '0' },
    fine: { type: 'boolean', default: false },
    liar: { type: 'string' },
    'liar-node': { type: 'string', default: '3' },
    max: { type: 'string', default: '200000' },
    walks: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const print = (line: string) => process.stdout.write(`${line}\n`)

async function explore(): Promise<void> {
  const explorer = await createExplorer()
  const bounds = {
    crashes: Number(values.crashes),
    faults: Number(values.faults),
    sweeps: Number(values.sweeps),
    isFine: values.fine,
  }
  const liarNode = values.liar === undefined ? undefined : Number(values['liar-node'])
  const wanted = scenarios.filter(
    (scenario) => new RegExp(values.scenario).test(scenario.name) && isCertain(scenario, liarNode),
  )
  const lies = values.liar === undefined ? [undefined] : values.liar === 'all' ? liarNames : [values.liar]
  const firstSeed = Number(values.seed ?? Date.now() % 2 ** 31)
  let breaches = 0
  for (const scenario of wanted) {
    for (const lie of lies) {
      const liar = lie === undefined || liarNode === undefined ? undefined : { node: liarNode, name: lie }
      const { rules, world } = await explorer.open(scenario, bounds, liar)
      const before = process.cpuUsage()
      let breach: Breach | undefined
      let sentence: string
      if (values.walks === undefined) {
        const found = await searchAll(rules, world, scenario.start, Number(values.max))
        breach = found.breach
        sentence = `${found.isWhole || breach !== undefined ? '' : 'not all: '}${found.worlds} worlds, ${found.ends} ends`
      } else {
        const last = firstSeed + Number(values.walks)
        let seed = firstSeed
        for (; seed < last && breach === undefined; seed++) breach = await walkOnce(rules, world, scenario.start, seed)
        sentence = breach === undefined ? `ways ${firstSeed} to ${seed - 1}` : `way ${seed - 1}`
      }
      const { user, system } = process.cpuUsage(before)
      const name = `${scenario.name}${lie === undefined ? '' : ` [node ${liarNode} ${lie}]`}`
      print(
        `${breach === undefined ? 'holds' : 'BREACH'}  ${name}: ${sentence}, ${Math.round((user + system) / 1e3)} ms of processor`,
      )
      if (breach === undefined) continue
      breaches++
      print([`  ${breach.what}`, ...breach.trace.map((line) => `    ${line}`)].join('\n'))
    }
  }
  print(`${wanted.length} scenarios, ${breaches} breaches; ${JSON.stringify(explorer.nodes.counts)} requests at nodes`)
  process.exitCode = breaches === 0 && wanted.length > 0 ? 0 : 1
}

if (values.help) process.stdout.write(usage)
else await explore()
