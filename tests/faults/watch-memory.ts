// Preloaded into a program: counts what a socket sends, what is freed, and what is freed while a socket still sends it.
import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'

/** A program's use of its memory. */
export type MemoryCounts = { sent: number; freed: number; freedEarly: number }

const counts: MemoryCounts = { sent: 0, freed: 0, freedEarly: 0 }
const onItsWay = new Map<ArrayBufferLike, number>()
const { write } = Socket.prototype
const { transfer } = ArrayBuffer.prototype

Object.defineProperty(Socket.prototype, 'write', {
  value(this: Socket, ...args: unknown[]) {
    const [piece] = args
    if (!(piece instanceof Uint8Array)) return Reflect.apply(write, this, args)
    const { buffer } = piece
    const done = args.findLast((arg) => typeof arg === 'function')
    counts.sent++
    onItsWay.set(buffer, (onItsWay.get(buffer) ?? 0) + 1)
    const sent = (error: unknown) => {
      const left = (onItsWay.get(buffer) ?? 1) - 1
      if (left > 0) onItsWay.set(buffer, left)
      else onItsWay.delete(buffer)
      if (typeof done === 'function') Reflect.apply(done, this, [error])
    }
    return Reflect.apply(write, this, [piece, sent])
  },
})

Object.defineProperty(ArrayBuffer.prototype, 'transfer', {
  value(this: ArrayBuffer, ...args: [number?]) {
    counts.freed++
    if (onItsWay.has(this)) counts.freedEarly++
    return Reflect.apply(transfer, this, args)
  },
})

process.on('exit', () => {
  const log = process.env['CAIRN_MEMORY_LOG']
  if (log !== undefined) appendFileSync(log, `${JSON.stringify(counts)}\n`)
})
