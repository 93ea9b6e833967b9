// `npm run soak -- 60`: leaves the network alone for this many minutes (default 15).
import { soak } from './soak.ts'

const [given = '15'] = process.argv.slice(2)
const minutes = Number(given)
if (!(minutes > 0)) {
  console.error(`${given} is no number of minutes. Usage: npm run soak -- 60`)
  process.exit(2)
}
const report = await soak(minutes, console.log)
console.log(report)
if (report.exitCode !== 0 || report.left.length > 0) process.exitCode = 1
