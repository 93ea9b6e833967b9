import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { uploadFile } from '@cairn/sdk'
import { untilProven } from '../tests/until-proven.ts'
import { kuboIfBuilt } from './kubo.ts'
import { makeFile } from './material.ts'
import { openClient, startNetwork } from './network.ts'
import { runProgram, stopProgram } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, median, pairedRatio, type Row, speedRow } from './report.ts'

/** Downloads of each side before those that are measured: the service reads a large file twice past the page cache (0520). */
const warmUps = 3

/** Starts nginx with sendfile over a folder, on a free port of loopback; undefined if it is not installed. */
async function startNginx(folder: string, scratch: string): Promise<({ url: string } & AsyncDisposable) | undefined> {
  const port = await new Promise<number>((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(address !== null && typeof address === 'object' ? address.port : 0))
    })
  })
  const config = join(scratch, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; worker_processes 1; pid ${scratch}/nginx.pid; error_log stderr error;
user root;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; client_body_temp_path ${scratch}/t1; proxy_temp_path ${scratch}/t2; fastcgi_temp_path ${scratch}/t3; uwsgi_temp_path ${scratch}/t4; scgi_temp_path ${scratch}/t5;
  server { listen 127.0.0.1:${port}; root ${folder}; } }`,
  )
  const child = spawn('nginx', ['-c', config, '-p', scratch], { stdio: ['ignore', 'ignore', 'inherit'] })
  const failed = await new Promise<boolean>((done) => {
    child.once('error', () => done(true))
    child.once('spawn', () => done(false))
  })
  if (failed) {
    console.log('nginx is not installed: no comparison with it (Debian: nginx-light)')
    return undefined
  }
  const url = `http://127.0.0.1:${port}`
  // Ready when it answers; the time limit bounds the attempts.
  const limit = AbortSignal.timeout(10_000)
  for (;;) {
    limit.throwIfAborted()
    const answer = await fetch(url).catch(() => undefined)
    if (answer !== undefined) break
    await new Promise((done) => setTimeout(done, 20))
  }
  return { url, [Symbol.asyncDispose]: () => stopProgram(child) }
}

async function curlMs(url: string): Promise<number> {
  const done = await runProgram('curl', [
    '--silent',
    '--fail',
    '--output',
    '/dev/null',
    '--write-out',
    '%{time_total}',
    url,
  ])
  return Number(done.stdout) * 1000
}

/** Requests per second with 32 connections; undefined if `wrk` is not installed. */
async function requestsPerSecond(url: string): Promise<number | undefined> {
  try {
    const done = await runProgram('wrk', ['--threads', '1', '--connections', '32', '--duration', '3s', url])
    if (/Non-2xx|Socket errors/.test(done.stdout)) throw new Error(done.stdout)
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(done.stdout)?.[1])
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      console.log('wrk is not installed: no requests per second (Debian: wrk)')
      return undefined
    }
    throw error
  }
}

async function run({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  await using network = await startNetwork(join(scratch, 'home'))
  const client = await openClient(network)
  const served = join(scratch, 'served')
  mkdirSync(served)
  const large = join(served, 'large.bin')
  const small = join(served, 'small.bin')
  makeFile(large, largeBytes)
  makeFile(small, 4096)
  const largeCid = (await uploadFile(client, large)).cid
  const smallCid = (await uploadFile(client, small)).cid
  // No deals compete with the reads.
  for (const cid of [largeCid, smallCid]) await untilProven(client, cid)
  await using nginx = await startNginx(served, scratch)
  const kubo = await kuboIfBuilt(join(scratch, 'kubo'))
  await using daemon = await kubo?.startGateway([small, large])
  const gateway = { url: `${network.profile.gateway}/ipfs/${largeCid}`, times: [] as number[] }
  const others = [
    { name: 'Kubo', url: daemon?.urls[1], times: [] as number[], minRatio: 1 },
    { name: 'nginx sendfile', url: nginx && `${nginx.url}/large.bin`, times: [] as number[], minRatio: 0.38 },
  ]
  for (let round = -warmUps; round < runs; round++) {
    for (const { url, times } of [gateway, ...others]) {
      if (url === undefined) continue
      const ms = await curlMs(url)
      if (round >= 0) times.push(ms)
    }
  }
  const rows = others
    .filter(({ url }) => url !== undefined)
    .map(({ name, times, minRatio }) =>
      speedRow({
        what: 'gateway, one large file, every block’s hash checked',
        oursMs: gateway.times,
        against: name,
        theirsMs: times,
        minRatio,
        amount: largeBytes / 2 ** 20,
        unit: 'MiB',
      }),
    )
  const smallUrl = `${network.profile.gateway}/ipfs/${smallCid}`
  const oursRate: number[] = []
  const kuboRate: number[] = []
  for (let i = 0; i < runs; i++) {
    const rate = await requestsPerSecond(smallUrl)
    if (rate === undefined) break
    oursRate.push(rate)
    if (daemon !== undefined) kuboRate.push((await requestsPerSecond(daemon.urls[0] ?? '')) ?? Number.NaN)
  }
  if (oursRate.length > 0) {
    const ratio = kuboRate.length > 0 ? pairedRatio(oursRate, kuboRate) : undefined
    rows.push({
      what: 'gateway, 4 KiB file, 32 connections',
      ours: `${formatNumber(median(oursRate))} requests/s`,
      against:
        kuboRate.length > 0
          ? `Kubo: ${formatNumber(median(kuboRate))} requests/s`
          : 'Kubo is not built here (npm run interop:install)',
      ratio,
      goal: '≥ 5',
      reached: ratio === undefined ? undefined : ratio >= 5,
    })
  }
  return rows
}

export const gatewayBench: Bench = {
  name: 'gateway',
  about: 'Downloads from the gateway, with a warm page cache on each side.',
  run,
}
