import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIP } from 'node:net'
import { decodeTextAnswer, encodeTextQuestion, type TextAnswer } from './dns-message.ts'

const timeoutMs = 2000
/** Each server is asked so often before the next one. */
const roundsMost = 2
const port = 53

/** Asks servers in turn for the TXT records of a name, with their TTL, which the system's client does not tell. */
export type DnsClient = { askText(name: string): Promise<TextAnswer> }

/** @param servers addresses, with a port behind (`1.1.1.1`, `[::1]:5353`); nothing else is ever asked */
export function createDnsClient(servers: readonly string[]): DnsClient {
  const addresses = servers.map(readAddress)
  return {
    async askText(name) {
      let last: TextAnswer = { kind: 'failed', code: 2 }
      for (let round = 0; round < roundsMost; round++) {
        for (const address of addresses) {
          const answer = await askOne(address, name)
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

async function askOne(address: Address, name: string): Promise<TextAnswer | undefined> {
  const answer = await askDatagram(address, name)
  return answer?.kind === 'truncated' ? askStream(address, name) : answer
}

/** Over UDP: from a port and with an id that nobody can guess, and only what comes from the server asked counts. */
function askDatagram({ host, port: to }: Address, name: string): Promise<TextAnswer | undefined> {
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

/** Over TCP, where a message has its length before it. */
function askStream({ host, port: to }: Address, name: string): Promise<TextAnswer | undefined> {
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
      // A message has 65,535 bytes at most, so this is bounded.
      received = Buffer.concat([received, piece])
      if (received.length < 2) return
      const length = received.readUInt16BE(0)
      if (received.length >= 2 + length) end(decodeTextAnswer(received.subarray(2, 2 + length), id, name))
    })
  })
}
