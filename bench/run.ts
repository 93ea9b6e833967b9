// `npm run bench [-- names… --runs N --size MiB --against FOLDER --record]`: ratios measured in pairs within one run.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { besideDealsBench } from './beside-deals.ts'
import { consoleBench } from './console.ts'
import { consoleEncryptionBench } from './console-encryption.ts'
import { consoleInputsBench } from './console-inputs.ts'
import { downloadsBench } from './downloads.ts'
import { driveBench } from './drive.ts'
import { encryptionBench } from './encryption.ts'
import { folderBench } from './folder.ts'
import { gatewayBench } from './gateway.ts'
import { keysBench } from './keys.ts'
import { listingBench } from './listing.ts'
import { proofsBench } from './proofs.ts'
import { recordSections } from './record-sections.ts'
import { type Bench, formatRows, type Row } from './report.ts'
import { s3Bench } from './s3.ts'
import { searchBench, searchPostgresBench } from './search.ts'
import { startBench } from './start.ts'
import { uploadCostBench } from './upload-cost.ts'
import { uploadsBench } from './uploads.ts'

const benches: Bench[] = [
  uploadsBench,
  besideDealsBench,
  gatewayBench,
  downloadsBench,
  s3Bench,
  folderBench,
  listingBench,
  driveBench,
  searchBench,
  searchPostgresBench,
  startBench,
  keysBench,
  encryptionBench,
  consoleEncryptionBench,
  proofsBench,
  consoleBench,
  consoleInputsBench,
  uploadCostBench,
]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    size: { type: 'string', default: '1024' },
    against: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
})

const root = resolve(import.meta.dirname, '..')
mkdirSync(join(root, '.cache'), { recursive: true })
const chosen = positionals.length === 0 ? benches : benches.filter((bench) => positionals.includes(bench.name))
if (chosen.length === 0) throw new Error(`no such bench; there are ${benches.map((bench) => bench.name).join(', ')}`)

const all: { bench: Bench; rows: Row[] }[] = []
for (const bench of chosen) {
  console.log(`\n## ${bench.name}: ${bench.about}\n`)
  const scratch = mkdtempSync(join(root, '.cache', 'bench-'))
  try {
    const largeBytes = Number(values.size) * 1024 * 1024
    const rows = await bench.run({ scratch, runs: Number(values.runs), largeBytes, against: values.against })
    console.log(formatRows(rows))
    all.push({ bench, rows })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

if (values.record) {
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const command = `npm run bench -- ${[...positionals, `--runs ${values.runs}`, `--size ${values.size}`, ...(values.against === undefined ? [] : ['--against FOLDER'])].join(' ')}`
  const stamp = `Measured ${new Date().toISOString().slice(0, 10)} at ${commit} on ${machine}, with \`${command}\`.`
  const file = join(root, 'docs', 'benchmarks.md')
  const sections = all.map(({ bench, rows }) => ({
    name: bench.name,
    text: `${bench.about} ${stamp}\n\n${formatRows(rows)}`,
  }))
  writeFileSync(file, recordSections(readFileSync(file, 'utf8'), sections))
  console.log(`\nrecorded in docs/benchmarks.md`)
}
