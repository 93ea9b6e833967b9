// A key node in its own process, killed at random moments while keys are saved: it keeps everything it acknowledged.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createSessionKey,
  proofHeader,
  signMessage,
  signRequest,
  walletFromPrivateKey,
  writeSignIn,
} from '@cairn/crypto'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create } from 'multiformats/hashes/digest'
import { generatePrivateKey } from 'viem/accounts'
import { expect, test, vi } from 'vitest'
import { programEnvironment } from '../program-environment.ts'

const program = resolve(import.meta.dirname, '../../services/keynode/src/main.ts')
const seed = Number(process.env['CAIRN_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const lives = 12

type Running = { child: ChildProcess; url: string }

async function start(home: string): Promise<Running> {
  const child = spawn(
    process.execPath,
    ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', program],
    {
      env: {
        ...programEnvironment,
        CAIRN_KEYNODE_NUMBER: '1',
        CAIRN_KEYNODE_HOME: home,
        CAIRN_KEYNODE_PORT: '0',
        CAIRN_KEYNODE_DOMAINS: 'keys.test',
        CAIRN_KEYNODE_SECRET: '11'.repeat(32),
        CAIRN_RATE_FACTOR: '0',
        CAIRN_LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  const [message]: unknown[] = await once(child, 'message')
  if (typeof message !== 'object' || message === null || !('url' in message))
    throw new Error('the node did not say where it is')
  return { child, url: String(message.url) }
}

const cidOf = (text: string) =>
  CID.create(1, raw.code, create(0x12, createHash('sha256').update(text).digest())).toString()

test(`keeps every acknowledged shard through ${lives} kills, and no other`, { timeout: 600_000 }, async () => {
  console.log(`seed ${seed}: repeat with CAIRN_TEST_SEED=${seed}`)
  const home = mkdtempSync(join(tmpdir(), 'cairn-kill-'))
  const wallet = walletFromPrivateKey(generatePrivateKey())
  const address = wallet.address.toLowerCase()
  const sessionKey = createSessionKey()
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return state / 2 ** 32
  }
  let node = await start(home)
  let token = ''
  const call = async (method: string, path: string, body: object) => {
    const text = JSON.stringify(body)
    const proof = signRequest({ method, path, node: 1, body: text, token }, sessionKey.secretKey, Date.now())
    const answer = await fetch(`${node.url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}`, [proofHeader]: proof }),
      },
      body: text,
    })
    return { status: answer.status, json: JSON.parse(await answer.text()) }
  }
  try {
    const subject = {
      id: crypto.randomUUID(),
      domain: 'keys.test',
      address,
      issuedAt: Date.now(),
      expiresAt: Date.now() + 600_000,
    }
    const { nonce } = (await call('POST', '/api/keys/nonce/1', subject)).json
    const nonces = [nonce, undefined, undefined, undefined, undefined]
    const message = writeSignIn({ ...subject, network: 'local', nonces, sessionKey: sessionKey.publicKey })
    const opened = await call('POST', '/api/keys/session/1', {
      address,
      messages: [message],
      signature: signMessage(wallet.privateKey, message),
    })
    token = opened.json.token
    const acknowledged = new Map<string, { key: string; index: string }>()
    let count = 0
    for (let life = 0; life < lives; life++) {
      let isOver = false
      const save = async () => {
        while (!isOver) {
          const name = `file ${count++}`
          const payload = { key: name, index: String(life) }
          try {
            const { status } = await call('POST', '/api/setSharedKey/1', { address, cid: cidOf(name), payload })
            if (status === 200) acknowledged.set(cidOf(name), payload)
          } catch {
            // Interrupted: the client does not know whether it was saved.
            return
          }
        }
      }
      const saving = [save(), save(), save()]
      // During the first saves, or after up to three: however slow the machine is, some are acknowledged.
      const wanted = acknowledged.size + (life % 4)
      await vi.waitUntil(() => acknowledged.size >= wanted, { interval: 1, timeout: 60_000 })
      await wait(random() * 250)
      const gone = once(node.child, 'exit')
      node.child.kill('SIGKILL')
      isOver = true
      await Promise.all([gone, ...saving])
      node = await start(home)
      for (const [cid, payload] of [...acknowledged].slice(-40)) {
        const { status, json } = await call('POST', '/api/retrieveSharedKey/1', { address, cid })
        expect([status, json.payload], `${cid} in life ${life}`).toEqual([200, payload])
      }
    }
    expect(acknowledged.size).toBeGreaterThan(lives)
    for (const [cid, payload] of acknowledged)
      expect((await call('POST', '/api/retrieveSharedKey/1', { address, cid })).json.payload).toEqual(payload)
    // The signed text was spent before the first kill, and still is.
    token = ''
    expect(
      (
        await call('POST', '/api/keys/session/1', {
          address,
          messages: [message],
          signature: signMessage(wallet.privateKey, message),
        })
      ).status,
    ).toBe(401)
    console.log(`${acknowledged.size} shards acknowledged in ${lives} lives`)
  } finally {
    const gone = once(node.child, 'exit')
    if (node.child.kill('SIGTERM')) await gone
    rmSync(home, { recursive: true, force: true })
  }
})
