import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIP } from 'node:net'
import { decodeTextAnswer, encodeTextQuestion, type TextAnswer } from './dns-message.ts'

const timeoutMs = 2000
/** Number of queries per server before the next one. */
const maxRounds = 2
const port = 53

/** Queries servers in order for the TXT records of a name and their TTL, which the system's resolver omits. */
export type DnsClient = { queryText(name: string): Promise<TextAnswer> }

/** @param servers addresses, optionally with a port (`1.1.1.1`, `[::1]:5353`); no other server is ever queried */
export function createDnsClient(servers: readonly string[]): DnsClient {
  const addresses = servers.map(readAddress)
  return {
    async queryText(name) {
      let last: TextAnswer = { kind: 'failed', code: 2 }
      for (let round = 0; round < maxRounds; round++) {
        for (const address of addresses) {
          const answer = await queryOne(address, name)
          if (answer !== undefined && answer.kind !== 'failed') return answer
          last = answer ?? last
        }
      }
      return last
    },
  }
}

type Address = { host: string; port: number }

function readAddress(server: string): Address {
  if (isIP(server) !== 0) return { host: server, port }
  const [, host = '', own] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(server) ?? []
  return { host, port: own === undefined ? port : Number(own) }
}

async function queryOne(address: Address, name: string): Promise<TextAnswer | undefined> {
  const answer = await queryDatagram(address, name)
  return answer?.kind === 'truncated' ? queryStream(address, name) : answer
}

/**
 * Queries over UDP, from an unpredictable port with an unpredictable id; only answers from the queried server count.
 */
function queryDatagram({ host, port: to }: Address, name: string): Promise<TextAnswer | undefined> {
  const id = randomInt(0x10000)
  const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4')
  return new Promise((resolve) => {
    let isOpen = true
    const end = (answer: TextAnswer | undefined) => {
      clearTimeout(timer)
      if (isOpen) socket.close()
      isOpen = false
      resolve(answer)
    }
    const timer = setTimeout(end, timeoutMs, undefined)
    socket.on('error', () => end(undefined))
    socket.on('message', (message) => {
      const answer = decodeTextAnswer(message, id, name)
      if (answer !== undefined) end(answer)
    })
    socket.once('connect', () => socket.send(encodeTextQuestion(id, name)))
    socket.connect(to, host)
  })
}

/** Queries over TCP, with each message prefixed by its length. */
function queryStream({ host, port: to }: Address, name: string): Promise<TextAnswer | undefined> {
  const id = randomInt(0x10000)
  const socket = connect({ host, port: to })
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const end = (answer: TextAnswer | undefined) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end, timeoutMs, undefined)
    socket.on('error', () => end(undefined))
    socket.once('close', () => end(undefined))
    socket.once('connect', () => {
      const question = encodeTextQuestion(id, name)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(question.length)
      socket.write(Buffer.concat([length, question]))
    })
    socket.on('data', (piece: Buffer) => {
      // A message has at most 65,535 bytes, so this is bounded.
      received = Buffer.concat([received, piece])
      if (received.length < 2) return
      const length = received.readUInt16BE(0)
      if (received.length >= 2 + length) end(decodeTextAnswer(received.subarray(2, 2 + length), id, name))
    })
  })
}
