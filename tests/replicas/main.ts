// `npm run test:replicas`: three replicas in PID namespaces behind balancers, on PostgreSQL and S3, under load; each part
// stops in turn. Exits with 1 if anything acknowledged was lost or any byte was wrong.
import { parseArgs } from 'node:util'
import { runReplicas } from './run-replicas.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    calm: { type: 'string', default: '5' },
    outage: { type: 'string', default: '60' },
  },
})
console.log(`seed ${values.seed}`)
const report = await runReplicas({
  seed: Number(values.seed),
  calmMs: Number(values.calm) * 1000,
  outageMs: Number(values.outage) * 1000,
  log: console.log,
})
const { acknowledged, acknowledgedBytes, lost, wrong } = report
console.log(
  `${acknowledged} uploads acknowledged (${Math.round(acknowledgedBytes / 2 ** 20)} MiB), ${lost.length} lost, ${wrong.length} wrong answers`,
)
for (const line of [...lost, ...wrong].slice(0, 20)) console.log(line)
if (lost.length + wrong.length > 0 || acknowledged === 0) process.exitCode = 1
