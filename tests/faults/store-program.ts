// A child process that stores content and prints acknowledgements, for tests that kill it or make its system calls fail.
// node store-program.ts <folder> one <seed>    stores one file of 5 MiB, prints "ack <cid>" or "error <code>", ends
// node store-program.ts <folder> many <seed>   stores small files in 8 lanes until it is killed, prints "ack <cid>" each
// node store-program.ts <folder> large <MiB>   stores and reads one large file, prints "ack <cid> <peak memory in MiB>"
import { writeSync } from 'node:fs'
import { CairnError, MIB } from '@cairn/protocol'
import { readFile } from '@cairn/unixfs'
import { generate } from './generate.ts'
import { openPlace } from './place.ts'
import { storeFile } from './store-file.ts'

const [, , folder = '', what, argument = '0'] = process.argv
const print = (line: string) => writeSync(1, `${line}\n`)

const place = await openPlace(folder)
if (what === 'one') {
  try {
    print(`ack ${await storeFile(place, generate(5 * MIB, Number(argument)))}`)
  } catch (error) {
    print(`error ${CairnError.is(error) ? error.code : error}`)
  }
} else if (what === 'many') {
  let count = 0
  const lane = async () => {
    for (;;)
      print(`ack ${await storeFile(place, generate(4096 * (1 + (count % 80)), Number(argument) * 100_000 + count++))}`)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
} else {
  const cid = await storeFile(place, generate(Number(argument) * MIB, 7))
  let read = 0
  for await (const piece of readFile(place.packs.openReader(), cid)) read += piece.length
  if (read !== Number(argument) * MIB) throw new Error(`read ${read} bytes`)
  print(`ack ${cid} ${Math.round(process.resourceUsage().maxRSS / 1024)}`)
}
process.exit(0)
